/** The settlement by a depositor: each step, what other settlers do meanwhile, and each problem code. */
import { deepEqual, equal } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { Problem, type ProblemCode, problems } from "../../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";
import { EXPIRY_GRACE_SECONDS } from "../deposit/deposit.ts";
import { type Flow, startFlow } from "../machine.ts";
import { nextSettle, settleMachine, type SettleServices, startSettle } from "./settle.ts";
import type { Offer, SettleEvent, SettleState, SettleWallet, SettlingState } from "./settle_state.ts";

const offer: Offer = { leafIndex: 20, first: 5, count: 11, rounds: 2, value: 9n, cost: 2n, reward: 3n };
const payer = { name: "Keeper", disconnect: () => Promise.resolve() } as Payer;
const source = { id: "keeper" } as PayerSource;
const message: PayMessage = {
  to: new Address(0, new Uint8Array(32) as never),
  amount: 9n,
  body: beginCell().endCell(),
};
const validUntil = 1_000;
const ready: SettleWallet = { at: "ready", payer };
const proving: SettleWallet = { at: "proving", payer, progress: { stage: "keys" } };
const asking: SettleWallet = { at: "asking", payer, message, validUntil };
const waiting: SettleWallet = { at: "waiting", payer, validUntil };
const connecting: SettleWallet = { at: "connecting", source };
const wallets: readonly SettleWallet[] = [{ at: "none" }, connecting, ready, proving, asking, waiting];

const settling = (wallet: SettleWallet = { at: "none" }): SettlingState => ({
  ...startSettle("aa"),
  offer,
  wallet,
});
const after = (state: SettleState, ...events: readonly SettleEvent[]) => events.reduce(nextSettle, state);
const walletOf = (state: SettleState) => state.step === "settling" ? state.wallet : undefined;
const noticeOf = (state: SettleState) => state.step === "settling" ? state.notice : undefined;
const failed = (code: ProblemCode, work: string): SettleEvent => ({
  type: "failed",
  problem: new Problem(code),
  work,
});

Deno.test("a settlement goes from the offer over the wallet to the pool's log", () => {
  let state: SettleState = after(startSettle("aa"), { type: "seen", transactions: 7 });
  deepEqual([state.step, state.step === "settling" && state.seen], ["settling", 7]);
  state = after(state, { type: "offered", offer }, { type: "source_chosen", source });
  deepEqual(walletOf(state), connecting);
  state = after(state, { type: "link", link: "tc://x" });
  deepEqual(walletOf(state), { ...connecting, link: "tc://x" });
  state = after(state, { type: "connected", payer });
  deepEqual(walletOf(state), ready);
  state = after(state, { type: "settle" });
  deepEqual(walletOf(state), proving);
  state = after(state, { type: "progress", progress: { stage: "proof", fraction: 0.5 } });
  deepEqual(walletOf(state), { ...proving, progress: { stage: "proof", fraction: 0.5 } });
  state = after(state, { type: "proved", message, validUntil });
  deepEqual(walletOf(state), asking);
  state = after(state, { type: "answered" });
  deepEqual(walletOf(state), waiting, "the wallet's answer proves nothing");
  state = after(state, { type: "settled", end: 21, isOwn: true });
  deepEqual(state, { step: "done", by: "user", mayStillSend: false });
  equal(after(state, { type: "settle" }), state);
});

Deno.test("a deposit that is settled already needs nothing", () => {
  deepEqual(after(startSettle("aa"), { type: "found_settled" }), {
    step: "done",
    by: "other",
    mayStillSend: false,
  });
});

Deno.test("nothing is proved before the offer is known", () => {
  const state = { ...startSettle("aa"), wallet: ready };
  equal(after(state, { type: "settle" }), state);
});

