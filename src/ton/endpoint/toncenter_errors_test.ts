import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { rpcResult, scriptedChain } from "../../../tests/support/endpoint/scripted_endpoint.ts";
import { Pool } from "../pool/pool.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));
const forms = [
  ["mainnet", stranger.toString()],
  ["testnet", stranger.toString({ testOnly: true })],
  [undefined, stranger.toRawString()],
] as const;

for (const [network, form] of forms) {
  Deno.test(`errors show addresses in the form of ${network ?? "an unknown network"}`, async () => {
    const { chain } = scriptedChain(() => rpcResult({ exit_code: 11, stack: [] }), { network });
    await assert.rejects(chain.runGetMethod(stranger, "x"), {
      message: `x of ${form} ended with exit code 11`,
    });
    const { chain: shapeless } = scriptedChain(() => rpcResult({ exit_code: 0, stack: [] }), { network });
    await assert.rejects(new Pool(shapeless, stranger).getIsSpent(1n), {
      message: `getIsSpent of ${form} returned a malformed result`,
    });
  });
}
