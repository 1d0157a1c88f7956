/**
 * Follows one pool. The replica that leads takes every transaction since the stored cursor, oldest first, into the store
 * and the tree, and never skips; the others take the rows that it wrote into trees of their own. Either way the tree
 * must then have a root that the chain accepts. Whatever goes wrong makes this pool not ready, is said once, and is
 * tried again for ever.
 */
import type { Address } from "@ton/core";
import { Problem, problems } from "../core/errors.ts";
import type { Cursor, Store } from "../store/store.ts";
import type { TreeSnapshots } from "../store/tree_snapshots.ts";
import type { Log } from "../telemetry/log.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { PoolEvent, PoolTransactions } from "../ton/pool_event.ts";
import { KeptWalk, scanPoolTransactions, Unbelieved, Unlinked } from "../ton/scan.ts";
import { Belief } from "./belief.ts";
import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { Leadership } from "./leadership.ts";
import { LostCursor } from "./lost_cursor.ts";
import type { Pace } from "./pace.ts";
import type { PoolState } from "./pool_state.ts";
import type { Leaf } from "./pool_tree.ts";
import { settle } from "./settlement.ts";
import { restoreTree, saveTree } from "./tree_snapshot.ts";
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
  readonly leadership: Pick<Leadership, "leads" | "known">;
  /** Absent: every start hashes the whole tree. */
  readonly snapshots?: TreeSnapshots;
  readonly log: Log;
}

/** Getters may answer from a node some blocks behind: a root is asked for so often before it counts as wrong. */
const ROOT_ATTEMPTS = 3;
/** A walk that takes longer says how far it is, and so often from then on. */
const PROGRESS_AFTER_MS = 1_000;
const PROGRESS_EVERY_MS = 10_000;

/** Between a follower's looks at the leader's rows, in milliseconds. */
const ROWS_MS = 1_000;

const LEFT_OUT = "the chain has deposits that its history does not show";
const ROWS_AWAITED = "the leaves that the leader has stored make no root on chain yet";
const BEHIND = "the chain endpoint is behind what is stored here, or of another network";

/** Follows `pool` until `signal` aborts. */
export async function followPool(pool: PoolState, deps: IndexerDeps, signal: AbortSignal): Promise<void> {
  const { clock, pace, changes } = deps;
  const log = deps.log.with({ pool: pool.key });
  const kept = { ...deps, log };
  let said: string | undefined;
  let wait = pace.pollMin;
  let failures = 0;
  await deps.leadership.known;
  let restored = await restoreTree(pool.id, pool.tree, kept);
  let saved = pool.tree.size;
  const owed = new OwedRoot();
  const walk = new KeptWalk();
  const lost = new LostCursor();
  while (!signal.aborted) {
    try {
      await verify(pool, deps, signal);
      const { leads } = deps.leadership; // before the rows: after them another one may have written more
      await pool.tree.load(deps.store.leaves(pool.id, pool.tree.size), signal); // a leader: all of it once, nothing later
      const outcome = leads
        ? await catchUpOrBack(pool, kept, walk, lost, signal)
        : await confirm(pool, deps, signal);
      if (outcome === "back") {
        [restored, saved] = [false, 0];
        continue;
      }
      if (owed.since(pool, clock.now()) > pace.staleAfter) throw new Problem("chain_inconsistent", LEFT_OUT);
      if (outcome === "unasked") {
        await clock.sleep(Math.min(pace.pollMin, ROWS_MS), signal);
        continue;
      }
      if (outcome instanceof Unbelieved) {
        // What was believed before stays true, and is served for as long as an endpoint may be silent.
        if (!pool.readiness(clock.now()).ready) pool.stopped(outcome.message);
        if (outcome.message !== said) log.warning("history waits: {reason}", { reason: outcome.message });
        said = outcome.message;
        await clock.sleep(pace.pollMin, signal);
        continue;
      }
      if (outcome !== "behind") pool.synced(clock.now());
      else if (!pool.readiness(clock.now()).ready) pool.stopped(BEHIND);
      if (said !== undefined || failures > 0) log.info("pool is ready again");
      [said, failures] = [undefined, 0];
      wait = outcome === "moved" ? pace.pollMin : Math.min(wait * 1.5, pace.pollMax);
      if (!leads) wait = Math.min(pace.pollMin, ROWS_MS);
      if (outcome === "moved") changes.notify();
      saved = await saveTree(pool.id, pool.tree, saved, kept);
    } catch (error) {
      if (signal.aborted) break;
      if (await servesFromMemory(error, pool, deps, signal)) {
        await clock.sleep(pace.retryMin, signal);
        continue;
      }
      const reason = error instanceof Problem ? error.message : "an internal error";
      pool.stopped(shown(error));
      if (restored && error instanceof Problem && error.code === "chain_inconsistent") {
        log.warning("the snapshot of the tree may be wrong: it is built from the rows");
        pool.tree.clear();
        [restored, saved] = [false, 0];
        continue;
      }
      if (error instanceof Problem && error.code === "chain_inconsistent" && await isOutOfDate(pool, deps)) {
        log.warning("rows were taken back since they were read: the tree is built anew");
        pool.tree.clear();
        saved = 0;
        continue;
      }
      // A follower that has not read the leader's newest rows yet is no fault; TonadoPoolNotReady fires if it lasts.
      const level = reason === ROWS_AWAITED ? "info" : "error";
      if (reason !== said) log[level]("pool is not ready: {reason}", { reason, error: String(error) });
      said = reason;
      wait = Math.min(pace.retryMin * 2 ** failures++, pace.retryMax);
    }
    await clock.sleep(wait, signal);
  }
  if (pool.roots.includes(pool.tree.root)) await saveTree(pool.id, pool.tree, saved, kept, true);
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

/** What does not concern the tree in memory: another replica leads now, or the store is down and the chain still knows it. */
async function servesFromMemory(
  error: unknown,
  pool: PoolState,
  { chain, clock }: IndexerDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof Problem)) return false;
  if (error.code === "not_leader") return true;
  if (error.code !== "store_unavailable" || pool.roots.length === 0) return false;
  try {
    const roots = await new Pool(chain, pool.deployment.address).getRootHistory({ signal });
    if (!roots.includes(pool.tree.root)) return false;
    pool.know(roots, clock.now());
    pool.synced(clock.now());
    return true;
  } catch {
    return false;
  }
}

