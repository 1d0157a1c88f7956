import { deepEqual, equal, ok } from "node:assert/strict";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { startFlow } from "./machine.ts";
import {
  nextWithdraw,
  resumeWithdraw,
  type WithdrawEvent,
  withdrawMachine,
  type WithdrawServices,
  type WithdrawState,
} from "./withdraw.ts";
import type { RelayerOffer } from "./withdrawal_facts.ts";

const failed = (code: ProblemCode, work = "") =>
  ({ type: "failed", problem: new Problem(code), work }) as const;
const steps = (initial: WithdrawState, events: readonly WithdrawEvent[]) => {
  let state = initial;
  return events.map((event) => (state = nextWithdraw(state, event)).step);
};

const offerOf = (url: string, fee: bigint) => ({
  url,
  fee,
  refund: 0n,
  feeText: `0.${fee} TON`,
  youGet: `0.${10n - fee} TON`,
  warnings: [],
  isFeeHigh: false,
});
const offers = [offerOf("https://a", 1n), offerOf("https://b", 1n), offerOf("https://c", 2n)];
const review = (warnings: RelayerOffer["warnings"]) => ({
  recipient: "UQ",
  offers: offers.map((offer) => ({ ...offer, warnings })),
  refused: [],
});
const receipt = { recipient: "UQ", fee: "0.1", paid: "0.9", tx: "t", isOurs: true };

Deno.test("a withdrawal is reviewed before it is proved, and warnings must be accepted", () => {
  const events: WithdrawEvent[] = [
    { type: "confirm" },
    { type: "submit", recipient: " UQ " },
    failed("invalid_address"),
    { type: "submit", recipient: "UQ" },
    { type: "reviewed", review: review([{ code: "soon" }]) },
    { type: "confirm" },
    { type: "warnings_accepted", accepted: true },
    { type: "relayer_chosen", url: "https://evil" },
    { type: "relayer_chosen", url: "https://b" },
    { type: "confirm" },
    { type: "progress", progress: { stage: "proof", fraction: 0.5 } },
    { type: "submitted" },
    { type: "back" },
    { type: "paid", receipt },
  ];
  deepEqual(
    steps({ step: "form", id: "aa", recipient: "" }, events),
    [
      ...[
        "form",
        "checking",
        "form",
        "checking",
        "review",
        "review",
        "review",
        "review",
        "review",
        "running",
      ],
      ...["running", "running", "running", "done"],
    ],
  );
});

Deno.test("only relayers that cost no more may replace the chosen one", () => {
  const order = (url: string) => {
    const state = [
      { type: "reviewed", review: review([]) },
      { type: "relayer_chosen", url },
      { type: "confirm" },
    ].reduce((state, event) => nextWithdraw(state, event as WithdrawEvent), {
      step: "checking",
      id: "aa",
      recipient: "UQ",
    } as WithdrawState);
    return state.step === "running" ? state.offers.map(({ url }) => url) : [];
  };
  deepEqual(order("https://b"), ["https://b", "https://a"]);
  deepEqual(order("https://c"), ["https://c", "https://a", "https://b"]);
});

Deno.test("a relayer that pays a smaller refund does not replace the chosen one", () => {
  const [a, b] = offers;
  const reviewed = { ...review([]), offers: [{ ...a, refund: 5n }, { ...b, refund: 4n }] };
  const state = {
    step: "review",
    id: "aa",
    isSubmitted: false,
    review: reviewed,
    accepted: true,
    isFeeAccepted: true,
  } as const;
  const chosen = (url: string) => {
    const running = nextWithdraw({ ...state, chosen: url }, { type: "confirm" });
    return running.step === "running" && running.offers.map(({ url }) => url);
  };
  deepEqual(chosen(a.url), [a.url]);
  deepEqual(chosen(b.url), [b.url, a.url]);
});

Deno.test("another relayer keeps the acceptance of warnings unless it adds one", () => {
  const [soon, gas] = [{ code: "soon" }, { code: "no_gas" }];
  const accepted = (
    from: readonly { code: string }[],
    to: readonly { code: string }[],
    accepted: boolean,
  ) => {
    const [a, b] = [{ ...offers[0], warnings: from }, { ...offers[1], warnings: to }];
    const reviewed = { ...review([]), offers: [a, b] };
    const checking = { step: "checking", id: "aa", recipient: "UQ", isSubmitted: false } as const;
    const state = [
      { type: "reviewed", review: reviewed },
      ...accepted ? [{ type: "warnings_accepted", accepted }] : [],
      { type: "relayer_chosen", url: b.url },
    ].reduce((state, event) => nextWithdraw(state, event as WithdrawEvent), checking as WithdrawState);
    return state.step === "review" && state.accepted;
  };
  equal(accepted([], [gas], false), false, "a new warning was never shown");
  equal(accepted([soon], [soon, gas], true), false);
  equal(accepted([soon], [soon], true), true);
  equal(accepted([soon], [soon], false), false);
  equal(accepted([gas], [], false), true, "nothing is left to accept");
});

