/** The states and events of a withdrawal, and what its flow needs from the services. */
import type { HttpProblemCode } from "../../../core/errors/http_problems.ts";
import type { Problem } from "../../../core/errors/problem.ts";
import type {
  ReviewedOffer,
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
    /** Whether the user accepted the warnings; true if there are none. */
    readonly accepted: boolean;
    /** Whether the chosen relayer's fee is accepted, or not a high one. */
    readonly isFeeAccepted: boolean;
  }
  | {
    readonly step: "running";
    readonly id: string;
    readonly recipient: string;
    /** Empty for a withdrawal that an earlier visit submitted. */
    readonly offers: readonly ReviewedOffer[];
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
    /** Why the relayer refused a proof that it got. A new one for the same recipient can be made at once. */
    readonly refusal?: HttpProblemCode | undefined;
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
    offers: readonly ReviewedOffer[],
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
