/** The message that pays a version 2 note: a comment or an op with coins, or a transfer of jettons. */
import type { Address } from "@ton/core";
import type { Note } from "../../core/protocol/note.ts";
import { EXPIRY_GRACE_SECONDS } from "../../ton/pool/history/pool_watch.ts";
import type { RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { MatchedPool, PoolJetton } from "../notes/pool_match.ts";
import { refusedPayer } from "./deposit_events.ts";
import { prepareJettonTransfer } from "./deposit_jetton.ts";

export interface TransferMessage {
  readonly message: Required<Pick<OutgoingMessage, "to" | "value" | "body" | "bounce">>;
  readonly jettonWallet?: Address;
  /** An endpoint shows a block within these seconds; jettons pass through two more wallets. */
  readonly expiryGraceSeconds: number;
  /** As {@linkcode refusedPayer}. */
  refusedPayer(event: RefusedEvent): Address | undefined;
}

/**
 * Builds the message that pays a note. `asComment`: send coins with a comment. Throws `invalid_address` for
 * jettons without an `owner`; as {@linkcode prepareJettonTransfer}.
 */
export async function buildTransferMessage(
  { pool, note, matched, jetton, owner, asComment }: {
    readonly pool: V2Pool;
    readonly note: Pick<Note, "commitment">;
    readonly matched: MatchedPool;
    readonly jetton: PoolJetton | undefined;
    readonly owner: Address | undefined;
    readonly asComment: boolean;
  },
): Promise<TransferMessage> {
  const { commitment } = note;
  if (jetton === undefined) {
    const deposit = { commitment, value: matched.denomination };
    return {
      message: asComment ? pool.buildCommentDepositMessage(deposit) : pool.buildDepositMessage(deposit),
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS.native,
      refusedPayer: (event) => refusedPayer(event, undefined),
    };
  }
  const { poolWallet, transfer } = await prepareJettonTransfer(
    { chain: pool.chain, pool, jetton },
    matched,
    owner,
  );
  return {
    message: pool.buildJettonDepositMessage({ commitment, ...transfer }),
    jettonWallet: transfer.jettonWallet,
    expiryGraceSeconds: EXPIRY_GRACE_SECONDS.jetton,
    refusedPayer: (event) => refusedPayer(event, poolWallet),
  };
}
