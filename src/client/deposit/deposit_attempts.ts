/** Deposits into a version 1 pool: proves for the next free leaf, sends, and repeats if another deposit took the leaf. */
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { Clock } from "../../core/time/clock.ts";
import { cancelled, delay } from "../../core/time/deadline.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import type { Pool, PoolDepositArgs } from "../../ton/pool/pool.ts";
import type { RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import { refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import { commitmentsFromChain, type CommitmentSource, syncWholeTree } from "../tree_sync.ts";
import { type DepositResult, findUnspentDeposit, proveNextLeaf, toDepositResult } from "./deposit_events.ts";
import { assertOpen } from "./checks/pool_checks.ts";

/** A deposit into a version 1 pool by a wallet. */
export interface DepositRequest {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly network: Network;
  /** Pays the denomination. The chain shows this wallet as the depositor. */
  readonly wallet: Wallet;
  readonly note: Note;
  /** Source of the tree. Default: the pool's own logs. */
  readonly source?: CommitmentSource;
  readonly tree?: MerkleTree;
  readonly prover: Prover;
  /** Maximum number of attempts if other deposits take the leaf. Default: 10. */
  readonly maxAttempts?: number;
  /** Milliseconds that the source may lag behind the chain. Default: 25,000. */
  readonly treeTimeoutMs?: number;
  /** Milliseconds between polls of the chain. Default: 1,000. */
  readonly pollIntervalMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onStep?: (step: DepositStep) => void;
}

/** The steps of a deposit. `lost`: another deposit took the leaf, and the next attempt begins. */
export type DepositStep =
  | { readonly step: "syncing" | "proving" | "sending"; readonly attempt: number }
  | {
    readonly step: "waiting";
    readonly attempt: number;
    readonly leafIndex: number;
    readonly messageHash: string;
  }
  | { readonly step: "lost"; readonly attempt: number; readonly leafIndex: number }
  | { readonly step: "deposited"; readonly attempt: number; readonly leafIndex: number };

export interface DepositTransport {
  /** Seconds of chain time after `validUntil` within which the pool may still receive the transfer. */
  readonly expiryGraceSeconds: number;
  buildMessage(deposit: PoolDepositArgs): OutgoingMessage;
  isOwnRefusal(event: RefusedEvent): boolean;
  watchForBounce?(): Promise<(signal?: AbortSignal) => Promise<void>>;
  waitForReturn?(event: RefusedEvent, signal?: AbortSignal): Promise<void>;
  readonly timeoutMessage: string;
}

interface SentTransfer {
  readonly validUntil: number; // chain time, Unix seconds
  readonly after: TransactionId | undefined;
  readonly assertNotBounced: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

export async function runDepositAttempts(
  transport: DepositTransport,
  request: DepositRequest,
  options: ProveOptions,
): Promise<DepositResult> {
  const { chain, pool, note, prover, wallet, treeTimeoutMs, clock } = request;
  const { maxAttempts = 10, random = Math.random, pollIntervalMs = 1_000, onStep = () => {} } = request;
  const { signal } = options;
  const source = request.source ?? commitmentsFromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();

  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (signal?.aborted) throw cancelled(signal);
    onStep({ step: "syncing", attempt });
    const account = await chain.account(pool.address);
    const { last: after } = account;
    // In a tree that lacks a deposit, the next free leaf would already be taken.
    await syncWholeTree(pool, source, tree, { treeTimeoutMs, signal, clock });
    if (tree.indexOf(note.commitment) >= 0) {
      const event = await findUnspentDeposit(chain, pool, note, signal);
      return { ...toDepositResult(event), attempts: attempt };
    }
    await assertOpen(pool, { account, signal });
    onStep({ step: "proving", attempt });
    const deposit = await proveNextLeaf(prover, tree, note.commitment, options);
    const { leafIndex } = deposit;

    onStep({ step: "sending", attempt });
    const assertNotBounced = await transport.watchForBounce?.();
    const { hash, validUntil } = await wallet.send([transport.buildMessage(deposit)]);
    onStep({ step: "waiting", attempt, leafIndex, messageHash: hash });
    const outcome = await waitForOutcome(transport, request, { validUntil, after, assertNotBounced }, signal);
    if (outcome !== "leaf_taken") {
      onStep({ step: "deposited", attempt, leafIndex: outcome.leafIndex });
      return { ...outcome, attempts: attempt };
    }
    onStep({ step: "lost", attempt, leafIndex });
    await delay(random() * pollIntervalMs * attempt, signal, clock);
  }
  throw new Problem(
    "payment_timeout",
    `other deposits took the leaf first in all ${maxAttempts} attempts; only gas was spent`,
    { hint: "Run the deposit again." },
  );
}

async function waitForOutcome(
  transport: DepositTransport,
  { chain, pool, note, wallet, pollIntervalMs = 1_000, clock }: DepositRequest,
  { validUntil, after, assertNotBounced }: SentTransfer,
  signal: AbortSignal | undefined,
): Promise<Omit<DepositResult, "attempts"> | "leaf_taken"> {
  let chainTime = 0;
  const outcome = await waitForPoolEvent(chain, pool.address, {
    after,
    pollIntervalMs,
    signal,
    clock,
    beforeScan: async () => void (chainTime = (await wallet.state()).now),
    async match(event) {
      if (event.kind !== "deposit" && event.kind !== "refused") return undefined;
      if (event.commitment !== note.commitment) return undefined;
      if (event.kind === "deposit") return toDepositResult(event);
      if (!transport.isOwnRefusal(event)) return undefined;
      await transport.waitForReturn?.(event, signal);
      if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT) return "leaf_taken" as const;
      const { exitCode } = event;
      const text = `the pool refused the deposit: ${refusalReason(exitCode)}; the payment was returned`;
      throw new Problem("contract_refused", text, { members: { exitCode } });
    },
    async afterScan() {
      await assertNotBounced?.(signal);
      return chainTime > validUntil + transport.expiryGraceSeconds;
    },
  });
  if (outcome === undefined) throw new Problem("payment_timeout", transport.timeoutMessage);
  return outcome;
}
