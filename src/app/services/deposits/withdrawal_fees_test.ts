import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { AppContext } from "../context.ts";
import { findWithdrawalFees, WithdrawalFees } from "./withdrawal_fees.ts";

const native = { address: new Address(0, Buffer.alloc(32, 1)), asset: "native", amount: "10", decimals: 9 };
const jetton = { address: new Address(0, Buffer.alloc(32, 2)), asset: "jet", amount: "5", decimals: 6 };
const denominations = { native: 10_000_000_000n, jet: 5_000_000n };

/** Serves pools like a relayer, with these fees in basis points. */
function serve(feeBps: number, pools: readonly (typeof native)[], retired = false) {
  const paths: string[] = [];
  const status = {
    network: "localnet",
    feeBps,
    feeMinNanoNative: "0",
    relayerAddress: native.address.toString(),
  };
  const entries = pools.map(({ address, asset, amount, decimals }) => [`${asset}-${amount}`, {
    address: address.toString(),
    asset,
    amount,
    decimals,
    denomination: String(denominations[asset as keyof typeof denominations]),
    deployedSeqno: 1,
    ...retired && { retired },
  }]);
  const server = Deno.serve({ port: 0, onListen: () => {} }, ({ url }) => {
    paths.push(new URL(url).pathname);
    const isStatus = url.endsWith("/status");
    return Response.json(isStatus ? status : { network: "localnet", pools: Object.fromEntries(entries) });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    paths,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const contextOf = (relayers: readonly string[]) => ({
  connections: () => ({ relayers }),
  registry: {
    network: "localnet",
    pools: new Map(
      [native, jetton].map((pool) => [`${pool.asset}-${pool.amount}`, pool as unknown as Deployment]),
    ),
  },
} as unknown as AppContext);

Deno.test("the lowest fee of each pool is found, although a relayer is gone, and no request names a pool", async () => {
  await using cheap = serve(50, [native]);
  await using dear = serve(100, [native, jetton]);
  await using retired = serve(1, [native, jetton], true);
  const gone = "http://127.0.0.1:9";
  const urls = [dear.url, gone, retired.url, cheap.url];
  const fees = await findWithdrawalFees(contextOf(urls), new AbortController().signal);
  deepEqual(Object.fromEntries(fees), { "native-10": "0.05", "jet-5": "0.05" });
  deepEqual([...new Set([...cheap.paths, ...dear.paths])].sort(), ["/pools", "/status"]);
});

Deno.test("without a relayer that answers, no fee is known", async () => {
  equal((await findWithdrawalFees(contextOf(["http://127.0.0.1:9"]), new AbortController().signal)).size, 0);
});

Deno.test("checks of the notes ask relayers for fees every ten minutes, and the deposit screen never does", async () => {
  await using relayer = serve(50, [native]);
  let now = 0;
  const context = { ...contextOf([relayer.url]), clock: { now: () => now } } as unknown as AppContext;
  const fees = new WithdrawalFees();
  const first = fees.read();
  equal(relayer.paths.length, 0);
  const counts = [];
  for (const minute of [0, 1, 9, 10, 11]) {
    now = minute * 60_000;
    await fees.refresh(context, new AbortController().signal);
    counts.push(relayer.paths.length / 2);
  }
  deepEqual(counts, [1, 1, 1, 2, 2]);
  equal((await first).get("native-10"), "0.05");
  equal((await fees.read()).get("native-10"), "0.05");
});

Deno.test("relayers that did not answer are asked at the next check", async () => {
  await using relayer = serve(50, [native]);
  const urls = ["http://127.0.0.1:9"];
  const context = { ...contextOf(urls), clock: { now: () => 0 } } as unknown as AppContext;
  const fees = new WithdrawalFees();
  await fees.refresh(context, new AbortController().signal);
  equal((await fees.read()).size, 0);
  urls[0] = relayer.url;
  await fees.refresh(context, new AbortController().signal);
  equal((await fees.read()).size, 1);
});
