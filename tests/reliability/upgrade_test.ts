/** Upgrade and rollback of replicas, as docs/operating.md describes them, with real processes and PostgreSQL. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { SCHEMA_VERSION } from "../../src/store/postgres/migrate.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { postgresQuery } from "../../testkit/servers/postgres_query.ts";
import {
  type RelayerProcess,
  serveCommand,
  startRelayerProcess,
} from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const KEY = "native-1";
const PAID = 940_000_000n;
const NEXT = fileURLToPath(new URL("../support/relayer/serve_next_release.ts", import.meta.url));
const nextRelease = ["run", "-A", "--no-check", NEXT, "serve"];

Deno.test({
  name:
    "upgrade: the old leader stops writing when a new replica upgrades the schema; the new one pays each withdrawal once",
  ignore: !await postgresServer(),
  async fn() {
    await using scene = await openScene();
    const next = await upgradeDuringWithdrawal(scene);
    await paysOnce(scene, next);
    await oldReleaseRefuses(scene);
  },
});

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Starts a replica of this release, and proves three withdrawals. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const net = stack.use(await RelayerHarness.start({ relayer: false, blockTimeMs: 300 }));
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const env = (name: string) => ({
    RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: net.localnet.url,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${net.directory}/${name}`,
    RELAYER_PORT: "0",
    DATABASE_URL: database.url,
  });
  const running: RelayerProcess[] = [];
  stack.defer(async () => {
    for (const relayer of running) await relayer.stop("SIGKILL").catch(() => {});
  });
  const start = async (name: string, args = serveCommand()) => {
    const relayer = await startRelayerProcess(env(name), args);
    running.push(relayer);
    return relayer;
  };
  const old = await start("old");
  const notes = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
  await waitUntil("indexed", async () => {
    const { ready, leads, pools } = await old.request("/readyz");
    return ready && leads && pools[KEY].leaves === 3;
  });
  const recipients = [0xa1, 0xa2, 0xa3].map((mark) => new Address(0, Buffer.alloc(32, mark)));
  const bodies: Awaited<ReturnType<RelayerHarness["withdrawal"]>>[] = [];
  for (const [i, note] of notes.entries()) {
    bodies.push(await net.withdrawal(KEY, note, { recipient: recipients[i] }));
  }
  const state = async (relayer: RelayerProcess, i: number) => {
    const query = { pool: bodies[i].pool, nullifierHash: fieldToHex(notes[i].nullifierHash) };
    return (await relayer.request("/withdraw/status", query)).state;
  };
  const open = stack.move();
  return {
    database,
    net,
    env,
    start,
    old,
    recipients,
    bodies,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Starts a replica of the next release during a withdrawal, and returns it when it leads. */
async function upgradeDuringWithdrawal(
  { database, start, old, bodies, state }: Scene,
): Promise<RelayerProcess> {
  // One withdrawal is in progress while the new replica upgrades the schema.
  const pending = old.request("/withdraw", bodies[0]).catch(() => undefined);
  await waitUntil("accepted", async () => await state(old, 0) !== undefined);
  const next = await start("next", nextRelease);
  const [{ version }] = await postgresQuery(
    database.url,
    "select max(version) as version from schema_version",
  );
  equal(Number(version), SCHEMA_VERSION + 1);
  await waitUntil("the old replica reports the upgrade", async () => {
    const { ready, dependencies } = await old.request("/readyz");
    return !ready && /newer release has upgraded.*stopped writing/.test(dependencies.store.reason);
  });
  const refused = await old.request("/withdraw", bodies[1]);
  deepEqual([refused.status, refused.code], [503, "not_ready"]);
  await waitUntil("the new replica leads", async () => {
    const { ready, leads } = await next.request("/readyz");
    return ready && leads;
  });
  await waitUntil("the old replica no longer leads", async () => !(await old.request("/readyz")).leads);
  match(old.log(), /newer release has upgraded the database/);
  await pending;
  return next;
}

async function paysOnce({ net, old, recipients, bodies, state }: Scene, next: RelayerProcess): Promise<void> {
  for (const i of [1, 2]) equal((await next.request("/withdraw", bodies[i])).code, undefined);
  for (const i of [0, 1, 2]) {
    await waitUntil(`withdrawal ${i} is paid`, async () => await state(next, i) === "confirmed");
    equal((await net.chain.account(recipients[i])).balance, PAID);
  }
  equal((await net.contract(KEY).getPoolInfo()).withdrawals, 3);
  deepEqual(await old.stop("SIGTERM"), { success: true, code: 0, signal: null });
}

async function oldReleaseRefuses({ env }: Scene): Promise<void> {
  const again = await childCommand(Deno.execPath(), { args: serveCommand(), env: env("old") }).output();
  equal(again.code, 2, "the old release refuses to start on the newer schema");
  match(
    new TextDecoder().decode(again.stderr),
    new RegExp(`its schema has version ${SCHEMA_VERSION + 1}, but this release supports version`),
  );
}
