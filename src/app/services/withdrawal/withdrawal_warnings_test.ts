import { deepEqual } from "node:assert/strict";
import { Address } from "@ton/core";
import { findWarnings } from "./withdrawal_warnings.ts";

Deno.test("the warning about few later deposits has their number", () => {
  const warnings = findWarnings({
    deposit: { leafIndex: 0, timestamp: 0 },
    later: 3,
    recipient: new Address(0, Buffer.alloc(32, 1)),
    recipientReused: false,
    account: { balance: 0n, state: "uninitialized" },
    assetKind: "native",
    refund: 0n,
    pathFromRelayer: false,
    selfRelayed: false,
    now: 86_400_000,
  });
  deepEqual(warnings, [{ code: "few_deposits", count: 3 }]);
});
