/** The message that pays a version 2 note: a comment or an op with coins, or a transfer of jettons. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Note } from "../../core/protocol/note.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import type { RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import { fetchJettonWalletAddress } from "../../ton/jetton/jetton.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { MatchedPool, PoolJetton } from "../notes/pool_match.ts";
import { verifyPoolJettonWallet } from "./deposit_jetton.ts";

export interface TransferMessage {
  readonly message: Required<Pick<OutgoingMessage, "to" | "value" | "body" | "bounce">>;
  readonly jettonWallet?: Address;
  /** An endpoint shows a block within these seconds; jettons pass through two more wallets. */
  readonly expiryGraceSeconds: number;
  /** Returns the payer of a refused payment; undefined if it did not come through the pool's own jetton wallet. */
  refusedPayer(event: RefusedEvent): Address | undefined;
}

const EXPIRY_GRACE_SECONDS = { native: 15, jetton: 60 };

/**
 * Builds the message that pays a note. `asComment`: send coins with a comment. Throws `invalid_address` for
 * jettons without an `owner`; as {@linkcode verifyPoolJettonWallet}.
 */
export async function buildTransferMessage(
  { pool, note, matched, jetton, owner, asComment }: {
    readonly pool: V2Pool;
    readonly note: Note;
    readonly matched: MatchedPool;
    readonly jetton: PoolJetton | undefined;
    readonly owner: Address | undefined;
    readonly asComment: boolean;
  },
): Promise<TransferMessage> {
  const { commitment } = note;
  const { denomination } = matched;
  const { chain } = pool;
  if (jetton === undefined) {
    const deposit = { commitment, value: denomination };
    return {
      message: asComment ? pool.buildCommentDepositMessage(deposit) : pool.buildDepositMessage(deposit),
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS.native,
      refusedPayer: ({ sender }) => sender,
    };
  }
  if (owner === undefined) {
    throw new Problem(
      "invalid_address",
      "a deposit of jettons needs the address of the wallet that holds them",
    );
  }
  const poolWallet = await verifyPoolJettonWallet({ chain, pool, jetton }, matched);
  const jettonWallet = await fetchJettonWalletAddress(chain, jetton.jettonMaster, owner);
  const forwardAmount = await pool.getDepositValue();
  return {
    message: pool.buildJettonDepositMessage({
      ...{ commitment, owner, jettonWallet, forwardAmount },
      amount: denomination,
    }),
    jettonWallet,
    expiryGraceSeconds: EXPIRY_GRACE_SECONDS.jetton,
    // Anyone can notify the pool in another wallet's name.
    refusedPayer: (event) => event.sender.equals(poolWallet) ? depositorOf(event) : undefined,
  };
}
