/** The withdrawal of one note: recipient, relayers, warnings about links to the deposit, proof, receipt. */
import type { Problem } from "../../core/errors/problem.ts";
import type { Machine, Work } from "./machine.ts";
import type {
  RelayerOffer,
  WithdrawalProgress,
  WithdrawalReceipt,
  WithdrawalReview,
} from "./withdrawal_facts.ts";

export type WithdrawState =
  | { readonly step: "form"; readonly id: string; readonly recipient: string; readonly problem?: Problem }
  | {
    readonly step: "checking";
    readonly id: string;
    readonly recipient: string;
    /** Whether a proof was submitted before and may still be paid. The recipient then stays the same. */
    readonly isSubmitted: boolean;
    /** Whether only relayers that have no proof of the note are asked. */
    readonly isFailover: boolean;
  }
  | {
    readonly step: "review";
    readonly id: string;
    readonly isSubmitted: boolean;
    readonly review: WithdrawalReview;
    readonly chosen: string;
    /** Whether the warnings are accepted, or there are none. */
    readonly accepted: boolean;
    /** Whether the chosen relayer's fee is accepted, or not a high one. */
    readonly isFeeAccepted: boolean;
  }
  | {
    readonly step: "running";
    readonly id: string;
    readonly recipient: string;
    /** Empty for a withdrawal that an earlier visit submitted. */
    readonly offers: readonly RelayerOffer[];
    readonly progress: WithdrawalProgress;
    /** Whether a proof may have left the page. An abort then no longer stops the payment. */
    readonly isSubmitted: boolean;
    /** Whether the relayer reports that it has the proof. */
    readonly isAccepted: boolean;
    /** Whether the relayer had enough time, so that another one may send the withdrawal. */
    readonly mayFailover: boolean;
  }
  | { readonly step: "done"; readonly id: string; readonly receipt: WithdrawalReceipt }
  | {
    readonly step: "failed";
    readonly id: string;
    readonly recipient: string;
    readonly problem: Problem;
    readonly mayArrive: boolean;
    readonly mayFailover: boolean;
  }
  | { readonly step: "left" };

export type CheckingState = Extract<WithdrawState, { step: "checking" }>;

export type WithdrawEvent =
  | { readonly type: "submit"; readonly recipient: string }
  | { readonly type: "reviewed"; readonly review: WithdrawalReview }
  | { readonly type: "relayer_chosen"; readonly url: string }
  | { readonly type: "warnings_accepted"; readonly accepted: boolean }
  | { readonly type: "fee_accepted"; readonly accepted: boolean }
  | { readonly type: "confirm" }
  | { readonly type: "progress"; readonly progress: WithdrawalProgress }
  | { readonly type: "submitted" }
  | { readonly type: "accepted" }
  | { readonly type: "paid"; readonly receipt: WithdrawalReceipt }
  /** A new proof is needed. `isSubmitted`: an earlier one may still be paid. */
  | { readonly type: "prove_again"; readonly isSubmitted: boolean }
  /** An earlier proof, possibly of another tab, may still pay this recipient, so that it is followed instead. */
  | { readonly type: "underway"; readonly recipient: string }
  | { readonly type: "failover_due" }
  | { readonly type: "failover" }
  | { readonly type: "failed"; readonly problem: Problem; readonly work: string }
  | { readonly type: "back" }
  | { readonly type: "retry" }
  | { readonly type: "leave" };

export interface WithdrawServices {
  /** Throws `invalid_address` or `unpayable_recipient`; `relayer_unavailable` if no relayer can be used. */
  review(
    checking: CheckingState,
    signal: AbortSignal,
  ): Promise<Extract<WithdrawEvent, { type: "reviewed" | "underway" }>>;
  /** Tries the offers in order. Throws `fee_above_limit` if one costs more than the first, accepted one. */
  withdraw(
    id: string,
    recipient: string,
    offers: readonly RelayerOffer[],
    signal: AbortSignal,
    send: (event: Extract<WithdrawEvent, { type: "progress" | "submitted" | "accepted" }>) => void,
  ): Promise<Extract<WithdrawEvent, { type: "paid" | "underway" }>>;
  /** Follows the journaled withdrawal until it is paid, or a new proof is needed. */
  resume(
    id: string,
    signal: AbortSignal,
    send: (event: Extract<WithdrawEvent, { type: "progress" | "accepted" }>) => void,
  ): Promise<Extract<WithdrawEvent, { type: "paid" | "prove_again" }>>;
  /** Returns when another relayer may send the journaled withdrawal. */
  waitForFailover(id: string, signal: AbortSignal): Promise<void>;
}

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
      return startCheck(state.id, event.recipient.trim());
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
  const { id, recipient, mayArrive, mayFailover } = state;
  switch (event.type) {
    case "retry":
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
  const { id, recipient, mayFailover, isSubmitted: mayArrive } = state;
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
      return { step: "failed", id, recipient, problem: event.problem, mayArrive, mayFailover };
    case "back": // nothing was sent yet, so nothing can be paid
      return mayArrive ? state : { step: "form", id, recipient };
    default:
      return state;
  }
}
