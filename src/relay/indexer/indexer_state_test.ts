import { deepEqual } from "node:assert/strict";
import { getPollingIntervals } from "../polling_intervals.ts";
import {
  ENDPOINT_BEHIND_REASON,
  type IndexerEffect,
  type IndexerEvent,
  type IndexerState,
  initialState,
  next,
  ROWS_PENDING_REASON,
} from "./indexer_state.ts";

const intervals = getPollingIntervals("testnet", { requestsPerSecond: 10, pools: 1 });
const { minPollMs, maxPollMs, minRetryMs, maxRetryMs } = intervals;
const start = initialState({ isRestored: false, savedLeafCount: 5 }, intervals);
const slow: IndexerState = { ...start, waitMs: maxPollMs };
const failing: IndexerState = {
  ...start,
  loggedReason: "no answer",
  failures: 2,
  waitMs: 2 * minRetryMs,
};

const error = (reason: string, more: Partial<IndexerEvent & { type: "failed" }> = {}): IndexerEvent => ({
  type: "failed",
  reason,
  error: `Problem: ${reason}`,
  isInconsistent: false,
  hasStaleLeaves: false,
  ...more,
});
const log = (
  level: "info" | "warning" | "error",
  text: string,
  members?: Record<string, string>,
): IndexerEffect => ({
  do: "log",
  level,
  text,
  ...members && { members },
});
const failed = (level: "info" | "error", reason: string) =>
  log(level, "pool is not ready: {reason}", { reason, error: `Problem: ${reason}` });
const [synced, save, notify, clear] = (["mark_synced", "save_tree", "notify", "clear_tree"] as const)
  .map((name) => ({ do: name }));
const recovered = log("info", "pool is ready again");
const notAccepted = log("warning", "history not accepted: {reason}", { reason: "made up" });

/** [claim, state, event, whether ready, changed fields of the state, effects, milliseconds to next step] */
const transitions: [
  string,
  IndexerState,
  IndexerEvent,
  boolean,
  Partial<IndexerState>,
  readonly IndexerEffect[],
  number,
][] = [
  [
    "a leader that applied transactions polls at the shortest interval again, and wakes the waiting requests",
    slow,
    { type: "advanced" },
    true,
    { waitMs: minPollMs },
    [synced, notify, save],
    minPollMs,
  ],
  [
    "a leader that saw nothing new polls more slowly",
    start,
    { type: "unchanged", isLeader: true },
    true,
    { waitMs: 1.5 * minPollMs },
    [synced, save],
    1.5 * minPollMs,
  ],
  [
    "a leader's wait has a maximum",
    slow,
    { type: "unchanged", isLeader: true },
    true,
    { waitMs: maxPollMs },
    [synced, save],
    maxPollMs,
  ],
  [
    "a follower reads rows each second",
    slow,
    { type: "unchanged", isLeader: false },
    true,
    { waitMs: 1_000 },
    [synced, save],
    1_000,
  ],
  [
    "a success after failures is logged, and forgets them",
    failing,
    { type: "advanced" },
    false,
    { loggedReason: undefined, failures: 0, waitMs: minPollMs },
    [synced, recovered, notify, save],
    minPollMs,
  ],
  [
    "an endpoint that is behind leaves a ready pool ready, and does not renew it",
    start,
    { type: "behind" },
    true,
    { waitMs: 1.5 * minPollMs },
    [save],
    1.5 * minPollMs,
  ],
  [
    "an endpoint that is behind is the reason why a pool is not ready",
    start,
    { type: "behind" },
    false,
    { waitMs: 1.5 * minPollMs },
    [{ do: "mark_not_ready", reason: ENDPOINT_BEHIND_REASON }, save],
    1.5 * minPollMs,
  ],
  [
    "a follower that did not query the chain changes nothing",
    failing,
    { type: "not_checked" },
    true,
    {},
    [],
    1_000,
  ],
  [
    "a failure that leaves the tree valid changes nothing",
    failing,
    { type: "deferred" },
    true,
    {},
    [],
    minRetryMs,
  ],
  [
    "an unverified history leaves a ready pool ready, and is logged",
    failing,
    { type: "unverified", reason: "made up" },
    true,
    { loggedReason: "made up" },
    [notAccepted],
    minPollMs,
  ],
  [
    "an unverified history is logged once",
    { ...start, loggedReason: "made up" },
    { type: "unverified", reason: "made up" },
    true,
    {},
    [],
    minPollMs,
  ],
  [
    "an unverified history is the reason why a pool is not ready",
    start,
    { type: "unverified", reason: "made up" },
    false,
    { loggedReason: "made up" },
    [{ do: "mark_not_ready", reason: "made up" }, notAccepted],
    minPollMs,
  ],
  [
    "after a rollback the next step runs at once, with a tree that no snapshot filled",
    { ...failing, isRestored: true },
    { type: "rolled_back" },
    false,
    { isRestored: false, savedLeafCount: 0 },
    [],
    0,
  ],
  [
    "an inconsistency rebuilds a tree that came from a snapshot",
    { ...start, isRestored: true },
    error("another root", { isInconsistent: true }),
    false,
    { isRestored: false, savedLeafCount: 0 },
    [log("warning", "the tree snapshot may be wrong: rebuilding the tree from the stored rows"), clear],
    0,
  ],
  [
    "another failure keeps a tree that came from a snapshot",
    { ...start, isRestored: true },
    error("no answer"),
    false,
    { loggedReason: "no answer", failures: 1, waitMs: minRetryMs },
    [failed("error", "no answer")],
    minRetryMs,
  ],
  [
    "an inconsistency rebuilds a tree whose leaves are no longer stored",
    start,
    error("another root", { isInconsistent: true, hasStaleLeaves: true }),
    false,
    { savedLeafCount: 0 },
    [log("warning", "stored rows were rolled back: rebuilding the tree"), clear],
    0,
  ],
  [
    "a failure is logged, and retried after the shortest wait",
    slow,
    error("no answer"),
    false,
    { loggedReason: "no answer", failures: 1, waitMs: minRetryMs },
    [failed("error", "no answer")],
    minRetryMs,
  ],
  [
    "the same failure is not logged again, and waits twice as long each time",
    failing,
    error("no answer"),
    false,
    { failures: 3, waitMs: 4 * minRetryMs },
    [],
    4 * minRetryMs,
  ],
  [
    "the wait between failures has a maximum",
    { ...failing, failures: 30 },
    error("no answer"),
    false,
    { failures: 31, waitMs: maxRetryMs },
    [],
    maxRetryMs,
  ],
  [
    "rows without a root on chain yet are no error of a follower",
    start,
    error(ROWS_PENDING_REASON, { isInconsistent: true }),
    false,
    { loggedReason: ROWS_PENDING_REASON, failures: 1, waitMs: minRetryMs },
    [failed("info", ROWS_PENDING_REASON)],
    minRetryMs,
  ],
];

for (const [claim, state, event, isReady, change, effects, sleepMs] of transitions) {
  Deno.test(`indexer state: ${claim}`, () => {
    deepEqual(next(state, event, { intervals, isReady }), {
      state: { ...state, ...change },
      effects,
      sleepMs,
    });
  });
}
