/**
 * Several relayer processes on one database: each serves, one leads. Replicas are really killed (SIGKILL)
 * and really stopped (SIGSTOP).
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import type { Note } from "../../src/core/protocol/note.ts";
import { pgbouncerServer, throughPgbouncer } from "../../testkit/servers/pgbouncer.ts";
import { postgresQuery } from "../../testkit/servers/postgres_query.ts";
import { type RelayerProcess, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { startTcpProxy } from "../../testkit/servers/tcp_proxy.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const ignore = !await postgresServer();
/** The design's limit in milliseconds, and the delay that other load on the machine may add. */
const TAKEOVER_MS = 10_000;
const SLACK_MS = 20_000;

/** Starts a network, and returns the settings of relayers on it; `reach` is their route to the database. */
async function stage(url: string) {
  const net = await RelayerHarness.start({ relayer: false, blockTimeMs: 300 });
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  let count = 0;
  const replicas: RelayerProcess[] = [];
  return {
    net,
    async replica(): Promise<RelayerProcess> {
      const replica = await startRelayerProcess({
        RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
        RELAYER_NETWORK: "localnet",
        INDEXER_URL: net.localnet.url,
        RELAYER_DEPLOYMENTS: registry,
        RELAYER_DATA_DIR: `${net.directory}/replica-${count++}`,
        RELAYER_PORT: "0",
        DATABASE_URL: url,
      });
      replicas.push(replica);
      return replica;
    },
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.stop("SIGKILL").catch(() => {});
      await net[Symbol.asyncDispose]();
    },
  };
}

const leads = async (replica: RelayerProcess) => (await replica.request("/readyz")).leads === true;
const indexed = (replica: RelayerProcess, leaves: number) =>
  waitUntil(`${leaves} leaves are served`, async () => {
    const { ready, pools } = await replica.request("/readyz");
    return ready && pools[KEY].leaves === leaves;
  });

/**
 * Returns the withdrawal of `note`, the query for its status, and a function that reads the recipient's
 * balance.
 */
async function withdrawal(net: RelayerHarness, note: Note, mark: number) {
  const recipient = new Address(0, Buffer.alloc(32, mark));
  const body = await net.withdrawal(KEY, note, { recipient });
  return {
    body,
    query: { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) },
    paid: async () => (await net.chain.account(recipient)).balance,
  };
}

Deno.test({
  name: "replicas: after the leader is killed, another takes over and pays its accepted withdrawal once",
  ignore,
  async fn() {
    await using database = await freshDatabase();
    await using scene = await stage(database.url);
    const { net } = scene;
    const first = await scene.replica();
    await waitUntil("the first leads", () => leads(first));
    const second = await scene.replica();
    const [a, b, c] = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
    await indexed(first, 3);
    await indexed(second, 3);
    deepEqual([await leads(first), await leads(second)], [true, false]);

    const submitted = await withdrawal(net, a, 0x81);
    const answer = await second.request("/withdraw", submitted.body);
    equal(answer.code, undefined, "a follower takes withdrawals on");
    equal(typeof answer.seqno, "number", "and answers as the leader would, once it is sent");
    const again = await first.request("/withdraw", submitted.body);
    equal(again.code, "nullifier_already_used", "which every replica knows");

    const [left, right] = [await withdrawal(net, b, 0x82), await withdrawal(net, c, 0x83)];
    const dying = first.request("/withdraw", left.body).catch(() => undefined);
    await waitUntil(
      "accepted by the one that dies",
      async () => (await second.request("/withdraw/status", left.query)).state !== undefined,
    );
    await first.stop("SIGKILL");
    const died = Date.now();
    await dying;
    await waitUntil("another leads", () => leads(second));
    const took = Date.now() - died;
    console.log(`takeover after kill -9: ${took} ms`);
    ok(took < TAKEOVER_MS + SLACK_MS, `takeover took ${took} ms`);
    equal((await second.request("/withdraw", right.body)).code, undefined);
    for (const { query, paid } of [submitted, left, right]) {
      await waitUntil(
        "confirmed",
        async () => (await second.request("/withdraw/status", query)).state === "confirmed",
      );
      equal(await paid(), 940_000_000n);
    }
    equal((await net.contract(KEY).getPoolInfo()).withdrawals, 3);
    deepEqual(await second.stop("SIGTERM"), { success: true, code: 0, signal: null });
    const third = await scene.replica();
    const started = Date.now();
    await waitUntil("a leader that shuts down releases its lease", () => leads(third));
    console.log(`takeover after SIGTERM: ${Date.now() - started} ms`);
  },
});

