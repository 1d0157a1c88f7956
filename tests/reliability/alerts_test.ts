/** The alerts of a relayer process, as a real HTTP receiver gets them. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { RelayerHarness, waitUntil } from "../support/relayer/relayer_harness.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);

/** The chain's endpoint, which a test takes down, or keeps from accepting transfers. */
function endpointBefore(url: string) {
  const state = { down: false, refusesTransfers: false };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    if (state.down || (state.refusesTransfers && body.includes("sendBoc"))) {
      return new Response("down", { status: 503 });
    }
    return await fetch(url, {
      method: request.method,
      headers: { "content-type": "application/json" },
      body,
    });
  });
  const path = new URL(url).pathname;
  return { state, url: `http://127.0.0.1:${server.addr.port}${path}`, close: () => server.shutdown() };
}

Deno.test("alerts: not ready and ready again, stuck withdrawals, and orphaned ones reach the webhook", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const endpoint = endpointBefore(net.localnet.url);
  // deno-lint-ignore no-explicit-any
  const alerts: any[] = [];
  await using webhook = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      alerts.push(await request.json());
      return new Response(null, { status: 204 });
    },
  );
  const { network, pools } = net.localnet.deployments;
  const registry = async (without?: string) => {
    const kept = { network, pools: new Map([...pools].filter(([key]) => key !== without)) };
    await Deno.writeTextFile(`${net.directory}/registry.json`, formatDeployments(kept));
  };
  const start = () =>
    startRelayerProcess({
      RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
      RELAYER_NETWORK: "localnet",
      INDEXER_URL: endpoint.url,
      RELAYER_DEPLOYMENTS: `${net.directory}/registry.json`,
      RELAYER_DATA_DIR: `${net.directory}/data`,
      RELAYER_PORT: "0",
      RELAYER_WEBHOOK_URL: `http://127.0.0.1:${webhook.addr.port}/hook`,
      RELAYER_ALERT_NOT_READY: "2",
      RELAYER_ALERT_STUCK: "2",
    });
  const next = async (event: string) => {
    await waitUntil(event, () => alerts.length > 0);
    const alert = alerts.shift();
    equal(alert.event, event);
    equal(alert.network, "localnet");
    ok(alert.text.includes(alert.relayer), alert.text);
    return alert;
  };
  await registry();
  let relayer = await start();
  const note = await net.deposit(KEY);
  await waitUntil("indexed", async () => (await relayer.request("/readyz")).pools[KEY].leaves === 1);
  await waitUntil("ready", async () => (await relayer.request("/readyz")).ready);
  deepEqual(alerts, []);

  endpoint.state.down = true;
  const { seconds, reasons } = await next("relayer_not_ready");
  ok(seconds >= 2 && reasons.includes(`${KEY}: Chain endpoint does not answer`), reasons.join());
  equal((await relayer.request("/readyz")).ready, false);
  endpoint.state.down = false;
  await next("relayer_ready");

  endpoint.state.refusesTransfers = true;
  const body = await net.withdrawal(KEY, note, { recipient });
  const asked = { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) };
  const submitted = relayer.request("/withdraw", body).catch(() => undefined);
  equal((await next("jobs_stuck")).count, 1);
  match(relayer.log(), /withdrawals are stuck/);
  await relayer.stop("SIGKILL");
  await submitted;

  await registry(KEY);
  relayer = await start();
  const orphaned = await next("jobs_orphaned");
  equal(orphaned.count, 1);
  match(orphaned.text, /put it back into the registry/);
  await relayer.stop("SIGTERM");

  await registry();
  relayer = await start();
  await next("jobs_stuck");
  endpoint.state.refusesTransfers = false;
  await next("jobs_stuck_resolved");
  equal((await relayer.request("/withdraw/status", asked)).state, "confirmed");
  await relayer.stop("SIGTERM");
  deepEqual(alerts, []);
  await endpoint.close();
});
