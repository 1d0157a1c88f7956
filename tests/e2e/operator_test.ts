/** The relayer process as an operator runs it: alerts, metrics, and its behaviour without the cache. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { redisServer } from "../../testkit/servers/services.ts";
import { startTcpProxy } from "../../testkit/servers/tcp_proxy.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const TOKEN = "0123456789abcdef";
const redis = await redisServer();

/** Starts a relayer process with a webhook, guarded metrics and a cache behind a proxy. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const gate = stack.use(startTcpProxy(redis!, 6379));
  const alerts: Record<string, string>[] = [];
  const webhook = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      alerts.push(await request.json());
      return new Response(null, { status: alerts.length === 1 ? 503 : 204 });
    },
  ));
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const metricsPort = freePort();
  const relayer = await startRelayerProcess({
    RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: net.localnet.url,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${net.directory}/data`,
    RELAYER_PORT: "0",
    CACHE_URL: gate.url,
    RELAYER_RATE_NOTE_CHECK: "1000",
    RELAYER_HOURLY_CAP: "1000000",
    RELAYER_BALANCE_WARN: "999999999",
    RELAYER_WEBHOOK_URL: `http://127.0.0.1:${webhook.addr.port}/hunter2`,
    RELAYER_METRICS_PORT: String(metricsPort),
    RELAYER_METRICS_TOKEN: TOKEN,
  });
  const open = stack.move();
  return { alerts, relayer, metricsPort, net, gate, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test({
  name:
    "operator: alerts are posted, metrics are guarded, and without its cache the relayer refuses only withdrawals",
  ignore: !redis,
  async fn(t) {
    await using scene = await openScene();
    await t.step(
      "the webhook reports a wallet below its threshold, and is retried after a rejection",
      () => reportsLowBalance(scene),
    );
    await t.step(
      "metrics are on their own port, and on the API's port only with the token",
      () => guardsMetrics(scene),
    );
    await t.step(
      "without its cache it continues to index, and accepts no withdrawal past the caps",
      () => refusesWithoutCache(scene),
    );
    await scene.relayer.stop("SIGTERM");
  },
});

async function reportsLowBalance({ alerts, relayer }: Scene): Promise<void> {
  await waitUntil("the alert is posted twice", () => alerts.length === 2);
  deepEqual(alerts[0], alerts[1]);
  const { event, network, warn, balance } = alerts[0];
  deepEqual([event, network, warn], ["balance_low", "localnet", "999999999"]);
  match(balance, /^[0-9]+(\.[0-9]+)?$/);
  ok(!relayer.log().includes("hunter2"));
}

async function guardsMetrics({ metricsPort, relayer }: Scene): Promise<void> {
  const text = async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  match(await text(), /^tonado_wallet_balance_native [0-9.]+$/m);
  await waitUntil(
    "the cache is up",
    async () => /^tonado_dependency_up\{dependency="cache"\} 1$/m.test(await text()),
  );
  const metricsStatus = async (headers: HeadersInit) => {
    const response = await fetch(`${relayer.url}/metrics`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  deepEqual([await metricsStatus({}), await metricsStatus({ authorization: `Bearer ${TOKEN}` })], [404, 200]);
}

async function refusesWithoutCache({ net, relayer, gate }: Scene): Promise<void> {
  const note = await net.deposit(KEY);
  await waitUntil(
    "it is indexed",
    async () => (await relayer.request("/readyz")).pools[KEY].leaves === 1,
  );
  const recipient = Address.parse(`0:${"42".repeat(32)}`);
  const body = await net.withdrawal(KEY, note, { recipient });
  const pool = net.pool(KEY).address.toString();
  const isSpent = async () =>
    (await relayer.request("/note/check", { pool, nullifierHash: fieldToHex(note.nullifierHash) })).spent;

  gate.disconnect();
  await waitUntil(
    "the cache is reported as degraded",
    async () => (await relayer.request("/readyz")).dependencies.cache.state === "degraded",
  );
  equal((await relayer.request("/readyz")).ready, true);
  equal(await isSpent(), false);
  const refused = await relayer.request("/withdraw", body);
  deepEqual([refused.status, refused.code, refused.title], [503, "not_ready", "Not ready"]);
  match(refused.detail, /^Shared cache does not answer/);

  gate.open();
  await waitUntil(
    "the cache is reported as ok",
    async () => (await relayer.request("/readyz")).dependencies.cache.state === "ok",
  );
  ok(["accepted", "broadcast", "confirmed"].includes((await relayer.request("/withdraw", body)).state));
  await waitUntil("it is paid", isSpent);
}