Deno.test({
  name: "replicas: a leader that was paused and lost the lease writes nothing when it resumes, and follows",
  ignore,
  async fn() {
    await using database = await freshDatabase();
    await using scene = await stage(database.url);
    const { net } = scene;
    const first = await scene.replica();
    await waitUntil("the first leads", () => leads(first));
    const second = await scene.replica();
    const notes = [await net.deposit(KEY), await net.deposit(KEY)];
    await indexed(first, 2);
    await indexed(second, 2);
    const fence = async () => (await postgresQuery(database.url, "select fence, holder from lease"))[0];
    const before = await fence();

    const submitted = await withdrawal(net, notes[0], 0x84);
    const pending = first.request("/withdraw", submitted.body).catch(() => undefined);
    await waitUntil(
      "accepted",
      async () => (await second.request("/withdraw/status", submitted.query)).state !== undefined,
    );
    first.signal("SIGSTOP");
    await waitUntil("another leads", () => leads(second));
    await waitUntil(
      "paid",
      async () => (await second.request("/withdraw/status", submitted.query)).state === "confirmed",
    );
    const taken = await fence();
    equal(Number(taken.fence), Number(before.fence) + 1);
    // From here on the test would see any write of the journal by the first replica, because nothing is in
    // progress.
    const journal = () =>
      postgresQuery(
        database.url,
        "select (select json_agg(j order by nullifier_hash) from jobs j)::text as jobs, " +
          "(select json_agg(t) from transfers t)::text as transfers, (select json_agg(c) from sync_cursor c)::text as cursors",
      );
    await waitUntil("no transfer in flight", async () => (await journal())[0].transfers === null);
    const rest = await journal();
    first.signal("SIGCONT");
    await pending;
    await indexed(first, 2);
    equal(await leads(first), false);
    deepEqual(await journal(), rest);
    deepEqual(await fence(), taken);

    const next = await withdrawal(net, notes[1], 0x85);
    equal((await first.request("/withdraw", next.body)).code, undefined, "it still takes withdrawals on");
    await waitUntil(
      "paid",
      async () => (await first.request("/withdraw/status", next.query)).state === "confirmed",
    );
    deepEqual([await submitted.paid(), await next.paid()], [940_000_000n, 940_000_000n]);
    equal((await net.contract(KEY).getPoolInfo()).withdrawals, 2);
  },
});

Deno.test({
  name:
    "replicas: without its database a relayer answers from memory and signs nothing, and continues when it is back",
  ignore,
  async fn() {
    await using database = await freshDatabase();
    await using gate = startTcpProxy(database.url, 5432);
    await using scene = await stage(gate.url);
    const { net } = scene;
    const relayer = await scene.replica();
    const note = await net.deposit(KEY);
    await indexed(relayer, 1);
    const submitted = await withdrawal(net, note, 0x87);
    const pool = `pool=${net.pool(KEY).address}`;

    gate.disconnect();
    await waitUntil(
      "/readyz says so",
      async () => (await relayer.request("/readyz")).dependencies.store.state === "down",
    );
    const { ready, dependencies: { store } } = await relayer.request("/readyz");
    equal(ready, false);
    match(store.reason, /database does not respond/);
    ok(!JSON.stringify(store).includes("127.0.0.1"));
    const refused = await relayer.request("/withdraw", submitted.body);
    deepEqual([refused.status, refused.code], [503, "not_ready"]);
    equal((await relayer.request("/note/check", submitted.query)).status, 503);
    const staleAfter = Date.now() + 12_000; // longer than the relayer serves a pool without a valid answer
    while (Date.now() < staleAfter) {
      equal((await relayer.request(`/tree/root?${pool}`)).root, fieldToHex(net.tree(KEY).root));
      equal((await relayer.request(`/tree/commitments?${pool}`)).count, 1);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }

    gate.open();
    await waitUntil("ready again", async () => (await relayer.request("/readyz")).ready === true);
    equal((await net.contract(KEY).getPoolInfo()).withdrawals, 0);
    equal((await relayer.request("/withdraw", submitted.body)).code, undefined);
    await waitUntil(
      "paid",
      async () => (await relayer.request("/withdraw/status", submitted.query)).state === "confirmed",
    );
    equal(await submitted.paid(), 940_000_000n);
  },
});

Deno.test({
  name: "replicas: a relayer behind PgBouncer in transaction mode indexes, pays and hands over",
  ignore: ignore || !await pgbouncerServer(),
  async fn() {
    await using database = await freshDatabase();
    await using scene = await stage(await throughPgbouncer(database.url));
    const { net } = scene;
    const [first, second] = [await scene.replica(), await scene.replica()];
    const note = await net.deposit(KEY);
    await indexed(first, 1);
    await indexed(second, 1);
    const submitted = await withdrawal(net, note, 0x86);
    equal((await second.request("/withdraw", submitted.body)).code, undefined);
    await waitUntil(
      "paid",
      async () => (await first.request("/withdraw/status", submitted.query)).state === "confirmed",
    );
    const [leader, follower] = await leads(first) ? [first, second] : [second, first];
    await leader.stop("SIGKILL");
    await waitUntil("another leads", () => leads(follower));
    equal((await follower.request("/withdraw/status", submitted.query)).state, "confirmed");
    equal(await submitted.paid(), 940_000_000n);
  },
});
