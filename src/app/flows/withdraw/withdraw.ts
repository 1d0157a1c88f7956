/** The withdrawal of one note: recipient, relayers, warnings about links to the deposit, proof, receipt. */
import { addressInCode } from "./address_code.ts";
import { findRefusal } from "../../../client/relayer/relayer_problem.ts";
import type { Problem } from "../../../core/errors/problem.ts";
import type { Machine, Work } from "../machine.ts";
import type { CheckingState, WithdrawEvent, WithdrawServices, WithdrawState } from "./withdraw_state.ts";

export function resumeWithdraw(
  id: string,
  recipient: string,
): Extract<WithdrawState, { step: "running" }> {
  const progress = { stage: "confirming" } as const;
  return {
    step: "running",
    id,
    recipient,
    offers: [],
    progress,
    isSubmitted: true,
    isAccepted: false,
    mayFailover: false,
  };
}

export function withdrawMachine(services: WithdrawServices): Machine<WithdrawState, WithdrawEvent> {
  return {
    next: nextWithdraw,
    failed: (problem, work) => ({ type: "failed", problem, work }),
    works(state) {
      if (state.step === "checking") {
        return {
          review: async (signal, send) => send(await services.review(state, signal)),
        };
      }
      if (state.step !== "running" && state.step !== "failed") return {};
      const { id, recipient } = state;
      const failover: Work<WithdrawEvent> = async (signal, send) => {
        await services.waitForFailover(id, signal);
        send({ type: "failover_due" });
      };
      if (state.step === "failed") return state.mayArrive ? { failover } : {};
      const { offers } = state;
      if (offers.length > 0) { // a relayer that does not finish is followed by the next offer
        return {
          withdraw: async (signal, send) =>
            send(await services.withdraw(id, recipient, offers, signal, send)),
        };
      }
      return {
        failover,
        resume: async (signal, send) => send(await services.resume(id, signal, send)),
      };
    },
  };
}

export function nextWithdraw(state: WithdrawState, event: WithdrawEvent): WithdrawState {
  if (state.step === "left" || state.step === "done") {
    return event.type === "leave" ? { step: "left" } : state;
  }
  if (event.type === "leave") return { step: "left" };
  if (event.type === "failed" && event.work === "failover") return state;
  if (event.type === "underway") return resumeWithdraw(state.id, event.recipient);
  switch (state.step) {
    case "form":
      if (event.type !== "submit") return state;
      return startCheck(state.id, addressInCode(event.recipient) ?? event.recipient.trim());
    case "checking":
      return nextChecking(state, event);
    case "review":
      return nextReview(state, event);
    case "running":
      return nextRunning(state, event);
    case "failed":
      return nextFailed(state, event);
  }
}

const startCheck = (id: string, recipient: string): CheckingState => ({
  step: "checking",
  id,
  recipient,
  isSubmitted: false,
  isFailover: false,
});
const startFailover = (id: string, recipient: string): CheckingState => ({
  ...startCheck(id, recipient),
  isSubmitted: true,
  isFailover: true,
});

function nextFailed(state: Extract<WithdrawState, { step: "failed" }>, event: WithdrawEvent): WithdrawState {
  const { id, recipient, mayArrive, mayFailover, refusal } = state;
  switch (event.type) {
    case "retry":
      if (refusal !== undefined) return { ...startCheck(id, recipient), isSubmitted: true };
      return mayArrive ? { ...resumeWithdraw(id, recipient), mayFailover } : startCheck(id, recipient);
    case "failover_due":
      return { ...state, mayFailover: true };
    case "failover":
      return mayFailover ? startFailover(id, recipient) : state;
    case "back":
      return mayArrive ? state : { step: "form", id, recipient };
    default:
      return state;
  }
}

/** Returns whether only another recipient helps. */
export function isAboutRecipient({ code }: Problem): boolean {
  return code === "invalid_address" || code === "unpayable_recipient";
}

