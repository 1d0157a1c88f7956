/** The relayer does not serve a jetton pool without a minimum fee in the registry. It serves the others. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { parseDeployments } from "../../src/core/protocol/deployments.ts";
import { createApp } from "../../src/http/app.ts";
import { startRelayer } from "../../src/relay/relayer.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { memoryStore } from "../../testkit/relayer/memory_store.ts";
import { isProblem, payload, pool, post, unknownPool, wallet } from "./api_harness.ts";
import { requestApp } from "../support/relayer/request_app.ts";

const entry = (address: string, members: Record<string, unknown>) => ({
  address,
  amount: "10",
  deployedSeqno: 7,
  codeHash: "00".repeat(32),
  vkeyHash: "11".repeat(32),
  owner: null,
  ...members,
});
const jetton = {
  asset: "jet",
  denomination: "10000000",
  decimals: 6,
  maxRefund: "100000000",
  jettonMaster: `0:${"01".repeat(32)}`,
  jettonWallet: `0:${"02".repeat(32)}`,
};

async function ask(jettonTerms: Record<string, unknown>) {
  const metrics = createMetrics();
  const relayer = startRelayer({
    config: { network: "testnet", batchMs: 0, fee: { bps: 50, minNano: 50_000_000n }, endpoint: {} },
    chain: connect({ endpoint: "http://127.0.0.1:9/api/v2/jsonRPC", attempts: 1 }),
    wallet,
    store: memoryStore({ now: Date.now, shared: false })(),
    prover: { verify: () => Promise.resolve(true) },
    vkeyHashes: { 1: "11".repeat(32) },
    deployments: parseDeployments({
      network: "testnet",
      pools: {
        "native-10": entry(pool.toRawString(), { asset: "native", denomination: "10000000000" }),
        "jet-10": entry(unknownPool.toRawString(), { ...jetton, ...jettonTerms }),
      },
    }),
    metrics,
    log: rootLog(),
  });
  const app = createApp(relayer, rootLog());
  const answerOf = async (path: string, init?: RequestInit) => {
    const response = await requestApp(app, path, init);
    return { response, status: response.status, body: await response.json() };
  };
  const address = unknownPool.toString();
  const answers = {
    pools: (await answerOf("/pools")).body.pools,
    withdraw: await answerOf("/withdraw", post({ ...payload, pool: address })),
    root: await answerOf(`/tree/root?pool=${address}`),
    registry: (await relayer.health()).dependencies.registry,
    metrics: await metrics.text(),
  };
  await relayer.close();
  return answers;
}

Deno.test("a jetton pool without feeMin is not served outside localnet, with a named error and a metric; others are", async () => {
  const { pools, withdraw, root, registry, metrics } = await ask({});
  deepEqual(Object.keys(pools), ["native-10"]);
  isProblem(withdraw, "fee_min_missing");
  isProblem(root, "fee_min_missing");
  equal(registry.state, "degraded");
  match(registry.reason!, /jet-10/);
  ok(metrics.includes('tonado_pool_fee_min_missing{pool="jet-10"} 1'));
  ok(metrics.includes('tonado_pool_fee_min_missing{pool="native-10"} 0'));
});

Deno.test("an explicit feeMin, even of 0, is the operator's decision; no maxRefund means no refund", async () => {
  const { pools, metrics } = await ask({ feeMin: "0", maxRefund: undefined });
  deepEqual([pools["jet-10"].feeMin, pools["jet-10"].maxRefund, pools["native-10"].maxRefund], [
    "0",
    "0",
    "0",
  ]);
  ok(metrics.includes('tonado_pool_fee_min_missing{pool="jet-10"} 0'));
});
