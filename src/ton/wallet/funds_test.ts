import { equal, rejects } from "node:assert/strict";
import { assertFunds } from "./funds.ts";
import type { Wallet } from "./wallet.ts";

const walletWith = (nano: bigint) =>
  ({ balance: () => Promise.resolve(nano), format: () => "EQwallet" }) as unknown as Wallet;

Deno.test("a wallet that holds exactly what is needed suffices, and one nano less does not", async () => {
  equal(await assertFunds(walletWith(10n), 10n, "deployment"), undefined);
  await rejects(assertFunds(walletWith(1_499_999_999n), 1_500_000_000n, "deployment"), {
    code: "insufficient_funds",
    message: /^EQwallet holds 1\.499999999 \S+, the deployment needs 1\.5 /,
  });
});
