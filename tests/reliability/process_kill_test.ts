/** The relayer as a separate process: killed without warning, stopped with a signal, and started twice. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { serveCommand, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const KEY = "native-1";

Deno.test("relayer process: a second one is refused; after a kill during a withdrawal and a restart, it pays once", async () => {
  await using net = await RelayerHarness.start({ relayer: false, blockTimeMs: 500 });
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const env = {
    RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: net.localnet.url,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${net.directory}/data`,
    RELAYER_PORT: "0",
  };
  const note = await net.deposit(KEY);
  const recipient = new Address(0, Buffer.alloc(32, 0x80));
  const body = await net.withdrawal(KEY, note, { recipient });
  const query = { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) };

  let relayer = await startRelayerProcess(env);
  await waitUntil("indexed", async () => (await relayer.request("/readyz")).pools[KEY].leaves === 1);
  const second = await childCommand(Deno.execPath(), { args: serveCommand(), env }).output();
  equal(second.success, false);
  match(new TextDecoder().decode(second.stderr), /in use by another process/);
  const submission = relayer.request("/withdraw", body).catch(() => undefined);
  await waitUntil(
    "accepted",
    async () => (await relayer.request("/withdraw/status", query)).state !== undefined,
  );
  await relayer.stop("SIGKILL");
  await submission;

  relayer = await startRelayerProcess(env);
  await waitUntil(
    "confirmed",
    async () => (await relayer.request("/withdraw/status", query)).state === "confirmed",
  );
  equal((await net.chain.account(recipient)).balance, 940_000_000n);
  equal((await net.contract(KEY).getPoolInfo()).withdrawals, 1);
  deepEqual(await relayer.stop("SIGTERM"), { success: true, code: 0, signal: null });
});