function failedRunning(
  { id, recipient, mayFailover, isSubmitted }: Extract<WithdrawState, { step: "running" }>,
  problem: Problem,
): WithdrawState {
  if (!isSubmitted && isAboutRecipient(problem)) return { step: "form", id, recipient, problem };
  const refusal = isSubmitted ? findRefusal(problem) : undefined;
  return { step: "failed", id, recipient, problem, mayArrive: isSubmitted, mayFailover, refusal };
}

function nextChecking(
  state: CheckingState,
  event: WithdrawEvent,
): WithdrawState {
  const { id, recipient, isSubmitted, isFailover } = state;
  switch (event.type) {
    case "reviewed": {
      const { review } = event;
      return {
        step: "review",
        id,
        isSubmitted,
        review,
        chosen: review.offers[0].url,
        accepted: review.offers[0].warnings.length === 0,
        isFeeAccepted: !review.offers[0].isFeeHigh,
      };
    }
    case "failed":
      return isSubmitted
        ? { step: "failed", id, recipient, problem: event.problem, mayArrive: true, mayFailover: isFailover }
        : { step: "form", id, recipient, problem: event.problem };
    case "back":
      return isSubmitted ? resumeWithdraw(id, recipient) : { step: "form", id, recipient };
    default:
      return state;
  }
}

function nextReview(state: Extract<WithdrawState, { step: "review" }>, event: WithdrawEvent): WithdrawState {
  const { id, isSubmitted, review, chosen, accepted, isFeeAccepted } = state;
  switch (event.type) {
    case "relayer_chosen": {
      const offer = review.offers.find(({ url }) => url === event.url);
      if (offer === undefined) return state;
      const earlier = review.offers.find(({ url }) => url === chosen)!;
      const known = earlier.warnings.map(({ code }) => code);
      const hasNew = offer.warnings.some(({ code }) => !known.includes(code));
      return {
        ...state,
        chosen: event.url,
        accepted: offer.warnings.length === 0 || (accepted && !hasNew),
        isFeeAccepted: !offer.isFeeHigh || (isFeeAccepted && offer.fee <= earlier.fee),
      };
    }
    case "warnings_accepted":
      return { ...state, accepted: event.accepted };
    case "fee_accepted":
      return { ...state, isFeeAccepted: event.accepted };
    case "back":
      return isSubmitted
        ? resumeWithdraw(id, review.recipient)
        : { step: "form", id, recipient: review.recipient };
    case "confirm": {
      if (!accepted || !isFeeAccepted) return state;
      const price = review.offers.find(({ url }) => url === chosen)!;
      // Only relayers that ask at most the same fee and pay at least the same refund may replace the chosen one.
      const others = review.offers.filter((offer) =>
        offer !== price && offer.fee <= price.fee && offer.refund >= price.refund
      );
      const offers = [price, ...others];
      const progress = { stage: "tree" } as const;
      return {
        step: "running",
        id,
        recipient: review.recipient,
        offers,
        progress,
        isSubmitted,
        isAccepted: false,
        mayFailover: false,
      };
    }
    default:
      return state;
  }
}

function nextRunning(
  state: Extract<WithdrawState, { step: "running" }>,
  event: WithdrawEvent,
): WithdrawState {
  const { id, recipient, mayFailover, isSubmitted } = state;
  switch (event.type) {
    case "progress":
      return { ...state, progress: event.progress };
    case "submitted":
      return { ...state, isSubmitted: true, isAccepted: false, progress: { stage: "sending" } };
    case "accepted":
      return { ...state, isAccepted: true };
    case "paid":
      return { step: "done", id, receipt: event.receipt };
    case "prove_again":
      return { ...startCheck(id, recipient), isSubmitted: event.isSubmitted };
    case "failover_due":
      return { ...state, mayFailover: true };
    case "failover":
      return mayFailover ? startFailover(id, recipient) : state;
    case "failed":
      return failedRunning(state, event.problem);
    case "back": // nothing was sent yet, so nothing can be paid
      return isSubmitted ? state : { step: "form", id, recipient };
    default:
      return state;
  }
}
