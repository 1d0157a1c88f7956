/**
 * Follows one pool: every transaction since the stored cursor, oldest first, into the store and the tree, which must
 * then have a root that the chain accepts. It never skips. Whatever goes wrong makes this pool not ready, is said once,
 * and is tried again for ever.
 */
import type { Address } from "@ton/core";
import { Problem, problems } from "../core/errors.ts";
import type { Cursor, Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { PoolEvent, PoolTransactions } from "../ton/pool_event.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { Pace } from "./pace.ts";
import type { PoolState } from "./pool_state.ts";
import { settle } from "./settlement.ts";
import { poolMismatch } from "./verify_pool.ts";

/** What the indexer needs. */
export interface IndexerDeps {
  readonly chain: Chain;
  readonly store: Store;
  /** Our wallet: only the pool's answers to it settle our jobs. */
  readonly wallet: Address;
  /** Of this build's verification keys. */
  readonly vkeyHash: string;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: Log;
}

/** Getters may answer from a node some blocks behind: a root is asked for so often before it counts as wrong. */
const ROOT_ATTEMPTS = 3;
/** A walk that takes longer says how far it is. */
const PROGRESS_AFTER_MS = 1_000;

const BEHIND = "the chain endpoint is behind what is stored here, or of another network";

/** Follows `pool` until `signal` aborts. */
export async function followPool(pool: PoolState, deps: IndexerDeps, signal: AbortSignal): Promise<void> {
  const { clock, pace, changes } = deps;
  const log = deps.log.with({ pool: pool.key });
  let said: string | undefined;
  let wait = pace.pollMin;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await verify(pool, deps, signal);
      await pool.tree.load(deps.store.deposits(pool.id, pool.tree.size), signal); // all of it once, nothing later
      const outcome = await catchUp(pool, deps, signal);
      if (outcome !== "behind") pool.synced(clock.now());
      else if (!pool.readiness(clock.now()).ready) pool.stopped(BEHIND);
      if (said !== undefined || failures > 0) log.info("pool is ready again");
      [said, failures] = [undefined, 0];
      wait = outcome === "moved" ? pace.pollMin : Math.min(wait * 1.5, pace.pollMax);
      if (outcome === "moved") changes.notify();
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Problem ? error.message : "an internal error";
      pool.stopped(shown(error));
      if (reason !== said) log.error("pool is not ready: {reason}", { reason, error: String(error) });
      said = reason;
      wait = Math.min(pace.retryMin * 2 ** failures++, pace.retryMax);
    }
    await clock.sleep(wait, signal);
  }
}

/** What everybody may read; of an endpoint that fails not its address. */
function shown(error: unknown): string {
  if (!(error instanceof Problem)) return "an internal error";
  return error.code === "chain_unavailable" ? problems.chain_unavailable.title : error.message;
}

async function verify(pool: PoolState, deps: IndexerDeps, signal: AbortSignal): Promise<void> {
  if (pool.roots.length > 0) return; // has been followed since
  const mismatch = await poolMismatch(deps.chain, pool.deployment, deps.vkeyHash, signal);
  pool.refused = mismatch && `${pool.key} is refused: ${mismatch}`;
  if (pool.refused !== undefined) throw new Problem("invalid_registry", pool.refused);
}

/** `behind`: the endpoint answers from before our cursor, which says nothing about now. */
type Outcome = "moved" | "unmoved" | "behind";

async function catchUp(pool: PoolState, deps: IndexerDeps, signal: AbortSignal): Promise<Outcome> {
  const { chain, store } = deps;
  const { address } = pool.deployment;
  let cursor = await store.cursor(pool.id);
  // Not from the account: its state comes along there, and a full pool's takes megabytes.
  const newestId = async () => (await chain.transactions(address, { limit: 1, signal }))[0]?.id;
  let newest = await newestId();
  if (newest !== undefined && cursor !== undefined) {
    if (newest.lt < cursor.lt) return "behind";
    if (newest.hash === cursor.hash && pool.roots[0] === pool.tree.root) return "unmoved";
  }
  const started = deps.clock.now();
  for (let attempt = 1;; attempt++, newest = await newestId()) {
    for await (const batch of scanPoolTransactions(chain, address, { after: cursor, newest, signal })) {
      await applyBatch(pool, batch, cursor, deps);
      cursor = batch.cursor;
      if (deps.clock.now() - started > PROGRESS_AFTER_MS) {
        deps.log.info("{pool}: {leaves} leaves indexed", { pool: pool.key, leaves: pool.tree.size });
      }
    }
    const roots = await new Pool(chain, address).getRootHistory({ signal });
    if (roots.includes(pool.tree.root)) {
      pool.roots = roots;
      return "moved";
    }
    if (attempt === ROOT_ATTEMPTS) {
      throw new Problem("chain_inconsistent", `the root of ${pool.tree.size} indexed leaves is not on chain`);
    }
    await deps.clock.sleep(deps.pace.retryMin, signal);
  }
}

/** Applies a batch in steps that the store takes as one; each step's cursor is the transaction of its last event. */
async function applyBatch(
  pool: PoolState,
  { events, cursor: end }: PoolTransactions,
  start: Cursor | undefined,
  { store, wallet, clock }: IndexerDeps,
): Promise<void> {
  let from = start;
  for (let i = 0; i < events.length || i === 0; i += store.batchLimit) {
    const step = events.slice(i, i + store.batchLimit);
    const to = i + step.length < events.length ? step[step.length - 1].tx : end;
    const commitments = newLeaves(step, pool.tree.size);
    const now = clock.now();
    await store.apply(
      { pool: pool.id, events: step, from, to },
      (job, event) => settle(job, event, wallet, now),
    );
    pool.tree.append(commitments);
    from = to;
  }
}

function newLeaves(events: readonly PoolEvent[], size: number): bigint[] {
  const deposits = events.filter((event) => event.kind === "deposit");
  for (const [i, { leafIndex }] of deposits.entries()) {
    if (leafIndex !== size + i) {
      throw new Problem(
        "chain_inconsistent",
        `a deposit took leaf ${leafIndex}, and the next one is ${size + i}`,
      );
    }
  }
  return deposits.map(({ commitment }) => commitment);
}
