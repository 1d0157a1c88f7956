import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Deployment } from "../core/deployments.ts";
import type { Job } from "../store/store.ts";
import { feeMinOf, refundLimitOf, resendDelay, retryAt } from "./terms.ts";

const pool: Deployment = {
  address: Address.parse(`0:${"00".repeat(32)}`),
  asset: "native",
  amount: "1",
  denomination: 1_000_000_000n,
  deployedSeqno: 1,
  codeHash: "",
  vkeyHash: "",
  owner: null,
};

Deno.test("terms: a native pool takes the relayer's smallest fee and gives no refund, unless the registry says so", () => {
  deepEqual([feeMinOf(pool, 5n), refundLimitOf(pool)], [5n, 0n]);
  const named = { ...pool, feeMin: 7n, maxRefund: 9n };
  deepEqual([feeMinOf(named, 5n), refundLimitOf(named)], [7n, 9n]);
});

Deno.test("terms: a jetton pool's fee is by basis points, its refund a first gas, unless the registry says so", () => {
  const jetton = { ...pool, asset: "usdt" };
  deepEqual([feeMinOf(jetton, 5n), refundLimitOf(jetton)], [0n, 100_000_000n]);
  deepEqual([feeMinOf({ ...jetton, feeMin: 7n }, 5n), refundLimitOf({ ...jetton, maxRefund: 0n })], [7n, 0n]);
});

Deno.test("terms: delays double with each failure, and end at an hour", () => {
  const failed = (failures: number) => retryAt({ failures, settledAt: 1_000_000 } as Job) - 1_000_000;
  deepEqual([1, 2, 3, 50].map(failed), [30_000, 60_000, 120_000, 3_600_000]);
  equal(retryAt({ failures: 0 } as Job), 0);
  deepEqual([1, 2, 50].map(resendDelay), [2_000, 4_000, 3_600_000]);
});
