import { deepEqual, ok, throws } from "node:assert/strict";
import { jettonWithdrawalCost, PROPOSED_REFUND_NANO, proposeTerms } from "./proposed_terms.ts";

const prices = {
  gasFee: (gas: bigint) => gas * 67n,
  forwardFee: () => 400_000n,
  storageFee: () => 5_000_000n,
};

Deno.test("the proposed fee is worth more than the cost and the refund, at any price of the jetton", () => {
  for (const nativePrice of [1n, 3_000_000n, 10n ** 18n]) {
    const { feeMin, maxRefund } = proposeTerms(prices, { nativePrice, denomination: 10n ** 30n });
    deepEqual(maxRefund, PROPOSED_REFUND_NANO);
    ok(feeMin * 1_000_000_000n >= jettonWithdrawalCost(prices) * nativePrice);
  }
});

Deno.test("a denomination that cannot pay its withdrawal gets no terms", () => {
  throws(() => proposeTerms(prices, { nativePrice: 3_000_000n, denomination: 10n }), {
    code: "deployment_refused",
  });
});

Deno.test("the proposed fee is one and a half times cost and refund, rounded up to the jetton's smallest unit", () => {
  const nano = jettonWithdrawalCost(prices);
  ok(nano > PROPOSED_REFUND_NANO);
  const feeMin = (nativePrice: bigint) =>
    proposeTerms(prices, { nativePrice, denomination: 10n ** 30n }).feeMin;
  deepEqual(feeMin(10n ** 9n), nano * 3n / 2n);
  deepEqual(feeMin(1n), 1n);
  deepEqual(feeMin(10n ** 9n + 1n), nano * 3n / 2n + 1n);
});

Deno.test("the proposed fee leaves something of each note", () => {
  const nativePrice = 10n ** 9n;
  const { feeMin } = proposeTerms(prices, { nativePrice, denomination: 10n ** 30n });
  deepEqual(proposeTerms(prices, { nativePrice, denomination: feeMin + 1n }).feeMin, feeMin);
  throws(() => proposeTerms(prices, { nativePrice, denomination: feeMin }), { code: "deployment_refused" });
});
