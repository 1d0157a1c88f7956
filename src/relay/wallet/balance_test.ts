import { deepEqual, equal, rejects } from "node:assert/strict";
import { rootLog } from "../../telemetry/log.ts";
import { type BalanceAlert, buildBalanceAlertBody, WalletBalance, watchBalance } from "./balance.ts";
import type { Clock } from "../../core/time/clock.ts";

const bounds = { warn: 50n, stop: 10n };

function manualClock(): Clock & { move(ms: number): Promise<void> } {
  let now = 0;
  let wake = () => {};
  return {
    now: () => now,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve());
      }),
    async move(ms) {
      now += ms;
      wake();
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

Deno.test("queries within two seconds share one request", async () => {
  const clock = manualClock();
  let requests = 0;
  const balance = new WalletBalance({ balance: () => Promise.resolve(BigInt(++requests)) }, clock, bounds);
  deepEqual(await Promise.all([1, 2, 3].map(() => balance.current())), [1n, 1n, 1n]);
  await clock.move(2_001);
  equal(await balance.current(), 2n);
});

Deno.test("a failed query is repeated by the next one", async () => {
  let fails = true;
  const wallet = { balance: () => fails ? Promise.reject(new Error("down")) : Promise.resolve(7n) };
  const balance = new WalletBalance(wallet, manualClock(), bounds);
  await rejects(balance.current(), /down/);
  fails = false;
  equal(await balance.current(), 7n);
});

Deno.test("each change of level is reported once, with hysteresis at the thresholds", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const alerts: BalanceAlert["event"][] = [];
  let holds = 100n;
  const wallet = { balance: () => Promise.resolve(holds) };
  const watching = watchBalance(new WalletBalance(wallet, clock, bounds), {
    clock,
    leadership: { isLeader: true },
    log: rootLog(),
    sendAlert: ({ event }) => alerts.push(event),
  }, stop.signal);
  const becomes = async (nano: bigint) => {
    holds = nano;
    await clock.move(30_000);
  };
  for (const nano of [100n, 50n]) await becomes(nano);
  deepEqual(alerts, []);
  for (const nano of [49n, 51n, 49n, 54n]) await becomes(nano);
  deepEqual(alerts, ["balance_low"], "51 and 54 are not above 55");
  for (const nano of [9n, 10n, 9n]) await becomes(nano);
  deepEqual(alerts.slice(1), ["balance_stopped"]);
  await becomes(20n);
  await becomes(56n);
  deepEqual(alerts.slice(2), ["balance_low", "balance_ok"]);
  stop.abort();
  await watching;
});

Deno.test("watching for a long time adds no listeners to the abort signal", async () => {
  const stop = new AbortController();
  let listeners = 0;
  const { signal } = stop;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  const steps = manualClock();
  const clock: Clock = { now: steps.now, sleep: (ms) => steps.sleep(ms) }; // ignores the signal
  const watched = { clock, leadership: { isLeader: true }, log: rootLog(), sendAlert: () => {} };
  const watching = watchBalance(
    new WalletBalance({ balance: () => Promise.resolve(100n) }, clock, bounds),
    watched,
    signal,
  );
  for (let i = 0; i < 20; i++) await steps.move(30_000);
  equal(listeners, 0);
  stop.abort();
  await steps.move(30_000);
  await watching;
});

Deno.test("thresholds of 0 never alert", async () => {
  const balance = new WalletBalance({ balance: () => Promise.resolve(0n) }, manualClock(), {
    warn: 0n,
    stop: 0n,
  });
  equal(balance.levelOf(await balance.current()), "ok");
});

Deno.test("an alert names the event, the relayer and the amount in whole units", () => {
  const alert: BalanceAlert = {
    event: "balance_low",
    balance: 1_500_000_000n,
    thresholds: { warn: 5_000_000_000n, stop: 1_000_000_000n },
  };
  deepEqual(buildBalanceAlertBody(alert, { network: "testnet", address: "0Qabc" }), {
    event: "balance_low",
    network: "testnet",
    relayer: "0Qabc",
    balance: "1.5",
    warn: "5",
    stop: "1",
    text: "tonado relayer 0Qabc of testnet runs low: 1.5 GRAM",
  });
});

Deno.test("only the leader alerts, and a new leader repeats the alert of a low wallet", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const alerts: BalanceAlert["event"][] = [];
  const leadership = { isLeader: false };
  let holds = 49n;
  const balance = new WalletBalance({ balance: () => Promise.resolve(holds) }, clock, bounds);
  const alert = ({ event }: BalanceAlert) => void alerts.push(event);
  const watching = watchBalance(
    balance,
    { clock, leadership, log: rootLog(), sendAlert: alert },
    stop.signal,
  );
  const look = () => clock.move(30_000);
  await look();
  deepEqual([alerts, balance.level], [[], "low"], "a follower knows, and sends no alert");
  leadership.isLeader = true;
  for (let i = 0; i < 3; i++) await look();
  deepEqual(alerts, ["balance_low"]);
  leadership.isLeader = false;
  holds = 100n;
  await look();
  leadership.isLeader = true;
  await look();
  deepEqual(alerts, ["balance_low"], "that it recovered, the other one has told");
  holds = 5n;
  await look();
  deepEqual(alerts, ["balance_low", "balance_stopped"]);
  stop.abort();
  await watching;
});
