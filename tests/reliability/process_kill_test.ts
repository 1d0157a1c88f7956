/** The relayer as a process of its own: killed without warning, ended with one, and started twice. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/deployments.ts";
import { toHex } from "../../src/core/field.ts";
import { serve, serveCommand } from "../support/serve.ts";
import { Harness, until } from "../e2e/relayer_harness.ts";

const KEY = "native-1";

Deno.test("relayer process: a second one is refused; killed with a withdrawal on its way and started again, it pays it once", async () => {
  await using net = await Harness.start({ relayer: false, blockTimeMs: 500 });
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
  const query = { pool: body.pool, nullifierHash: toHex(note.nullifierHash) };

  let relayer = await serve(env);
  await until("indexed", async () => (await relayer.ask("/readyz")).pools[KEY].leaves === 1);
  const second = await new Deno.Command(Deno.execPath(), { args: serveCommand, env }).output();
  equal(second.success, false);
  match(new TextDecoder().decode(second.stderr), /in use by another process/);
  const submission = relayer.ask("/withdraw", body).catch(() => undefined);
  await until("accepted", async () => (await relayer.ask("/withdraw/status", query)).state !== undefined);
  await relayer.end("SIGKILL");
  await submission;

  relayer = await serve(env);
  await until("confirmed", async () => (await relayer.ask("/withdraw/status", query)).state === "confirmed");
  equal((await net.chain.account(recipient)).balance, 940_000_000n);
  equal((await net.contract(KEY).getPoolInfo()).withdrawals, 1);
  deepEqual(await relayer.end("SIGTERM"), { success: true, code: 0, signal: null });
});