/** `unasked`: a follower has no new rows, and asked the chain a short while ago. `behind`: the endpoint answers from before our cursor, which says nothing about now. */
type Outcome = "moved" | "unmoved" | "behind" | "unasked";

/** A follower's part: the tree of the leader's rows must have a root that the chain accepts. */
async function confirm(
  pool: PoolState,
  { chain, clock, pace }: IndexerDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const known = pool.roots.includes(pool.tree.root);
  if (known && clock.now() - pool.syncedAt < pace.pollMax) return "unasked";
  for (let attempt = 1;; attempt++) {
    const roots = await new Pool(chain, pool.deployment.address).getRootHistory({ signal });
    if (roots.includes(pool.tree.root)) {
      pool.know(roots, clock.now());
      return "unmoved";
    }
    if (attempt === ROOT_ATTEMPTS) {
      throw new Problem("chain_inconsistent", ROWS_AWAITED);
    }
    await clock.sleep(pace.retryMin, signal);
  }
}

/** Catches up; where the endpoint does not show the cursor for long, goes back: `back`, and the tree is empty then. */
async function catchUpOrBack(
  pool: PoolState,
  deps: IndexerDeps,
  walk: KeptWalk,
  lost: LostCursor,
  signal: AbortSignal,
): Promise<Outcome | Unbelieved | "back"> {
  const tell = progressTeller(pool, deps);
  const onProgress = (seen: number) =>
    tell(`comparing the history with what is stored: ${seen} transactions`);
  const missed = () => lost.missed(pool, deps, signal, onProgress);
  try {
    const outcome = await catchUp(pool, deps, walk, signal);
    if (outcome !== "behind") lost.found();
    else if (await missed()) return "back";
    return outcome;
  } catch (error) {
    if (error instanceof Unlinked && await missed()) return "back";
    throw error;
  }
}

/** Whether the tree has leaves that are not stored any more. */
async function isOutOfDate({ id, tree }: PoolState, { store }: IndexerDeps): Promise<boolean> {
  try {
    return !await tree.isOf(store.leaves(id, 0));
  } catch {
    return false; // a store that does not answer is told of elsewhere
  }
}

