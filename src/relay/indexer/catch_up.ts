/** One step of indexing: a leader writes new transactions, and a follower checks the leader's rows. */
import type { Address } from "@ton/core";
import type { Clock } from "../../core/time/clock.ts";
import { Problem } from "../../core/errors/problem.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import type { Cursor, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { PoolEvent, PoolEventBatch } from "../../ton/pool/history/pool_events.ts";
import {
  ScanCheckpoint,
  scanPoolTransactions,
  UnlinkedHistory,
  UnverifiedHistory,
} from "../../ton/pool/history/scan.ts";
import type { PollingIntervals } from "../polling_intervals.ts";
import type { BatchObserver } from "../operations/batch_metrics.ts";
import { bookEvents, type LedgerObserver } from "../operations/ledger.ts";
import { HistoryVerifier } from "./history_verifier.ts";
import { type IndexerEvent, ROWS_PENDING_REASON } from "./indexer_state.ts";
import type { PoolState } from "./pool_state.ts";
import { RollbackTrigger } from "./rollback.ts";
import { applyJobEvent } from "./job_outcome.ts";

export interface StepDeps {
  readonly chain: Chain;
  readonly store: Store;
  /** Only refusals of this wallet's messages change jobs. */
  readonly walletAddress: Address;
  readonly clock: Clock;
  readonly intervals: PollingIntervals;
  readonly onLedgerEntries?: LedgerObserver;
  readonly onBatches?: BatchObserver;
  readonly log: Log;
}

export class LeaderMemory {
  readonly checkpoint = new ScanCheckpoint();
  readonly rollback = new RollbackTrigger();
}

/** Attempts to find a root on chain before it counts as wrong: nodes may be some blocks behind. */
const MAX_ROOT_ATTEMPTS = 3;
const FIRST_PROGRESS_LOG_MS = 1_000;
const PROGRESS_LOG_INTERVAL_MS = 10_000;

