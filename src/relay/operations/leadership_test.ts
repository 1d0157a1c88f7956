/** Tests that a replica never considers itself leader longer than the store does. */
import { deepEqual, equal } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import type { Store } from "../../store/store.ts";
import { rootLog } from "../../telemetry/log.ts";
import { ChangeSignal } from "../change_signal.ts";
import type { Clock } from "../../core/time/clock.ts";
import { Leadership, runLeadership } from "./leadership.ts";
import { runRetention } from "./retention.ts";

const log = rootLog();

function clockThat(between: (now: number, ms: number) => void): Clock & { time: number } {
  const clock = {
    time: 0,
    now: () => clock.time,
    sleep(ms: number) {
      between(clock.time, ms);
      clock.time += ms;
      return Promise.resolve();
    },
  };
  return clock;
}

type Answer = { readonly says: boolean | "down"; readonly took?: number };

/** Runs a replica until the answers end; returns the times at which it gained and lost the lead. */
async function observed(answers: readonly Answer[]): Promise<[at: number, leads: boolean][]> {
  const stop = new AbortController();
  const seen: [number, boolean][] = [];
  const look = (at: number) => {
    if (seen.at(-1)?.[1] !== leadership.isLeader) seen.push([at, leadership.isLeader]);
  };
  const clock = clockThat((now, ms) => {
    for (let at = now; at < now + ms; at += 100) {
      clock.time = at;
      look(at);
    }
    clock.time = now;
  });
  const leadership = new Leadership(clock, false);
  const rest = [...answers];
  const store = {
    isShared: true,
    acquireLease() {
      const answer = rest.shift();
      if (rest.length === 0) stop.abort();
      const { says, took = 0 } = answer!;
      clock.time += took;
      return says === "down" ? Promise.reject(new Problem("store_unavailable")) : Promise.resolve(says);
    },
  } as Partial<Store> as Store;
  await runLeadership(leadership, { store, clock, changes: new ChangeSignal(), log }, stop.signal);
  await leadership.firstAnswer;
  return seen;
}

const yes: Answer = { says: true };
const no: Answer = { says: false };
const down: Answer = { says: "down" };

const cases: [claim: string, answers: Answer[], seen: [number, boolean][]][] = [
  ["leads as long as the store says so", [yes, yes, yes, yes, yes], [[0, true]]],
  ["follows while another leads, and leads when it is gone", [no, no, yes, yes], [[0, false], [2_000, true]]],
  ["stops before its lease ends when the store is silent", [yes, ...Array(12).fill(down)], [[0, true], [
    4_500,
    false,
  ]]],
  ["leads on over a short silence", [yes, down, down, down, yes, yes], [[0, true]]],
  ["counts a lease from when it asked, not from when it was answered", [
    { says: true, took: 4_000 },
    down,
    down,
    down,
  ], [[4_000, true], [4_500, false]]],
  ["follows at once when it was deposed", [yes, no, no], [[0, true], [1_500, false]]],
];
for (const [claim, answers, seen] of cases) {
  Deno.test(`a replica ${claim}`, async () => {
    deepEqual(await observed(answers), seen);
  });
}

Deno.test("a single process leads from the start", async () => {
  const leadership = new Leadership(clockThat(() => {}), true);
  await leadership.firstAnswer;
  equal(leadership.isLeader, true);
});

Deno.test("a renewed lease continues the term, and one acquired after a lapse begins another", () => {
  const clock = clockThat(() => {});
  const leadership = new Leadership(clock, false);
  const terms = [[0, 5], [4, 9], [8, -Infinity], [9, 14], [14, 19]].map(([at, until]) => {
    clock.time = at;
    leadership.setLeaseEnd(until);
    return leadership.term;
  });
  deepEqual(terms, [1, 1, 1, 2, 3]);
  equal(new Leadership(clock, true).term, 1);
});

Deno.test("whether a replica leads is unknown after ten seconds without a response, except for a single process", async () => {
  const clock = clockThat(() => {});
  const leadership = new Leadership(clock, false);
  const stop = new AbortController();
  const held: (boolean | undefined)[] = [];
  const answers = [true, false, ...Array(25).fill("down"), false];
  const store = {
    isShared: true,
    acquireLease() {
      const says = answers.shift();
      held.push(leadership.isLeaseKnown);
      if (answers.length === 0) stop.abort();
      return says === "down" ? Promise.reject(new Problem("store_unavailable")) : Promise.resolve(says);
    },
  } as Partial<Store> as Store;
  await runLeadership(leadership, { store, clock, changes: new ChangeSignal(), log }, stop.signal);
  deepEqual(held.map((each, i) => each ? [] : [i]).flat(), [21, 22, 23, 24, 25, 26, 27]);
  equal(leadership.isLeaseKnown, true);
  equal(new Leadership(clock, true).isLeaseKnown, undefined);
});

Deno.test("retention: only the leader deletes ended jobs, once an hour, and continues after a store failure", async () => {
  const stop = new AbortController();
  const requests: number[] = [];
  let hours = 0;
  const leadership = { isLeader: false };
  const clock = clockThat(() => {
    leadership.isLeader = hours >= 2;
    if (++hours === 6) stop.abort();
  });
  const store = {
    deleteEndedJobs(before: number) {
      requests.push(before);
      return requests.length === 1 ? Promise.reject(new Problem("store_unavailable")) : Promise.resolve(1);
    },
  } as Partial<Store> as Store;
  await runRetention(2, { store, clock, leadership, log }, stop.signal);
  deepEqual(requests.map((before) => (before + 48 * 3_600_000) / 3_600_000), [3, 4, 5]);
});
