import { equal, match } from "node:assert/strict";
import { findGasWarning } from "./recipient_check.ts";

Deno.test("a recipient of jettons without coins is warned of, unless it gets a refund", () => {
  const poor = { assetKind: "jetton", balance: 0n, refund: 0n } as const;
  match(findGasWarning(poor)!, /has no coins and no refund is requested/);
  equal(findGasWarning({ ...poor, refund: 1n }), undefined);
  equal(findGasWarning({ ...poor, balance: 1n }), undefined);
  equal(findGasWarning({ ...poor, assetKind: "native" }), undefined);
});