Deno.test("a high fee is accepted by itself, and a higher one again", () => {
  const [low, high, higher] = [1n, 5n, 6n].map((fee) => ({
    ...offerOf(`https://${fee}`, fee),
    warnings: [{ code: "soon" } as const],
    isFeeHigh: fee > 1n,
  }));
  const after = (events: readonly WithdrawEvent[], offers = [high, higher, low]) =>
    [{ type: "reviewed", review: { ...review([]), offers } } as const, ...events].reduce(
      nextWithdraw,
      { step: "checking", id: "aa", recipient: "UQ", isSubmitted: false } as WithdrawState,
    ).step;
  const [warnings, fee] = (["warnings_accepted", "fee_accepted"] as const).map((type) => ({
    type,
    accepted: true,
  }));
  const confirm = { type: "confirm" } as const;
  const choose = ({ url }: RelayerOffer) => ({ type: "relayer_chosen", url }) as const;
  equal(after([warnings, confirm]), "review");
  equal(after([fee, confirm]), "review");
  equal(after([warnings, fee, confirm]), "running");
  equal(after([warnings, fee, { type: "fee_accepted", accepted: false }, confirm]), "review");
  equal(after([warnings, fee, choose(higher), confirm]), "review");
  equal(after([warnings, fee, choose(higher), choose(high), confirm]), "review");
  equal(after([warnings, choose(higher), fee, choose(high), confirm]), "running", "it costs less");
  equal(after([warnings, choose(low), confirm]), "running");
});

Deno.test("a submitted withdrawal is followed after a failure and never started again automatically", () => {
  const running = resumeWithdraw("aa", "UQ");
  const stopped = nextWithdraw(running, failed("relayer_unavailable"));
  ok(stopped.step === "failed" && stopped.mayArrive);
  deepEqual(nextWithdraw(stopped, { type: "retry" }), running);
  const early = nextWithdraw(
    { ...running, isSubmitted: false } as WithdrawState,
    failed("artifact_unavailable"),
  );
  equal(nextWithdraw(early, { type: "retry" }).step, "checking");
  equal(nextWithdraw({ ...running, isSubmitted: false } as WithdrawState, { type: "back" }).step, "form");
});

Deno.test("the page may be closed only after a relayer has accepted the proof, and each relayer anew", () => {
  const mayClose = (events: readonly WithdrawEvent[]) => {
    const running = { ...resumeWithdraw("aa", "UQ"), offers, isSubmitted: false } as WithdrawState;
    const state = events.reduce(nextWithdraw, running);
    return state.step === "running" && state.isAccepted;
  };
  const [submitted, accepted] = [{ type: "submitted" }, { type: "accepted" }] as const;
  equal(mayClose([]), false);
  equal(mayClose([submitted]), false);
  equal(mayClose([submitted, accepted]), true);
  equal(mayClose([submitted, accepted, submitted]), false, "the next relayer does not have it yet");
});

const journaled = (services: Partial<WithdrawServices>): WithdrawServices => ({
  review: () => Promise.resolve({ type: "reviewed", review: review([]) }),
  withdraw: () => new Promise(() => {}),
  resume: () => new Promise(() => {}),
  waitForFailover: () => new Promise(() => {}),
  ...services,
});
const settle = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

Deno.test("another relayer is offered only after the first one had its time, while it is followed and after it failed", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let fail = (_: Problem) => {};
  const resume = () => new Promise<never>((_, reject) => fail = reject);
  const flow = startFlow(
    withdrawMachine(journaled({ resume, waitForFailover: () => promise })),
    resumeWithdraw("aa", "UQ"),
  );
  const mayFailover = () => "mayFailover" in flow.state && flow.state.mayFailover;
  flow.send({ type: "failover" });
  deepEqual([flow.state.step, mayFailover()], ["running", false]);
  fail(new Problem("relayer_unavailable"));
  await settle();
  flow.send({ type: "failover" });
  deepEqual([flow.state.step, mayFailover()], ["failed", false]);
  resolve();
  await settle();
  deepEqual([flow.state.step, mayFailover()], ["failed", true]);
  flow.send({ type: "retry" });
  deepEqual([flow.state.step, mayFailover()], ["running", true]);
  flow.send({ type: "failover" });
  await settle();
  equal(flow.state.step, "review");
});

