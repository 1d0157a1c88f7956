import { deepEqual } from "node:assert/strict";
import type { Clock } from "../../core/time/clock.ts";
import type { Job } from "../../store/store.ts";
import { rootLog } from "../../telemetry/log.ts";
import type { Health } from "./health.ts";
import {
  type AlertCondition,
  buildServiceAlertBody,
  nextAlertCondition,
  type ServiceAlert,
  watchService,
} from "./service_alerts.ts";

const none: AlertCondition = { alerted: false };
const held: AlertCondition = { since: 1_000, alerted: false };
const alerted: AlertCondition = { since: 1_000, alerted: true };

const cases: [
  claim: string,
  from: AlertCondition,
  holds: boolean,
  now: number,
  sends: boolean,
  to: unknown,
][] = [
  ["what does not hold stays quiet", none, false, 1_000, true, { condition: none }],
  ["what begins to hold waits", none, true, 1_000, true, { condition: held }],
  ["what holds for less than the time waits", held, true, 5_999, true, { condition: held }],
  ["what holds for the time is alerted", held, true, 6_000, true, { condition: alerted, due: "alert" }],
  ["it is alerted once", alerted, true, 99_000, true, { condition: alerted }],
  ["what is over is told", alerted, false, 99_000, true, { condition: none, due: "recovery" }],
  ["what ended in time was never alerted", held, false, 5_000, true, { condition: none }],
  ["a replica that does not send is quiet", held, true, 6_000, false, { condition: held }],
  ["and does not tell that it is over", alerted, false, 6_000, false, { condition: none }],
];
for (const [claim, from, holds, now, sends, to] of cases) {
  Deno.test(`service alerts: ${claim}`, () => {
    deepEqual(nextAlertCondition(from, { now, holds, afterMs: 5_000, sends }), to);
  });
}

interface Look {
  readonly ready?: boolean;
  /** Ages of live withdrawals in milliseconds; undefined: the store fails. */
  readonly ages?: readonly number[] | undefined;
  readonly orphans?: number;
  readonly inDebt?: readonly string[];
  readonly short?: readonly string[];
  readonly isLeader?: boolean;
}

const healthy = { ready: true, dependencies: {}, pools: {} } as unknown as Health;
const down = {
  ready: false,
  dependencies: {
    store: { state: "down", reason: "no response" },
    cache: { state: "up" },
    chain: { state: "down" },
  },
  pools: { "native-10": { ready: false, reason: "starting" }, "native-1": { ready: true } },
} as unknown as Health;

async function alertsOf(looks: readonly Look[], thresholds = { notReadyMs: 10_000, stuckMs: 60_000 }) {
  let [now, at, reads] = [1_000_000, 0, 0];
  const sent: ServiceAlert[][] = [[]];
  const end = new AbortController();
  const look = () => looks[at];
  const clock: Clock = {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      if (++at === looks.length) end.abort();
      else sent.push([]);
      return Promise.resolve();
    },
  };
  await watchService({
    thresholds,
    health: () => Promise.resolve(look().ready === false ? down : healthy),
    store: {
      liveJobs: () => {
        reads++;
        if ("ages" in look() && look().ages === undefined) return Promise.reject(new Error("no response"));
        return Promise.resolve(
          (look().ages ?? []).map((age) => ({ pool: "served", acceptedAt: now - age }) as Job),
        );
      },
    },
    isServed: (pool) => pool === "served",
    orphanedJobs: Object.defineProperty({ count: 0 }, "count", { get: () => look().orphans ?? 0 }),
    poolsInDebt: () => look().inDebt ?? [],
    shortPools: () => look().short ?? [],
    leadership: Object.defineProperty({ isLeader: true }, "isLeader", { get: () => look().isLeader ?? true }),
    clock,
    log: rootLog(),
    sendAlert: (alert: ServiceAlert) => void sent.at(-1)!.push(alert),
  }, end.signal);
  return { sent, reads };
}

Deno.test("a relayer that stays not ready is reported once with its reasons, and again when it is ready", async () => {
  const { sent } = await alertsOf([
    { ready: false },
    { ready: false },
    { ready: false },
    { ready: false },
    {},
  ]);
  const reasons = ["store: no response", "chain: not ready", "native-10: starting"];
  deepEqual(sent, [[], [], [{ event: "relayer_not_ready", seconds: 10, reasons }], [], [{
    event: "relayer_ready",
  }]]);
});