Deno.test("the note's deposit may need a further settlement, which the connected wallet continues with", () => {
  const state = after(settling(waiting), { type: "settled", end: 16, isOwn: true });
  deepEqual(state, { ...startSettle("aa"), wallet: ready, attempt: 1, notice: "next", offer: undefined });
  const next = after(state, { type: "offered", offer: { ...offer, first: 16, rounds: 1 } });
  deepEqual([noticeOf(next), walletOf(next)], ["next", ready]);
  equal(noticeOf(after(next, { type: "settle" })), undefined);
});

Deno.test("another settlement of the note's deposit ends the flow, and names a request that is still open", () => {
  for (const wallet of wallets) {
    deepEqual(after(settling(wallet), { type: "settled", end: 21, isOwn: false }), {
      step: "done",
      by: "other",
      mayStillSend: wallet.at === "asking" || wallet.at === "waiting",
    }, wallet.at);
  }
});

Deno.test("another settlement of earlier deposits makes the proof worthless: the offer is made anew", () => {
  for (const wallet of wallets) {
    const state = after(settling(wallet), { type: "settled", end: 9, isOwn: false });
    deepEqual([state.step === "settling" && state.offer, noticeOf(state)], [undefined, "overtaken"]);
    deepEqual(walletOf(state), "payer" in wallet ? ready : wallet, wallet.at);
  }
  const built = after(settling(proving), { type: "overtaken" });
  deepEqual([noticeOf(built), walletOf(built)], ["overtaken", ready]);
});

Deno.test("a settlement that the offer counts already changes nothing", () => {
  const state = settling(asking);
  equal(after(state, { type: "settled", end: offer.first, isOwn: false }), state);
  const reading = startSettle("aa");
  equal(after(reading, { type: "settled", end: 21, isOwn: false }), reading);
});

Deno.test("a refusal counts only while the wallet has a request", () => {
  for (const isOvertaken of [true, false]) {
    for (const wallet of wallets) {
      const state = settling(wallet);
      const next = after(state, { type: "refused", isOvertaken });
      if (wallet.at !== "asking" && wallet.at !== "waiting") equal(next, state, wallet.at);
      else if (isOvertaken) deepEqual([noticeOf(next), walletOf(next)], ["overtaken", ready]);
      else deepEqual(walletOf(next), { ...ready, problem: new Problem("contract_refused") });
    }
  }
});

Deno.test("a request ends when chain time has passed its expiry", () => {
  const late = validUntil + EXPIRY_GRACE_SECONDS;
  for (const wallet of [asking, waiting]) {
    const open = after(settling(wallet), { type: "chain_time", now: late });
    deepEqual(walletOf(open), wallet);
    const over = after(settling(wallet), { type: "chain_time", now: late + 1 });
    deepEqual([walletOf(over), noticeOf(over)], [ready, "expired"]);
  }
  deepEqual(walletOf(after(settling(proving), { type: "chain_time", now: late + 1 })), proving);
});

Deno.test("the screen says that the endpoint does not answer, until it does", () => {
  const offline = after(settling(), { type: "unreachable" });
  equal(offline.step === "settling" && offline.offline, true);
  const online = after(offline, { type: "chain_time", now: 1 });
  equal(online.step === "settling" && online.offline, false);
});

Deno.test("a wallet is left before it is asked, and a proof is stopped", () => {
  const expected: Readonly<Record<SettleWallet["at"], SettleWallet>> = {
    none: { at: "none" },
    connecting: { at: "none" },
    ready: { at: "none" },
    proving: ready,
    asking,
    waiting,
  };
  for (const wallet of wallets) {
    deepEqual(walletOf(after(settling(wallet), { type: "wallet_left" })), expected[wallet.at]);
  }
});

Deno.test("late answers of work that has ended change nothing", () => {
  const events: readonly SettleEvent[] = [
    { type: "link", link: "x" },
    { type: "connected", payer },
    { type: "progress", progress: { stage: "pause" } },
    { type: "proved", message, validUntil },
    { type: "answered" },
    { type: "source_chosen", source },
  ];
  for (const event of events) {
    const state = settling(event.type === "source_chosen" ? waiting : { at: "none" });
    equal(after(state, event), state, event.type);
  }
});

