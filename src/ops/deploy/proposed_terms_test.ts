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
