import { equal } from "node:assert/strict";
import { isWithoutGas } from "./recipient_check.ts";

Deno.test("a recipient of jettons without coins lacks gas, unless it gets a refund", () => {
  const poor = { assetKind: "jetton", balance: 0n, refund: 0n } as const;
  equal(isWithoutGas(poor), true);
  equal(isWithoutGas({ ...poor, refund: 1n }), false);
  equal(isWithoutGas({ ...poor, balance: 1n }), false);
  equal(isWithoutGas({ ...poor, assetKind: "native" }), false);
});