Deno.test("work that fails leaves a step to continue from, whatever the code", () => {
  const expectedOf = (wallet: SettleWallet, code: ProblemCode) => {
    const problem = new Problem(code);
    if (wallet.at === "connecting") return [{ at: "none", problem }, undefined];
    if (wallet.at === "proving") return [{ ...ready, problem }, undefined];
    if (code === "wallet_declined") return [ready, "declined"];
    if (code === "insufficient_funds" || code === "wrong_network") return [{ ...ready, problem }, undefined];
    return [waiting, "unanswered"];
  };
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const works: readonly [SettleWallet, string][] = [[connecting, "connect"], [proving, "build"], [
      asking,
      "ask",
    ]];
    for (const [wallet, work] of works) {
      const next = after(settling(wallet), failed(code, work));
      deepEqual([walletOf(next), noticeOf(next)], expectedOf(wallet, code), `${work} ${code}`);
    }
    for (const work of ["read", "watch"]) {
      const stopped = after(settling(asking), failed(code, work));
      deepEqual(stopped, { step: "failed", id: "aa", problem: new Problem(code) });
      equal(after(stopped, { type: "settle" }), stopped);
      deepEqual(after(stopped, { type: "retry" }), startSettle("aa"));
    }
  }
});

/** The services of a flow that a test answers, and what they were asked. */
function openFlow(built?: Awaited<ReturnType<SettleServices["build"]>>) {
  const log: string[] = [];
  const connected: Payer = {
    ...payer,
    pay: () => Promise.resolve(void log.push("pay")),
    disconnect: () => Promise.resolve(void log.push("disconnect")),
  };
  let report: Parameters<SettleServices["watch"]>[1] = () => {};
  const services: SettleServices = {
    read() {
      log.push("read");
      return Promise.resolve(offer);
    },
    connect: () => Promise.resolve(connected),
    build() {
      log.push("build");
      return Promise.resolve(built);
    },
    watch(signal, send) {
      log.push("watch");
      report = send;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  const flow = startFlow(settleMachine(services), startSettle("aa"));
  return { log, flow, report: (...event: Parameters<typeof report>) => report(...event) };
}

async function settleWith(flow: Flow<SettleState, SettleEvent>): Promise<void> {
  for (const event of [{ type: "source_chosen", source }, { type: "settle" }] as const) {
    await pass();
    flow.send(event);
  }
  await pass();
}

const pass = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

Deno.test("the machine reads, watches, proves and asks, and disconnects the wallet when it is done", async () => {
  const { log, flow, report } = openFlow({ message, validUntil });
  await settleWith(flow);
  deepEqual(log, ["read", "watch", "build", "pay"]);
  report({ type: "settled", end: 21, isOwn: true });
  await pass();
  deepEqual([flow.state.step, log.at(-1)], ["done", "disconnect"]);
});

Deno.test("the machine reads again when another settlement came first, with the same wallet", async () => {
  const { log, flow } = openFlow(undefined);
  await settleWith(flow);
  deepEqual(log, ["read", "watch", "build", "read", "watch"]);
  deepEqual([noticeOf(flow.state), walletOf(flow.state)?.at], ["overtaken", "ready"]);
  flow.send({ type: "settle" });
  await pass();
  deepEqual(log.slice(5), ["build", "read", "watch"], "it can be tried again at once");
  flow.stop();
  await pass();
  equal(log.at(-1), "disconnect");
});

Deno.test("a reload begins with the pool's log, and needs nothing of the visit before", async () => {
  const first = openFlow({ message, validUntil });
  await settleWith(first.flow);
  first.flow.stop();
  await pass();
  equal(first.log.at(-1), "disconnect");
  const second = openFlow({ message, validUntil });
  await settleWith(second.flow);
  deepEqual(second.log, ["read", "watch", "build", "pay"]);
  second.flow.stop();
});
