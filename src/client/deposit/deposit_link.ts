/** If another deposit takes the link's leaf, the pool returns payments of that link. A new link follows. */
import type { Address, Cell } from "@ton/core";
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { systemClock } from "../../core/time.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { fetchJettonWalletAddress } from "../../ton/jetton/jetton.ts";
import type { PoolDepositArgs } from "../../ton/pool/pool.ts";
import type { DepositEvent } from "../../ton/pool/history/pool_events.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import { assertNoteMatchesPool, type PoolJetton } from "../notes/pool_match.ts";
import { refusalReason, waitForPoolEvent } from "../pool_watch.ts";
import { commitmentsFromChain, syncWholeTree } from "../tree_sync.ts";
import type { DepositRequest } from "./deposit_attempts.ts";
import { type DepositResult, findUnspentDeposit, proveNextLeaf, toDepositResult } from "./deposit_events.ts";
import { verifyPoolJettonWallet } from "./deposit_jetton.ts";

export interface LinkDepositRequest
  extends Omit<DepositRequest, "wallet" | "maxAttempts" | "random" | "onStep"> {
  readonly jetton?: PoolJetton;
  /** Owner of the jettons. Required for jettons. */
  readonly jettonOwner?: Address;
  /** Default: half an hour. */
  readonly timeoutMs?: number;
  readonly onStep?: (step: LinkDepositStep) => void;
}

export interface DepositLink {
  readonly url: string;
  readonly to: Address;
  /** In nano. */
  readonly amount: bigint;
  readonly leafIndex: number;
}

/** `stale`: a new link follows. `refused`: the pool returned a payment of this commitment by any sender. */
export type LinkDepositStep =
  | { readonly step: "syncing" | "proving" | "stale" }
  | { readonly step: "link"; readonly link: DepositLink }
  | { readonly step: "refused"; readonly reason: string };

/** Throws `payment_timeout` after `timeoutMs`; otherwise as {@linkcode depositNative}. */
export async function depositByLink(
  request: LinkDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, prover, treeTimeoutMs, clock = systemClock, onStep = () => {} } = request;
  const { timeoutMs = 1_800_000 } = request;
  const { signal } = options;
  const buildMessage = await createMessageBuilder(request);
  const source = request.source ?? commitmentsFromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();
  const deadline = clock.now() + timeoutMs;

  for (let attempts = 1;; attempts++) {
    onStep({ step: "syncing" });
    const after = (await chain.account(pool.address, { signal })).last;
    // In a tree that lacks a deposit, the next free leaf would already be taken.
    await syncWholeTree(pool, source, tree, { treeTimeoutMs, signal, clock });
    if (tree.indexOf(note.commitment) >= 0) {
      return { ...toDepositResult(await findUnspentDeposit(chain, pool, note, signal)), attempts };
    }
    onStep({ step: "proving" });
    const deposit = await proveNextLeaf(prover, tree, note.commitment, options);
    const { leafIndex } = deposit;
    const { to, value, body } = buildMessage(deposit);
    const url = buildTransferLink(to, value, body, note.network !== "mainnet");
    onStep({ step: "link", link: { url, to, amount: value, leafIndex } });
    const event = await waitForLinkPayment(request, { leafIndex, after, deadline }, signal);
    if (event !== "stale") return { ...toDepositResult(event), attempts };
    onStep({ step: "stale" });
  }
}

async function waitForLinkPayment(
  { chain, pool, note, pollIntervalMs = 2_000, clock = systemClock, onStep = () => {} }: LinkDepositRequest,
  link: { readonly leafIndex: number; readonly after: TransactionId | undefined; readonly deadline: number },
  signal: AbortSignal | undefined,
): Promise<DepositEvent | "stale"> {
  let stale = false;
  const deposit = await waitForPoolEvent<DepositEvent>(chain, pool.address, {
    ...{ after: link.after, pollIntervalMs, signal, clock },
    match(event) {
      if (event.kind !== "deposit" && event.kind !== "refused") return undefined;
      const isOurs = event.commitment === note.commitment;
      if (event.kind === "deposit") {
        if (isOurs) return event;
        if (event.leafIndex >= link.leafIndex) stale = true;
      } else if (isOurs) {
        onStep({ step: "refused", reason: refusalReason(event.exitCode) });
        // If the endpoint's nodes disagree, the deposit that took the leaf may lie before the cursor.
        // The refusal of a late payment of an earlier link says nothing about this one.
        if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT && event.leafIndex === link.leafIndex) {
          stale = true;
        }
      }
      return undefined;
    },
    afterScan: () => stale || clock.now() > link.deadline,
  });
  if (deposit !== undefined) return deposit;
  if (stale) return "stale";
  throw new Problem(
    "payment_timeout",
    "no payment arrived in time; a payment that arrives later is not lost",
  );
}

/** Returns a transfer of `amount` nano as a link that TON wallets open. */
export function buildTransferLink(to: Address, amount: bigint, body: Cell, testOnly: boolean): string {
  // npm's `buffer`, which browsers use, does not support "base64url".
  const bin = body.toBoc().toString("base64").replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `ton://transfer/${to.toString({ bounceable: true, testOnly })}?amount=${amount}&bin=${bin}`;
}

async function createMessageBuilder(request: LinkDepositRequest) {
  const { chain, pool, note, network, jetton, jettonOwner: owner } = request;
  const matched = await assertNoteMatchesPool(pool, note, network, jetton);
  type Message = OutgoingMessage & { readonly body: Cell };
  if (note.asset === "native") {
    const value = matched.denomination;
    return (deposit: PoolDepositArgs): Message => pool.buildDepositMessage({ ...deposit, value });
  }
  if (!owner) {
    throw new Problem(
      "invalid_address",
      "a deposit of jettons needs the address of the wallet that holds them",
    );
  }
  await verifyPoolJettonWallet({ chain, pool, jetton: jetton! }, matched);
  const jettonWallet = await fetchJettonWalletAddress(chain, jetton!.jettonMaster, owner);
  const forwardAmount = await pool.getDepositValue();
  const transfer = { amount: matched.denomination, owner, jettonWallet, forwardAmount };
  return (deposit: PoolDepositArgs): Message => pool.buildJettonDepositMessage({ ...deposit, ...transfer });
}
