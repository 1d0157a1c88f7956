/**
 * The operator removes a pool from the registry while withdrawals are in progress: the relayer keeps and
 * reports them.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { acceptWithoutSending, startWithoutSending } from "../support/relayer/accepted_withdrawal.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);

Deno.test("a withdrawal whose pool left the registry is reported, counted and alerted, and paid when the pool is back", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  await startWithoutSending(net);
  const note = await net.deposit(KEY);
  const { body, statusRequest } = await acceptWithoutSending(net, KEY, note, recipient);

  const { network, pools } = net.localnet.deployments;
  const metrics = createMetrics();
  await net.startRelayer({
    metrics,
    deployments: { network, pools: new Map([...pools].filter(([key]) => key !== KEY)) },
  });
  await waitUntil("it is counted", async () => /^tonado_withdrawals_orphaned 1$/m.test(await metrics.text()));
  const status = await net.post("/withdraw/status", statusRequest);
  deepEqual([status.status, status.body.state, Address.parse(status.body.pool).toRawString()], [
    200,
    "accepted",
    net.pool(KEY).address.toRawString(),
  ]);
  equal((await net.post("/withdraw", body)).body.code, "unknown_pool");
  equal(
    (await net.post("/withdraw/status", { ...statusRequest, nullifierHash: "0x5" })).body.code,
    "unknown_pool",
  );
  const { registry } = (await net.get("/readyz")).body.dependencies;
  equal(registry.state, "degraded");
  match(registry.reason, /withdrawals wait for a pool/);
  await net.relayer.close();

  await net.startRelayer();
  await net.untilState(statusRequest, "confirmed");
  equal((await net.chain.account(recipient)).balance, 940_000_000n);
  equal((await net.get("/readyz")).body.dependencies.registry.state, "ok");
});
