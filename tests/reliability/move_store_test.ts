/** An operator moves from the embedded store to PostgreSQL and back while a withdrawal is in progress. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { SCHEMA_VERSION } from "../../src/store/postgres/migrate.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const KEY = "native-1";

/** Runs `tonado store` and waits for its end. */
async function store(args: string[], env: Record<string, string> = {}) {
  const [program, ...before] = sourceCommand();
  const { code, stdout, stderr } = await childCommand(program, {
    args: [...before, "store", ...args],
    env,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

Deno.test({
  name:
    "store: it moves from KV to PostgreSQL and back during a withdrawal, and the relayer continues each time",
  ignore: !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    await using net = await RelayerHarness.start({ relayer: false, blockTimeMs: 400 });
    const registry = `${net.directory}/registry.json`;
    await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
    const [old, later] = [`${net.directory}/old`, `${net.directory}/later`];
    const env = {
      RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
      RELAYER_NETWORK: "localnet",
      INDEXER_URL: net.localnet.url,
      RELAYER_DEPLOYMENTS: registry,
      RELAYER_PORT: "0",
    };
    const onDatabase = { DATABASE_URL: database.url };
    const notes = [await net.deposit(KEY), await net.deposit(KEY)];
    const recipients = [0x91, 0x92].map((mark) => new Address(0, Buffer.alloc(32, mark)));
    const bodies: Awaited<ReturnType<RelayerHarness["withdrawal"]>>[] = [];
    for (const [i, note] of notes.entries()) {
      bodies.push(await net.withdrawal(KEY, note, { recipient: recipients[i] }));
    }
    const queries = notes.map((note, i) => ({
      pool: bodies[i].pool,
      nullifierHash: fieldToHex(note.nullifierHash),
    }));

    let relayer = await startRelayerProcess({ ...env, RELAYER_DATA_DIR: old });
    const state = async (i: number) => await relayer.request("/withdraw/status", queries[i]);
    await waitUntil("indexed", async () => (await relayer.request("/readyz")).pools[KEY].leaves === 2);
    equal((await relayer.request("/withdraw", bodies[0])).code, undefined);
    await waitUntil("the first is paid", async () => (await state(0)).state === "confirmed");
    const paid = await state(0);
    const pending = relayer.request("/withdraw", bodies[1]).catch(() => undefined);
    await waitUntil("the second is accepted", async () => (await state(1)).state !== undefined);
    await relayer.stop("SIGKILL");
    await pending;

    const file = `${net.directory}/relayer.jsonl`;
    equal((await store(["check", "--data-dir", old])).code, 0);
    const exported = await store(["export", file, "--data-dir", old, "--json"]);
    equal(exported.code, 0, exported.stderr);
    const { counts, sha256 } = JSON.parse(exported.stdout);
    deepEqual([counts.deposit, counts.job], [2, 2]);
    equal((await Deno.stat(file)).mode! & 0o777, 0o600, "only its owner may read it");
    equal((await store(["export", file, "--data-dir", old])).code, 2, "an export is never written over");
    const migrated = await store(["migrate"], onDatabase);
    match(migrated.stdout, new RegExp(`migrated from version 0 to ${SCHEMA_VERSION}`));
    const imported = await store(["import", file, "--json"], onDatabase);
    equal(JSON.parse(imported.stdout).sha256, sha256, imported.stderr);
    const again = await store(["import", file], onDatabase);
    deepEqual([again.code, /store_not_empty/.test(again.stderr)], [1, true]);
    equal((await store(["check"], onDatabase)).code, 0);

    relayer = await startRelayerProcess({ ...env, ...onDatabase, RELAYER_DATA_DIR: later });
    await waitUntil("the second is paid", async () => (await state(1)).state === "confirmed");
    deepEqual(await state(0), paid);
    equal((await relayer.stop("SIGTERM")).code, 0);

    const back = `${net.directory}/back.jsonl`;
    equal((await store(["export", back], onDatabase)).code, 0);
    const returned = await store(["import", back, "--data-dir", later]);
    equal(returned.code, 0, returned.stderr);
    relayer = await startRelayerProcess({ ...env, RELAYER_DATA_DIR: later });
    await waitUntil("indexed", async () => (await relayer.request("/readyz")).ready === true);
    deepEqual(await state(0), paid);
    equal((await relayer.request("/withdraw", bodies[1])).code, "nullifier_already_used");
    equal((await relayer.stop("SIGTERM")).code, 0);
    for (const recipient of recipients) equal((await net.chain.account(recipient)).balance, 940_000_000n);
    equal((await net.contract(KEY).getPoolInfo()).withdrawals, 2);
  },
});
