/** What a withdrawal shows: offers of relayers, the facts to review, its progress and its receipt. */
import type { LinkabilityCode } from "../../../client/withdrawal/warnings/linkability_warnings.ts";

/** Larger parts of an amount are high fees. */
const MAX_FEE_DIVISOR = 10n;

/** Returns whether a fee is more than a tenth of an amount. Both are in the asset's smallest unit. */
export function isHighFee(fee: bigint, denomination: bigint): boolean {
  return fee * MAX_FEE_DIVISOR > denomination;
}

export interface ReviewedOffer {
  readonly url: string;
  readonly fee: bigint; // in the smallest unit of the pool's asset
  /** Nano that the relayer adds for the recipient's first transfer. */
  readonly refund: bigint;
  readonly feeText: string; // the fee as text, with its unit, like `youGet`
  readonly feeShare: number; // the fee as a part of the amount
  readonly youGet: string;
  /** Whether the user must accept the fee separately. */
  readonly isFeeHigh: boolean;
  /** Codes, whose texts are in text/. They depend on the refund. */
  readonly warnings: readonly { readonly code: LinkabilityCode; readonly count?: number }[];
}

/** The facts that the user reviews before a withdrawal. */
export interface WithdrawalReview {
  readonly recipient: string;
  readonly offers: readonly ReviewedOffer[]; // cheapest first
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
}

export interface WithdrawalReceipt {
  readonly recipient: string;
  readonly fee: string;
  readonly paid: string;
  readonly tx: string;
  /** Whether the pool paid the recipient that the user chose. */
  readonly isOurs: boolean;
}

export type WithdrawalStage = "tree" | "keys" | "proof" | "sending" | "confirming";

export interface WithdrawalProgress {
  readonly stage: WithdrawalStage;
  readonly fraction?: number; // from 0 to 1 within the stage; absent if unknown
}