Deno.test("withdrawals that are live too long are stuck, and a store failure changes nothing", async () => {
  const { sent } = await alertsOf([{ ages: [59_999] }, { ages: [60_000, 90_000, 5] }, { ages: undefined }, {
    ages: [],
  }]);
  deepEqual(sent, [[], [{ event: "jobs_stuck", count: 2 }], [], [{ event: "jobs_stuck_resolved" }]]);
});

Deno.test("withdrawals of pools that are not served are reported by their number, and when they end", async () => {
  const { sent } = await alertsOf([{ orphans: 3 }, { orphans: 2 }, {}]);
  deepEqual(sent, [[{ event: "jobs_orphaned", count: 3 }], [], [{ event: "jobs_orphaned_resolved" }]]);
});

Deno.test("only the leader reports withdrawals, and a new leader reports them again", async () => {
  const bad = { ages: [90_000], orphans: 1 };
  const { sent, reads } = await alertsOf([bad, { ...bad, isLeader: false }, bad]);
  const both = [{ event: "jobs_stuck", count: 1 }, { event: "jobs_orphaned", count: 1 }];
  deepEqual([sent, reads], [[both, [], both], 2]);
});

Deno.test("the leader reports pools that owe storage, and when none does any more", async () => {
  const debt = { inDebt: ["jet-5", "usdt-100"] };
  const { sent } = await alertsOf([debt, { inDebt: ["jet-5"] }, {}, { ...debt, isLeader: false }, debt]);
  const alert = { event: "pool_debt", pools: debt.inDebt };
  deepEqual(sent, [[alert], [], [{ event: "pool_debt_resolved" }], [], [alert]]);
});

for (
  const [event, name] of [
    ["pool_debt", "inDebt"],
    ["pool_storage_low", "short"],
  ] as const
) {
  Deno.test(`service alerts: ${event} is sent again whenever a pool is added, and not when one ends`, async () => {
    const lists = [["a"], ["a", "b"], ["b", "a"], ["b"], ["c"], ["c", "b"], []];
    const { sent } = await alertsOf(lists.map((pools) => ({ [name]: pools })));
    const alert = (...pools: string[]) => [{ event, pools }];
    deepEqual(sent, [
      alert("a"),
      alert("a", "b"),
      [],
      [],
      alert("c"),
      alert("c", "b"),
      [{ event: `${event}_resolved` }],
    ]);
  });
}

Deno.test("the leader reports pools that need more coins than it may add", async () => {
  const { sent } = await alertsOf([{ short: ["jet-5"] }, { short: ["jet-5"] }, {}]);
  deepEqual(sent, [[{ event: "pool_storage_low", pools: ["jet-5"] }], [], [{
    event: "pool_storage_low_resolved",
  }]]);
});

Deno.test("with thresholds of 0 nothing is reported and the store is not read", async () => {
  const looks = Array<Look>(5).fill({ ready: false, ages: [90_000] });
  const { sent, reads } = await alertsOf(looks, { notReadyMs: 0, stuckMs: 0 });
  deepEqual([sent.flat(), reads], [[], 0]);
});

const texts: [alert: ServiceAlert, text: RegExp][] = [
  [{ event: "relayer_not_ready", seconds: 12, reasons: ["a", "b"] }, /: not ready for 12 s \(a; b\)$/],
  [{ event: "relayer_ready" }, /: ready again$/],
  [{ event: "jobs_stuck", count: 2 }, /: 2 withdrawals are stuck/],
  [{ event: "jobs_stuck_resolved" }, /: no withdrawal is stuck$/],
  [
    { event: "pool_debt", pools: ["jet-5", "a"] },
    /: jet-5, a cannot pay for storage; run `tonado pool rescue`/,
  ],
  [
    { event: "pool_storage_low", pools: ["a"] },
    /: a can pay for storage for less than five years, and this relayer may not add/,
  ],
  [{ event: "pool_storage_low_resolved" }, /: no pool needs more for its storage/],
  [{ event: "pool_debt_resolved" }, /: every pool can pay for its storage$/],
  [{ event: "jobs_orphaned", count: 2 }, /: 2 withdrawals wait for a pool that is not served/],
  [{ event: "jobs_orphaned_resolved" }, /: no withdrawal waits for a pool that is not served$/],
];
for (const [alert, text] of texts) {
  Deno.test(`service alerts: ${alert.event} names the relayer and its network`, () => {
    const { text: shown, ...members } = buildServiceAlertBody(alert, { network: "testnet", address: "kQ" });
    deepEqual(members, { ...alert, network: "testnet", relayer: "kQ" });
    deepEqual([text.test(String(shown)), String(shown).startsWith("tonado relayer kQ of testnet: ")], [
      true,
      true,
    ]);
  });
}
