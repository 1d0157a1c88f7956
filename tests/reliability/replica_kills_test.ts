/**
 * Replicas that are killed repeatedly during withdrawals: each note is paid once, at whichever step of the
 * journal a kill interrupts.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { postgresQuery } from "../../testkit/servers/postgres_query.ts";
import { type RelayerProcess, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-0.1";
const NOTES = 5;
const REPLICAS = 3;
const FEE = 60_000_000n;

Deno.test({
  name: "replicas: the leader is killed during each withdrawal, and each is paid exactly once",
  ignore: !await postgresServer(),
  async fn() {
    await using scene = await openScene();
    const withdrawals = await prepareWithdrawals(scene.net);
    const kills = await killLeaders(scene, withdrawals);
    await assertPaidOnce(scene, withdrawals);
    ok(kills > NOTES / 2, `only ${kills} were killed`);
    const [{ fence }] = await postgresQuery(scene.database.url, "select fence from lease");
    console.log(`${kills} kills, ${fence} leaders, ${NOTES} withdrawals paid once each`);
  },
});

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Starts replicas of a relayer with one database. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const net = stack.use(await RelayerHarness.start({ relayer: false, blockTimeMs: 400 }));
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const replicas: (RelayerProcess | undefined)[] = [];
  stack.defer(async () => {
    for (const replica of replicas) await replica?.stop("SIGKILL").catch(() => {});
  });
  const start = async (i: number) =>
    replicas[i] = await startRelayerProcess({
      RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
      RELAYER_NETWORK: "localnet",
      INDEXER_URL: net.localnet.url,
      RELAYER_DEPLOYMENTS: registry,
      RELAYER_DATA_DIR: `${net.directory}/replica-${i}`,
      RELAYER_PORT: "0",
      DATABASE_URL: database.url,
    });
  /** Queries one replica after the other until `holds` accepts a response. */
  // deno-lint-ignore no-explicit-any
  const ask = async (path: string, body: unknown, holds: (answer: any) => boolean): Promise<void> => {
    let turn = Math.floor(Math.random() * REPLICAS);
    await waitUntil(`${path} is answered`, async () => {
      const answer = await replicas[turn++ % REPLICAS]?.request(path, body).catch(() => undefined);
      return answer !== undefined && holds(answer);
    });
  };
  const leader = async () => {
    const leads = await Promise.all(
      replicas.map((replica) => replica?.request("/readyz").then(({ leads }) => leads === true, () => false)),
    );
    return leads.includes(true) ? leads.indexOf(true) : undefined;
  };
  for (let i = 0; i < REPLICAS; i++) await start(i);
  const open = stack.move();
  return { database, net, replicas, start, ask, leader, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Withdrawals = Awaited<ReturnType<typeof prepareWithdrawals>>;

/** Deposits the notes, and proves their withdrawals. */
async function prepareWithdrawals(net: RelayerHarness) {
  const notes = [];
  for (let i = 0; i < NOTES; i++) notes.push(await net.deposit(KEY));
  const withdrawals = [];
  for (const [i, note] of notes.entries()) {
    const recipient = new Address(0, Buffer.alloc(32, 0xa0 + i));
    const body = await net.withdrawal(KEY, note, { recipient, fee: FEE });
    withdrawals.push({
      recipient,
      body,
      query: { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) },
    });
  }
  return withdrawals;
}

/** Submits each withdrawal, and kills the leader at a random moment of it. Returns the number of kills. */
async function killLeaders(
  { replicas, start, ask, leader }: Scene,
  withdrawals: Withdrawals,
): Promise<number> {
  let kills = 0;
  for (const { body } of withdrawals) {
    await waitUntil("one leads", async () => (await leader()) !== undefined);
    const accepted = ask(
      "/withdraw",
      body,
      ({ state, code }) => state !== undefined || code === "nullifier_already_used",
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2_000));
    const i = await leader();
    if (i !== undefined) {
      const victim = replicas[i]!;
      replicas[i] = undefined;
      await victim.stop("SIGKILL");
      kills++;
      await start(i);
    }
    await accepted;
  }
  return kills;
}

/** Waits until all withdrawals are paid, and asserts that each is paid once. */
async function assertPaidOnce({ database, net, ask }: Scene, withdrawals: Withdrawals): Promise<void> {
  for (const { query } of withdrawals) {
    await ask("/withdraw/status", query, ({ state }) => state === "confirmed");
  }

  for (const { recipient } of withdrawals) {
    equal((await net.chain.account(recipient)).balance, 100_000_000n - FEE);
  }
  equal((await net.contract(KEY).getPoolInfo()).withdrawals, NOTES);
  const [rows] = await postgresQuery(
    database.url,
    "select (select count(*) from withdrawals)::int as paid, (select count(*) from jobs where state = 'confirmed')::int as confirmed," +
      " (select count(*) from jobs)::int as jobs, (select max(fence) from lease)::int > 1 as handed_over",
  );
  deepEqual(rows, { paid: NOTES, confirmed: NOTES, jobs: NOTES, handed_over: true });
  await waitUntil(
    "no transfer is in flight",
    async () => (await postgresQuery(database.url, "select 1 from transfers")).length === 0,
  );
}
