import { equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Chain } from "../../ton/chain.ts";
import { assertGas } from "./payer_funds.ts";

const payer = { address: new Address(0, Buffer.alloc(32, 1)) };
const chainWith = (balance: bigint) => ({ account: () => Promise.resolve({ balance }) }) as unknown as Chain;

Deno.test("a wallet without the coins that a transfer of jettons carries is not asked", async () => {
  const value = 300_000_000n;
  for (const balance of [0n, value, value + 19_999_999n]) {
    await rejects(assertGas(chainWith(balance), payer, value), {
      code: "insufficient_funds",
      message: /must carry 0\.32 GRAM for fees, most of which returns/,
    });
  }
  equal(await assertGas(chainWith(value + 20_000_000n), payer, value), undefined);
});
