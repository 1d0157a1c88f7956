/** A real HTTP server receives the alerts of a relayer process. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";

const KEY = "native-1";
const NOT_READY_SECONDS = 8;
/** On a busy machine these come at any time, so only the step about them expects them in order. */
const READINESS = ["relayer_not_ready", "relayer_ready"];
const recipient = Address.parse(`0:${"42".repeat(32)}`);

/** Starts a proxy of the chain's endpoint that a test can disconnect or make refuse transfers. */
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
  return {
    state,
    url: `http://127.0.0.1:${server.addr.port}${path}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts a relayer process with a webhook and an endpoint that can fail, and deposits a note. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const endpoint = stack.use(endpointBefore(net.localnet.url));
  // deno-lint-ignore no-explicit-any
  const alerts: any[] = [];
  const webhook = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      alerts.push(await request.json());
      return new Response(null, { status: 204 });
    },
  ));
  const { network, pools } = net.localnet.deployments;
  const writeRegistry = async (without?: string) => {
    const registered = { network, pools: new Map([...pools].filter(([key]) => key !== without)) };
    await Deno.writeTextFile(`${net.directory}/registry.json`, formatDeployments(registered));
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
      RELAYER_ALERT_NOT_READY: String(NOT_READY_SECONDS),
      RELAYER_ALERT_STUCK: "2",
    });
  const unexpectedAlerts = () => alerts.filter((alert) => !READINESS.includes(alert.event));
  const nextAlert = async (event: string) => {
    const next = () => READINESS.includes(event) ? alerts[0] : unexpectedAlerts()[0];
    await waitUntil(event, () => next() !== undefined);
    const alert = next();
    alerts.splice(0, alerts.indexOf(alert) + 1);
    equal(alert.event, event);
    equal(alert.network, "localnet");
    ok(alert.text.includes(alert.relayer), alert.text);
    return alert;
  };
  await writeRegistry();
  const state = { relayer: await start() };
  const note = await net.deposit(KEY);
  await waitUntil("indexed", async () => (await state.relayer.request("/readyz")).pools[KEY].leaves === 1);
  await waitUntil("ready", async () => (await state.relayer.request("/readyz")).ready);
  deepEqual(unexpectedAlerts(), []);
  const body = await net.withdrawal(KEY, note, { recipient });
  const status = { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) };
  const open = stack.move();
  return {
    endpoint,
    nextAlert,
    body,
    writeRegistry,
    start,
    status,
    unexpectedAlerts,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("not ready and ready again, stuck withdrawals, and orphaned ones reach the webhook", async (t) => {
  await using scene = await openScene();
  await t.step(
    "a relayer whose endpoint is down is not ready, and ready again afterwards",
    () => reportsEndpoint(scene),
  );
  await t.step("a withdrawal that cannot be sent is stuck", () => reportsStuck(scene));
  await reportsOrphaned(t, scene);
});

async function reportsEndpoint({ endpoint, nextAlert, state }: Scene): Promise<void> {
  endpoint.state.down = true;
  const { seconds, reasons } = await nextAlert("relayer_not_ready");
  ok(
    seconds >= NOT_READY_SECONDS && reasons.includes(`${KEY}: Chain endpoint does not answer`),
    reasons.join(),
  );
  equal((await state.relayer.request("/readyz")).ready, false);
  endpoint.state.down = false;
  await nextAlert("relayer_ready");
}

async function reportsStuck({ endpoint, state, body, status, nextAlert }: Scene): Promise<void> {
  endpoint.state.refusesTransfers = true;
  let submission: Promise<unknown> | undefined;
  await waitUntil("accepted", async () => {
    // A relayer that is not ready refuses.
    submission ??= state.relayer.request("/withdraw", body).catch(() => {}).finally(() =>
      submission = undefined
    );
    return (await state.relayer.request("/withdraw/status", status)).state !== undefined;
  });
  equal((await nextAlert("jobs_stuck")).count, 1);
  await waitUntil("logged", () => state.relayer.log().includes("withdrawals are stuck"));
  await state.relayer.stop("SIGKILL");
  await submission;
}

async function reportsOrphaned(
  t: Deno.TestContext,
  { writeRegistry, state, start, nextAlert, endpoint, status, unexpectedAlerts }: Scene,
): Promise<void> {
  await t.step("a withdrawal of a pool that is no longer registered is orphaned", async () => {
    await writeRegistry(KEY);
    state.relayer = await start();
    const orphaned = await nextAlert("jobs_orphaned");
    equal(orphaned.count, 1);
    match(orphaned.text, /put it back into the registry/);
    await state.relayer.stop("SIGTERM");
  });

  await t.step("the withdrawal is stuck until it is paid", async () => {
    await writeRegistry();
    state.relayer = await start();
    await nextAlert("jobs_stuck");
    endpoint.state.refusesTransfers = false;
    await nextAlert("jobs_stuck_resolved");
    equal((await state.relayer.request("/withdraw/status", status)).state, "confirmed");
    await state.relayer.stop("SIGTERM");
    deepEqual(unexpectedAlerts(), []);
  });
}
