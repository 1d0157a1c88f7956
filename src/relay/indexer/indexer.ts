/** Runs the indexer of a pool. A failure makes the pool not ready, is logged once and is retried. */
import { Problem, problems } from "../../core/errors/problem.ts";
import type { TreeSnapshotStore } from "../../store/tree_snapshot_store.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { Leadership } from "../operations/leadership.ts";
import { catchUpOrRollBack, confirmStoredRoot, LeaderMemory, type StepDeps } from "./catch_up.ts";
import { findDeploymentMismatch, type VkeyHashes } from "./deployment_check.ts";
import {
  type IndexerEffect,
  type IndexerEvent,
  type IndexerState,
  initialState,
  next,
} from "./indexer_state.ts";
import { MissingRootTimer } from "./tree/missing_root.ts";
import type { PoolState } from "./pool_state.ts";
import { SpentSetCheck } from "./tree/spent_set_check.ts";
import { restoreTree, saveTree } from "./tree/tree_snapshot.ts";

interface IndexerDeps extends StepDeps {
  readonly vkeyHashes: VkeyHashes;
  readonly changes: ChangeSignal;
  readonly leadership: Pick<Leadership, "isLeader" | "firstAnswer">;
  /** Without snapshots, every start hashes the whole tree. */
  readonly snapshots?: TreeSnapshotStore;
}

interface PoolMemory {
  readonly leader: LeaderMemory;
  readonly missingRoot: MissingRootTimer;
  readonly spentSet: SpentSetCheck;
}

const DEPOSITS_MISSING_REASON = "the chain has deposits that the endpoint's history does not show";
const INTERNAL_ERROR_REASON = "an internal error";

export async function followPool(pool: PoolState, shared: IndexerDeps, signal: AbortSignal): Promise<void> {
  const deps = { ...shared, log: shared.log.with({ pool: pool.key }) };
  const { clock, intervals } = deps;
  const memory: PoolMemory = {
    leader: new LeaderMemory(),
    missingRoot: new MissingRootTimer(),
    spentSet: new SpentSetCheck(),
  };
  await deps.leadership.firstAnswer;
  const isRestored = await restoreTree(pool.id, pool.tree, deps);
  let state = initialState({ isRestored, savedLeafCount: pool.tree.size }, intervals);
  while (!signal.aborted) {
    let event: IndexerEvent;
    try {
      event = await runStep(pool, deps, memory, signal);
    } catch (error) {
      if (signal.aborted) break;
      event = await classifyFailure(error, state, pool, deps, signal);
    }
    const isReady = pool.readiness(clock.now()).ready;
    const transition = next(state, event, { intervals, isReady });
    state = transition.state;
    for (const effect of transition.effects) state = await carryOut(effect, state, pool, deps);
    if (transition.sleepMs > 0) await clock.sleep(transition.sleepMs, signal);
  }
  if (pool.roots.includes(pool.tree.root)) {
    await saveTree(pool.id, pool.tree, state.savedLeafCount, deps, true);
  }
}

/** The order matters: another replica may write rows as soon as this one no longer leads. */
async function runStep(
  pool: PoolState,
  deps: IndexerDeps,
  { leader, missingRoot, spentSet }: PoolMemory,
  signal: AbortSignal,
): Promise<IndexerEvent> {
  await assertDeploymentMatches(pool, deps, signal);
  const { isLeader } = deps.leadership;
  await pool.tree.load(deps.store, pool.id, signal);
  const event = isLeader
    ? await catchUpOrRollBack(pool, deps, leader, signal)
    : await confirmStoredRoot(pool, deps, signal);
  if (event.type === "rolled_back") return event;
  if (missingRoot.missingForMs(pool, deps.clock.now()) > deps.intervals.staleAfterMs) {
    throw new Problem("chain_inconsistent", DEPOSITS_MISSING_REASON);
  }
  if (event.type === "advanced" || event.type === "unchanged") {
    await spentSet.run(pool, deps.chain, signal);
  }
  return event;
}

async function carryOut(
  effect: IndexerEffect,
  state: IndexerState,
  pool: PoolState,
  deps: IndexerDeps,
): Promise<IndexerState> {
  switch (effect.do) {
    case "mark_synced":
      pool.markSynced(deps.clock.now());
      break;
    case "mark_not_ready":
      pool.markNotReady(effect.reason);
      break;
    case "log":
      deps.log[effect.level](effect.text, effect.members ?? {});
      break;
    case "clear_tree":
      pool.tree.clear();
      break;
    case "notify":
      deps.changes.notify();
      break;
    case "save_tree":
      return { ...state, savedLeafCount: await saveTree(pool.id, pool.tree, state.savedLeafCount, deps) };
  }
  return state;
}

async function classifyFailure(
  error: unknown,
  { isRestored }: IndexerState,
  pool: PoolState,
  deps: IndexerDeps,
  signal: AbortSignal,
): Promise<IndexerEvent> {
  if (await canServeFromMemory(error, pool, deps, signal)) return { type: "deferred" };
  pool.markNotReady(publicReason(error)); // first, because comparing the rows takes time
  const isInconsistent = error instanceof Problem && error.code === "chain_inconsistent";
  return {
    type: "failed",
    reason: error instanceof Problem ? error.message : INTERNAL_ERROR_REASON,
    error: String(error),
    isInconsistent,
    hasStaleLeaves: isInconsistent && !isRestored && await hasStaleLeaves(pool, deps),
  };
}

/** Omits the address of a failing endpoint. */
function publicReason(error: unknown): string {
  if (!(error instanceof Problem)) return INTERNAL_ERROR_REASON;
  return error.code === "chain_unavailable" ? problems.chain_unavailable.title : error.message;
}

async function assertDeploymentMatches(
  pool: PoolState,
  { chain, vkeyHashes }: IndexerDeps,
  signal: AbortSignal,
): Promise<void> {
  if (pool.roots.length > 0) return;
  const mismatch = await findDeploymentMismatch(chain, pool.deployment, vkeyHashes, signal);
  pool.deploymentMismatch = mismatch && `${pool.key} is refused: ${mismatch}`;
  if (pool.deploymentMismatch !== undefined) throw new Problem("invalid_registry", pool.deploymentMismatch);
}

/** True if another replica leads now, or if the store is down and the chain still knows the root. */
async function canServeFromMemory(
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
    pool.setRoots(roots, clock.now());
    pool.markSynced(clock.now());
    return true;
  } catch {
    return false;
  }
}

async function hasStaleLeaves({ id, tree }: PoolState, { store }: IndexerDeps): Promise<boolean> {
  try {
    return !await tree.matchesStore(store, id);
  } catch {
    return false; // the step that reads the store next reports its failure
  }
}
