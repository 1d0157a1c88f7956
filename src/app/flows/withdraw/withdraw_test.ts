import { deepEqual, equal, ok } from "node:assert/strict";
import { RelayerProblem } from "../../../client/relayer/relayer_problem.ts";
import type { HttpProblemCode } from "../../../core/errors/http_problems.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { startFlow } from "../machine.ts";
import { nextWithdraw, resumeWithdraw, withdrawMachine } from "./withdraw.ts";
import { failed, offers, receipt, review } from "../../../../tests/support/relayer/offers.ts";
import type { WithdrawEvent, WithdrawServices, WithdrawState } from "./withdraw_state.ts";

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

Deno.test("a proof that every relayer refused is followed by a new one for the same recipient, at once", () => {
  const refused = (...codes: (HttpProblemCode | undefined)[]) => {
    const errors = codes.map((code, i) => ({ pointer: `https://${i}`, detail: "", ...code && { code } }));
    const problem = new Problem("relayer_unavailable", undefined, { errors });
    return nextWithdraw(resumeWithdraw("aa", "UQ"), { type: "failed", problem, work: "" });
  };
  const direct = nextWithdraw(resumeWithdraw("aa", "UQ"), {
    type: "failed",
    problem: new RelayerProblem("fee_below_floor", "https://a", {}),
    work: "",
  });
  for (const state of [refused("overloaded", "fee_below_floor"), direct]) {
    ok(state.step === "failed" && state.mayArrive && state.refusal === "fee_below_floor");
    const checking = nextWithdraw(state, { type: "retry" });
    ok(checking.step === "checking" && checking.isSubmitted && !checking.isFailover);
    equal(checking.recipient, "UQ");
  }
  const unclear = [refused(), refused("fee_below_floor", undefined), refused("withdrawal_not_found")];
  for (const state of unclear) {
    ok(state.step === "failed" && state.refusal === undefined);
    deepEqual(nextWithdraw(state, { type: "retry" }), resumeWithdraw("aa", "UQ"));
  }
});

Deno.test("an address that the pool refuses is marked in the form, unless a proof may still pay it", () => {
  const running = resumeWithdraw("aa", "UQ");
  const unsent = nextWithdraw({ ...running, isSubmitted: false }, failed("invalid_address"));
  ok(unsent.step === "form" && unsent.recipient === "UQ" && unsent.problem?.code === "invalid_address");
  equal(nextWithdraw(running, failed("invalid_address")).step, "failed");
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
