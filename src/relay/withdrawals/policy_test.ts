import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Job } from "../../store/store.ts";
import { getMaxRefund, getMinFee, getResendDelay, getRetryTime, lacksMinFee } from "./policy.ts";

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

Deno.test("a native pool has the relayer's minimum fee and pays no refund, unless the registry says otherwise", () => {
  deepEqual([getMinFee(pool, 5n), getMaxRefund(pool)], [5n, 0n]);
  const named = { ...pool, feeMin: 7n, maxRefund: 9n };
  deepEqual([getMinFee(named, 5n), getMaxRefund(named)], [7n, 9n]);
});

Deno.test("a jetton pool's fee is in basis points and it pays no refund, unless the registry says otherwise", () => {
  const jetton = { ...pool, asset: "usdt" };
  deepEqual([getMinFee(jetton, 5n), getMaxRefund(jetton)], [0n, 0n]);
  deepEqual([getMinFee({ ...jetton, feeMin: 7n }, 5n), getMaxRefund({ ...jetton, maxRefund: 9n })], [7n, 9n]);
});

Deno.test("outside localnet a jetton pool needs a minimum fee, which may be 0", () => {
  const jetton = { ...pool, asset: "usdt", maxRefund: 100_000_000n };
  for (const network of ["testnet", "mainnet"] as const) {
    deepEqual([pool, jetton, { ...jetton, feeMin: 0n }].map((one) => lacksMinFee(one, network)), [
      false,
      true,
      false,
    ]);
  }
  equal(lacksMinFee(jetton, "localnet"), false);
});

Deno.test("delays double with each failure, up to an hour", () => {
  const failed = (failures: number) => getRetryTime({ failures, endedAt: 1_000_000 } as Job) - 1_000_000;
  deepEqual([1, 2, 3, 50].map(failed), [30_000, 60_000, 120_000, 3_600_000]);
  equal(getRetryTime({ failures: 0 } as Job), 0);
  deepEqual([1, 2, 50].map(getResendDelay), [2_000, 4_000, 3_600_000]);
});