Deno.test("another relayer pays the same recipient, whatever is pressed", () => {
  const due = nextWithdraw(resumeWithdraw("aa", "UQ"), { type: "failover_due" });
  const checking = nextWithdraw(due, { type: "failover" });
  const reviewed = nextWithdraw(checking, { type: "reviewed", review: review([]) });
  for (const state of [checking, reviewed]) {
    equal(nextWithdraw(state, { type: "back" }).step, "running", "the earlier withdrawal is followed");
  }
  const failing = nextWithdraw(checking, failed("relayer_unavailable"));
  ok(failing.step === "failed" && failing.mayArrive && failing.mayFailover);
  equal(nextWithdraw(failing, { type: "back" }), failing);
  const running = nextWithdraw(reviewed, { type: "confirm" });
  ok(running.step === "running" && running.recipient === "UQ");
  equal(nextWithdraw(running, { type: "back" }), running);
  ok((nextWithdraw(running, failed("artifact_unavailable")) as { mayArrive?: boolean }).mayArrive);
});

Deno.test("a new proof pays the same recipient, whatever is pressed, as long as an earlier one may be paid", () => {
  const proveAgain = (isSubmitted: boolean) =>
    nextWithdraw(resumeWithdraw("aa", "UQ"), { type: "prove_again", isSubmitted });
  const checking = proveAgain(true);
  const reviewed = nextWithdraw(checking, { type: "reviewed", review: review([]) });
  for (const state of [checking, reviewed]) {
    deepEqual(nextWithdraw(state, { type: "back" }), resumeWithdraw("aa", "UQ"));
  }
  const failing = nextWithdraw(checking, failed("relayer_unavailable"));
  equal(nextWithdraw(failing, { type: "back" }), failing);
  deepEqual(nextWithdraw(failing, { type: "retry" }), resumeWithdraw("aa", "UQ"));
  const running = nextWithdraw(reviewed, { type: "confirm" });
  ok(running.step === "running" && running.recipient === "UQ");
  equal(nextWithdraw(running, { type: "back" }), running);
  const expired = nextWithdraw(proveAgain(false), { type: "reviewed", review: review([]) });
  equal(nextWithdraw(expired, { type: "back" }).step, "form", "no earlier proof can be paid");
});

Deno.test("a withdrawal of another tab is followed, with its recipient, instead of a second one", async () => {
  const underway = { type: "underway", recipient: "UQ-first" } as const;
  const steps: [WithdrawState, Partial<WithdrawServices>][] = [
    [{ step: "form", id: "aa", recipient: "" }, { review: () => Promise.resolve(underway) }],
    [
      {
        step: "review",
        id: "aa",
        isSubmitted: false,
        review: review([]),
        chosen: "https://a",
        accepted: true,
        isFeeAccepted: true,
      },
      { withdraw: () => Promise.resolve(underway) },
    ],
  ];
  for (const [state, services] of steps) {
    const flow = startFlow(withdrawMachine(journaled(services)), state);
    flow.send(state.step === "form" ? { type: "submit", recipient: "UQ-second" } : { type: "confirm" });
    await settle();
    deepEqual(flow.state, resumeWithdraw("aa", "UQ-first"));
  }
});

Deno.test("the relayers that have a proof are left out only when another one is asked for", async () => {
  for (const type of ["prove_again", "failover"] as const) {
    const asked: boolean[] = [];
    const services = journaled({
      review({ isFailover }) {
        asked.push(isFailover);
        return Promise.resolve({ type: "reviewed", review: review([]) });
      },
    });
    const flow = startFlow(withdrawMachine(services), { ...resumeWithdraw("aa", "UQ"), mayFailover: true });
    flow.send({ type, isSubmitted: true });
    await settle();
    deepEqual(asked, [type === "failover"]);
    equal(flow.state.step, "review");
  }
});

Deno.test("a failure to measure the relayer's time changes nothing", () => {
  const running = resumeWithdraw("aa", "UQ");
  equal(nextWithdraw(running, failed("note_store_corrupted", "failover")), running);
});

Deno.test("a withdrawal that is done or left only changes when it is left", () => {
  const others: WithdrawEvent[] = [
    { type: "submit", recipient: "UQ" },
    { type: "submitted" },
    { type: "paid", receipt },
    failed("internal"),
  ];
  for (const state of [{ step: "done", receipt }, { step: "left" }] as WithdrawState[]) {
    for (const event of others) equal(nextWithdraw(state, event), state);
    equal(nextWithdraw(state, { type: "leave" }).step, "left");
  }
});