async function catchUp(
  pool: PoolState,
  deps: IndexerDeps,
  kept: KeptWalk,
  signal: AbortSignal,
): Promise<Outcome | Unbelieved> {
  const { chain, store } = deps;
  const { address } = pool.deployment;
  const { clock, pace } = deps;
  let cursor = await store.cursor(pool.id);
  // Not from the account: its state comes along there, and a full pool's takes megabytes.
  const newestId = async () => (await chain.transactions(address, { limit: 1, signal }))[0]?.id;
  const newest = await newestId();
  let outcome: Outcome = "moved";
  if (newest !== undefined && cursor !== undefined) {
    if (newest.lt < cursor.lt) return "behind";
    if (newest.hash === cursor.hash && pool.roots[0] === pool.tree.root) outcome = "unmoved";
  }
  // A history that shows nothing new may leave out what is: from time to time the roots are asked all the same.
  if (outcome === "unmoved" && clock.now() - pool.rootsAt < pace.staleAfter / 2) return outcome;
  pool.seenLt = newest?.lt ?? 0n;
  pool.appliedLt = cursor?.lt ?? 0n;
  const tell = progressTeller(pool, deps);
  const onProgress = (seen: number) => tell(`reading the history back: ${seen} transactions seen`);
  const judge = new Belief(address, { after: cursor, tree: pool.tree }, deps, signal);
  try {
    const options = { after: cursor, newest, signal, kept, onProgress, judge };
    for await (const batch of scanPoolTransactions(chain, address, options)) {
      await applyBatch(pool, batch, cursor, deps);
      cursor = batch.cursor;
      pool.appliedLt = cursor.lt;
      tell(`${pool.tree.size} leaves indexed`);
    }
  } catch (error) {
    if (!(error instanceof Unbelieved)) throw error;
    const { roots, at } = judge.asked!;
    if (roots.includes(pool.tree.root)) pool.know(roots, at);
    else if (!judge.rootStands) throw mismatch(pool, judge.leaves);
    return error;
  }
  for (let attempt = 1;; attempt++) {
    const { roots, at } = judge.asked ?? await rootsOf(pool, deps, signal);
    judge.asked = undefined;
    if (roots.includes(pool.tree.root)) {
      pool.know(roots, at);
      return outcome;
    }
    if (attempt === ROOT_ATTEMPTS) throw mismatch(pool, pool.tree.size);
    await clock.sleep(pace.retryMin, signal);
  }
}

async function rootsOf(pool: PoolState, { chain, clock }: IndexerDeps, signal: AbortSignal) {
  const roots = await new Pool(chain, pool.deployment.address).getRootHistory({ signal });
  return { roots, at: clock.now() };
}

function mismatch(pool: PoolState, leaves: number): Problem {
  pool.rootMismatches++;
  return new Problem("chain_inconsistent", `the root of ${leaves} indexed leaves is not on chain`);
}

/** Tells how far a walk is: the log at intervals, and whoever asks why a pool is not ready. */
function progressTeller(pool: PoolState, { clock, log }: IndexerDeps): (progress: string) => void {
  let next = clock.now() + PROGRESS_AFTER_MS;
  return (progress) => {
    const now = clock.now();
    if (!pool.readiness(now).ready) pool.stopped(progress);
    if (now <= next) return;
    log.info("{pool}: {progress}", { pool: pool.key, progress });
    next = now + PROGRESS_EVERY_MS;
  };
}

/**
 * A root that the chain has and the tree must reach: an endpoint may leave the newest deposits out of its history, and the
 * tree without them still has one of the last roots.
 */
class OwedRoot {
  #owed: { readonly root: bigint; readonly at: number } | undefined;

  /** How long one has been owed, in milliseconds; 0: none is. `pool.roots` holds the tree's. */
  since({ roots, tree }: PoolState, now: number): number {
    const own = roots.indexOf(tree.root);
    if (this.#owed !== undefined) {
      const place = roots.indexOf(this.#owed.root);
      if (place < 0 || place >= own) this.#owed = undefined; // older than ours, or older than all that are left
    }
    if (own > 0) this.#owed ??= { root: roots[0], at: now };
    return this.#owed === undefined ? 0 : now - this.#owed.at;
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
    const leaves = newLeaves(step, pool.tree.size);
    const now = clock.now();
    await store.apply(
      { pool: pool.id, events: step, from, to },
      (job, event) => settle(job, event, wallet, now),
    );
    await pool.tree.append(leaves);
    from = to;
  }
}

function newLeaves(events: readonly PoolEvent[], size: number): readonly Leaf[] {
  const deposits = events.filter((event) => event.kind === "deposit");
  for (const [i, { leafIndex }] of deposits.entries()) {
    if (leafIndex !== size + i) {
      throw new Problem(
        "chain_inconsistent",
        `a deposit took leaf ${leafIndex}, and the next one is ${size + i}`,
      );
    }
  }
  return deposits;
}