export async function confirmStoredRoot(
  pool: PoolState,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<IndexerEvent> {
  const isKnown = pool.roots.includes(pool.tree.root);
  if (isKnown && deps.clock.now() - pool.syncedAt < deps.intervals.maxPollMs) return { type: "not_checked" };
  await confirmRoot(pool, deps, signal, () => new Problem("chain_inconsistent", ROWS_PENDING_REASON));
  return { type: "unchanged", isLeader: false };
}

/** A leader's step. Rolls stored rows back if the endpoint has not shown the cursor for a long time. */
export async function catchUpOrRollBack(
  pool: PoolState,
  deps: StepDeps,
  { checkpoint, rollback }: LeaderMemory,
  signal: AbortSignal,
): Promise<IndexerEvent> {
  const report = createProgressReporter(pool, deps);
  const onProgress = (count: number) =>
    report(`comparing the history with the stored rows: ${count} transactions`);
  const tryRollBack = () => rollback.rollBackIfDue(pool, deps, signal, onProgress);
  try {
    const event = await catchUp(pool, deps, checkpoint, signal);
    if (event.type !== "behind") rollback.reset();
    else if (await tryRollBack()) return { type: "rolled_back" };
    return event;
  } catch (error) {
    if (error instanceof UnlinkedHistory && await tryRollBack()) return { type: "rolled_back" };
    throw error;
  }
}

async function catchUp(
  pool: PoolState,
  deps: StepDeps,
  checkpoint: ScanCheckpoint,
  signal: AbortSignal,
): Promise<IndexerEvent> {
  const { chain, store, clock, intervals } = deps;
  const { address } = pool.deployment;
  const cursor = await store.cursor(pool.id);
  // The account's response would include the contract's data: megabytes for a full pool.
  const newest = (await chain.transactions(address, { limit: 1, signal }))[0]?.id;
  if (newest !== undefined && cursor !== undefined && newest.lt < cursor.lt) return { type: "behind" };
  const isUnchanged = newest !== undefined && newest.hash === cursor?.hash &&
    pool.roots[0] === pool.tree.root;
  const outcome: IndexerEvent = isUnchanged ? { type: "unchanged", isLeader: true } : { type: "advanced" };
  // An endpoint may omit new transactions, so the roots are queried even if the history is unchanged.
  if (isUnchanged && clock.now() - pool.rootsFetchedAt < intervals.staleAfterMs / 2) return outcome;
  pool.newestLt = newest?.lt ?? 0n;
  pool.appliedLt = cursor?.lt ?? 0n;
  const verifier = new HistoryVerifier(address, pool.tree, deps, signal);
  try {
    await applyHistory(pool, { after: cursor, newest, checkpoint, verifier }, deps, signal);
  } catch (error) {
    if (!(error instanceof UnverifiedHistory)) throw error;
    const { roots, at } = verifier.lastRoots!;
    if (roots.includes(pool.tree.root)) pool.setRoots(roots, at);
    else if (!verifier.isNewRootKnown) throw rootMismatchProblem(pool, verifier.candidateDepositCount);
    return { type: "unverified", reason: error.message };
  }
  const mismatch = () => rootMismatchProblem(pool, pool.tree.size);
  await confirmRoot(pool, deps, signal, mismatch, verifier.lastRoots);
  return outcome;
}

async function applyHistory(
  pool: PoolState,
  { after, ...scan }: {
    readonly after: Cursor | undefined;
    readonly newest: Cursor | undefined;
    readonly checkpoint: ScanCheckpoint;
    readonly verifier: HistoryVerifier;
  },
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const report = createProgressReporter(pool, deps);
  const onProgress = (count: number) => report(`reading the history back: ${count} transactions seen`);
  let cursor = after;
  const capacity = poolCapacity(pool.deployment.version);
  const options = { after, ...scan, signal, onProgress, capacity };
  for await (const batch of scanPoolTransactions(deps.chain, pool.deployment.address, options)) {
    await applyBatch(pool, batch, cursor, deps);
    cursor = batch.cursor;
    pool.appliedLt = cursor.lt;
    report(`${pool.tree.depositCount} leaves indexed`);
  }
}

/** Accepts the pool's roots if the tree's is among them. `known`: roots that this step has fetched already. */
async function confirmRoot(
  pool: PoolState,
  { chain, clock, intervals }: StepDeps,
  signal: AbortSignal,
  mismatch: () => Problem,
  known?: HistoryVerifier["lastRoots"],
): Promise<void> {
  const contract = new Pool(chain, pool.deployment.address);
  const fetchRoots = async () => ({ roots: await contract.getRootHistory({ signal }), at: clock.now() });
  for (let attempt = 1, found = known ?? await fetchRoots();; attempt++, found = await fetchRoots()) {
    if (found.roots.includes(pool.tree.root)) return pool.setRoots(found.roots, found.at);
    if (attempt === MAX_ROOT_ATTEMPTS) throw mismatch();
    await clock.sleep(intervals.minRetryMs, signal);
  }
}

function rootMismatchProblem(pool: PoolState, leafCount: number): Problem {
  pool.rootMismatches++;
  return new Problem("chain_inconsistent", `the root of ${leafCount} indexed leaves is not on chain`);
}

function createProgressReporter(pool: PoolState, { clock, log }: StepDeps): (progress: string) => void {
  let nextLogAt = clock.now() + FIRST_PROGRESS_LOG_MS;
  return (progress) => {
    const now = clock.now();
    if (!pool.readiness(now).ready) pool.markNotReady(progress);
    if (now <= nextLogAt) return;
    log.info("{pool}: {progress}", { pool: pool.key, progress });
    nextLogAt = now + PROGRESS_LOG_INTERVAL_MS;
  };
}

/** Each part is written atomically, with the transaction of its last event as the cursor. */
async function applyBatch(
  pool: PoolState,
  { events, cursor: end }: PoolEventBatch,
  start: Cursor | undefined,
  { store, walletAddress, clock, onLedgerEntries, onBatches }: StepDeps,
): Promise<void> {
  let from = start;
  const parts = splitBetweenTransactions(events, store.batchLimit);
  for (const [i, part] of parts.entries()) {
    const to = i < parts.length - 1 ? part[part.length - 1].tx : end;
    const log = pool.tree.logEntries(part);
    const now = clock.now();
    const ledger = bookEvents(part, pool, walletAddress);
    await store.apply(
      { pool: pool.id, events: part, from, to, ledger, log },
      (job, event) => applyJobEvent(job, event, walletAddress, now),
    );
    onLedgerEntries?.(ledger);
    if (pool.settledPool !== undefined) onBatches?.(pool, part, pool.tree.size);
    await pool.tree.apply(part);
    from = to;
  }
}

/** Splits events, but not a transaction's: the cursor after a part skips none. */
export function splitBetweenTransactions(events: readonly PoolEvent[], limit: number): PoolEvent[][] {
  const parts: PoolEvent[][] = [[]];
  for (let i = 0; i < events.length;) {
    let end = i + 1;
    while (end < events.length && events[end].tx.lt === events[i].tx.lt) end++;
    const part = parts[parts.length - 1];
    if (part.length > 0 && part.length + end - i > limit) parts.push([]);
    parts[parts.length - 1].push(...events.slice(i, end));
    i = end;
  }
  return parts;
}
