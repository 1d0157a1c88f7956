/** Offers and reviews for the tests of a withdrawal. */
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import type { ReviewedOffer } from "../../../src/app/flows/withdraw/withdrawal_facts.ts";

export const failed = (code: ProblemCode, work = "") =>
  ({ type: "failed", problem: new Problem(code), work }) as const;

export const offerOf = (url: string, fee: bigint) => ({
  url,
  fee,
  refund: 0n,
  feeText: `0.${fee} GRAM`,
  feeShare: Number(fee) / 10,
  youGet: `0.${10n - fee} GRAM`,
  warnings: [],
  isFeeHigh: false,
});
export const offers = [offerOf("https://a", 1n), offerOf("https://b", 1n), offerOf("https://c", 2n)];
export const review = (warnings: ReviewedOffer["warnings"]) => ({
  recipient: "UQ",
  offers: offers.map((offer) => ({ ...offer, warnings })),
  refused: [],
});
export const receipt = { recipient: "UQ", fee: "0.1", paid: "0.9", tx: "t", isOurs: true };
