/** What the indexer does after each step, as a pure function. `indexer.ts` makes the events and runs the effects. */
import { backoffMs } from "../../core/time/backoff.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

export interface IndexerState {
  readonly loggedReason?: string | undefined;
  readonly failures: number;
  readonly waitMs: number;
  /** The tree came from a snapshot and may be wrong even if the rows are right. */
  readonly isRestored: boolean;
  readonly savedLeafCount: number;
}

export type IndexerEvent =
  | { readonly type: "advanced" }
  | { readonly type: "unchanged"; readonly isLeader: boolean }
  /** A follower has no new rows and queried the chain a short while ago. */
  | { readonly type: "not_checked" }
  /** The endpoint's newest state is older than the stored cursor. */
  | { readonly type: "behind" }
  | { readonly type: "unverified"; readonly reason: string }
  | { readonly type: "rolled_back" }
  /** The step failed, but the tree in memory stays valid. */
  | { readonly type: "deferred" }
  | {
    readonly type: "failed";
    readonly reason: string;
    readonly error: string;
    readonly isInconsistent: boolean;
    readonly hasStaleLeaves: boolean; // the tree has leaves that are no longer stored
  };

export type IndexerEffect =
  | { readonly do: "mark_synced" | "clear_tree" | "notify" | "save_tree" }
  | { readonly do: "mark_not_ready"; readonly reason: string }
  | {
    readonly do: "log";
    readonly level: "info" | "warning" | "error";
    readonly text: string;
    readonly members?: Readonly<Record<string, string>>;
  };

interface IndexerTransition {
  readonly state: IndexerState;
  readonly effects: readonly IndexerEffect[];
  readonly sleepMs: number; // until the next step; 0: at once
}

const FOLLOWER_POLL_MS = 1_000;

export const ENDPOINT_BEHIND_REASON =
  "the chain endpoint is behind the stored data, or serves another network";
export const ROWS_PENDING_REASON = "the leaves that the leader has stored have no root on chain yet";

export function initialState(
  tree: Pick<IndexerState, "isRestored" | "savedLeafCount">,
  { minPollMs }: PollingIntervals,
): IndexerState {
  return { loggedReason: undefined, failures: 0, waitMs: minPollMs, ...tree };
}

/** `isReady`: whether the pool is served at the time of the event. */
export function next(
  state: IndexerState,
  event: IndexerEvent,
  { intervals, isReady }: { readonly intervals: PollingIntervals; readonly isReady: boolean },
): IndexerTransition {
  const { minPollMs, maxPollMs, minRetryMs } = intervals;
  const followerPollMs = Math.min(minPollMs, FOLLOWER_POLL_MS);
  const slower = Math.min(state.waitMs * 1.5, maxPollMs);
  switch (event.type) {
    case "advanced":
      return succeed(state, minPollMs, [{ do: "mark_synced" }], [{ do: "notify" }]);
    case "unchanged":
      return succeed(state, event.isLeader ? slower : followerPollMs, [{ do: "mark_synced" }]);
    case "behind":
      return succeed(state, slower, isReady ? [] : [notReady(ENDPOINT_BEHIND_REASON)]);
    case "not_checked":
      return { state, effects: [], sleepMs: followerPollMs };
    case "deferred":
      return { state, effects: [], sleepMs: minRetryMs };
    case "unverified":
      return rejectHistory(state, event.reason, isReady, minPollMs);
    case "rolled_back":
      return {
        state: { ...state, isRestored: false, savedLeafCount: 0 },
        effects: [],
        sleepMs: 0,
      };
    case "failed":
      return fail(state, event, intervals);
  }
}

function succeed(
  state: IndexerState,
  waitMs: number,
  before: readonly IndexerEffect[],
  after: readonly IndexerEffect[] = [],
): IndexerTransition {
  const hadFailed = state.loggedReason !== undefined || state.failures > 0;
  const effects = [...before, ...hadFailed ? [info("pool is ready again")] : [], ...after, saveTree];
  return {
    state: { ...state, loggedReason: undefined, failures: 0, waitMs },
    effects,
    sleepMs: waitMs,
  };
}

/** The last verified state is still valid, and is served until it is stale. */
function rejectHistory(
  state: IndexerState,
  reason: string,
  isReady: boolean,
  sleepMs: number,
): IndexerTransition {
  const effects: IndexerEffect[] = isReady ? [] : [notReady(reason)];
  if (reason !== state.loggedReason) {
    effects.push({
      do: "log",
      level: "warning",
      text: "history not accepted: {reason}",
      members: { reason },
    });
  }
  return { state: { ...state, loggedReason: reason }, effects, sleepMs };
}

function fail(
  state: IndexerState,
  { reason, error, isInconsistent, hasStaleLeaves }: IndexerEvent & { readonly type: "failed" },
  { minRetryMs, maxRetryMs }: PollingIntervals,
): IndexerTransition {
  const rebuild = (text: string): IndexerTransition => ({
    state: { ...state, isRestored: false, savedLeafCount: 0 },
    effects: [{ do: "log", level: "warning", text }, { do: "clear_tree" }],
    sleepMs: 0,
  });
  if (isInconsistent && state.isRestored) {
    return rebuild("the tree snapshot may be wrong: rebuilding the tree from the stored rows");
  }
  if (hasStaleLeaves) return rebuild("stored rows were rolled back: rebuilding the tree");
  // It is not a fault if a follower has not read the leader's newest rows yet. An alert fires if it lasts.
  const level = reason === ROWS_PENDING_REASON ? "info" : "error";
  const text = "pool is not ready: {reason}";
  const failures = state.failures + 1;
  const waitMs = backoffMs(failures, { initialMs: minRetryMs, maxMs: maxRetryMs });
  return {
    state: { ...state, loggedReason: reason, failures, waitMs },
    effects: reason === state.loggedReason ? [] : [{ do: "log", level, text, members: { reason, error } }],
    sleepMs: waitMs,
  };
}

const saveTree: IndexerEffect = { do: "save_tree" };
const info = (text: string): IndexerEffect => ({ do: "log", level: "info", text });
const notReady = (reason: string): IndexerEffect => ({ do: "mark_not_ready", reason });
