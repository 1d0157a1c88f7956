/** What only a database shared by several processes can go through. The server is real; what fails in front of it, too. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { startTcpProxy } from "../../../testkit/servers/tcp_proxy.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { DepositEvent } from "../../../src/ton/pool/pool_events.ts";
import type { Cursor, Job, Store } from "../../../src/store/store.ts";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import { readDeposits } from "../../../src/store/postgres/archive.ts";
import { Database, type Query } from "../../../src/store/postgres/database.ts";
import { Lease } from "../../../src/store/postgres/lease.ts";
import { migrate, SCHEMA_VERSION } from "../../../src/store/postgres/migrate.ts";
import { migrations } from "../../../src/store/postgres/schema.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";

const ignore = !await postgresServer();
const LEAD_MS = 600_000;
const pool = new Address(0, Buffer.alloc(32, 0xab)).toRawString();
const at = (i: number): Cursor => ({ lt: BigInt(i), hash: i.toString(16).padStart(64, "0") });
const deposit = (i: number): DepositEvent => ({
  kind: "deposit",
  tx: at(i),
  timestamp: 1_700_000_000 + i,
  sender: Address.parse(pool),
  queryId: 0n,
  messageHash: "",
  leafIndex: i,
  commitment: 1000n + BigInt(i),
});
const job: Job = {
  pool,
  nullifierHash: 77n,
  state: "accepted",
  queryId: 1n,
  root: 7n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: 1,
};
const apply = (store: Store, i: number) =>
  store.apply(
    { pool, events: [deposit(i)], from: i === 0 ? undefined : at(i - 1), to: at(i) },
    () => undefined,
  );
const transfer = {
  seqno: 1,
  validUntil: 2,
  hash: "aa",
  boc: new Uint8Array([1]),
  jobs: [{ pool, nullifierHash: 77n, queryId: 1n }],
  signedAt: 1,
};

function test(claim: string, act: (url: string) => Promise<void>): void {
  Deno.test({
    name: `postgres: ${claim}`,
    ignore,
    async fn() {
      await using database = await freshDatabase();
      await act(database.url);
    },
  });
}

/** Opens stores and closes them at the end. */
async function withStores(
  url: string,
  count: number,
  act: (...stores: Store[]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgresStore(url)));
  try {
    await act(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

const journalWrites: [string, (store: Store) => Promise<unknown>][] = [
  ["apply", (store) => apply(store, 0)],
  ["changeJob", (store) => store.changeJob(job, (found) => ({ ...found, failures: 9 }))],
  ["beginTransfer", (store) => store.beginTransfer(transfer)],
  ["takeBack", (store) => {
    const from = { lt: 0n, hash: "0".repeat(64) };
    return store.rollBack(
      { pool, from, to: undefined, keptLeafCount: 0, nullifierHashes: [] },
      () => undefined,
    );
  }],
  ["endTransfer", (store) => store.endTransfer("aa")],
  ["forgetJobs", (store) => store.deleteEndedJobs(10)],
];

test("one leads at a time; a lease that ended is another's, with a higher fence", (url) =>
  withStores(url, 3, async (a, b, c) => {
    const answers = await Promise.all([a, b, c].map((store) => store.acquireLease(LEAD_MS)));
    equal(answers.filter(Boolean).length, 1);
    const [leader, other] = answers[0] ? [a, b] : answers[1] ? [b, c] : [c, a];
    ok(await leader.acquireLease(1));
    await waitUntil("the lease has ended", () => other.acquireLease(LEAD_MS));
    equal(await leader.acquireLease(LEAD_MS), false);
    await other.releaseLease();
    ok(await leader.acquireLease(LEAD_MS));
    const [{ fence }] = await postgresQuery(url, "select fence from lease");
    equal(Number(fence), 3);
  }));

test("a lease dated further ahead than any is taken holds nobody up; one that is kept is kept", (url) =>
  withStores(url, 2, async (a, b) => {
    ok(await a.acquireLease(LEAD_MS));
    await postgresQuery(url, "update lease set expires_at = clock_timestamp() + interval '10 years'");
    ok(await a.acquireLease(LEAD_MS), "its holder dates it anew");
    equal(await b.acquireLease(LEAD_MS), false);
    await postgresQuery(url, "update lease set holder = 'gone', expires_at = 'infinity'");
    ok(await b.acquireLease(LEAD_MS));
    equal(await a.acquireLease(LEAD_MS), false);
    await rejects(a.changeJob(job, () => undefined), { code: "not_leader" });
  }));

test("of many that ask for a lease nobody had yet, one has it and none an error", async (url) => {
  const count = 8;
  await withStores(url, count, async (...stores) => {
    for (let round = 0; round < 25; round++) {
      const answers = await Promise.all(stores.map((store) => store.acquireLease(LEAD_MS)));
      equal(answers.filter(Boolean).length, 1);
      await Promise.all(stores.map((store) => store.releaseLease()));
      await postgresQuery(url, "update lease set holder = '', fence = 0, expires_at = '-infinity'");
    }
  });
});

for (const [name, write] of journalWrites) {
  test(`${name} of a leader that was deposed meanwhile, and does not know it, is refused`, (url) =>
    withStores(url, 2, async (first, second) => {
      ok(await first.acquireLease(1));
      await first.addJob(job, () => false);
      await waitUntil("deposed", () => second.acquireLease(LEAD_MS));
      const before = await postgresQuery(url, "select * from jobs");
      await rejects(write(first), { code: "not_leader" });
      deepEqual(await postgresQuery(url, "select * from jobs"), before);
      deepEqual(await postgresQuery(url, "select * from transfers"), []);
      equal(await first.cursor(pool), undefined);
    }));
  test(`${name} by one that never led is refused`, (url) =>
    withStores(url, 1, async (store) => {
      await rejects(write(store), { code: "not_leader" });
    }));
}

test("a leader that writes without a pause keeps its lease, and others that ask for it meanwhile do not hold it up", (url) =>
  withStores(url, 2, async (leader, other) => {
    ok(await leader.acquireLease(LEAD_MS));
    let done = false;
    let writes = 0;
    const writing = Promise.all(Array.from({ length: 6 }, async () => {
      while (!done) {
        await leader.changeJob(job, (found) => found);
        writes++;
      }
    }));
    for (let i = 0; i < 40; i++) {
      ok(await leader.acquireLease(LEAD_MS));
      equal(await other.acquireLease(LEAD_MS), false);
    }
    done = true;
    await writing;
    ok(writes > 40);
    equal(Number((await postgresQuery(url, "select fence from lease"))[0].fence), 1);
  }));

test("a change of hands waits for a write that is under way, and the write after it is refused", async (url) => {
  const writer = new Database(url);
  await withStores(url, 2, async (first, second) => {
    ok(await first.acquireLease(1));
    const order: string[] = [];
    let taken: Promise<unknown> | undefined;
    await writer.transaction(async (query) => {
      await query("select 1 from lease for key share");
      await new Promise((resolve) => setTimeout(resolve, 20)); // the lease ends
      taken = second.acquireLease(LEAD_MS).then((leads) => order.push(`taken ${leads}`));
      await query("select pg_sleep(0.3)");
      order.push("written");
    });
    await taken;
    deepEqual(order, ["written", "taken true"]);
    await rejects(first.endTransfer("aa"), { code: "not_leader" });
  });
  await writer.close();
});

test("a transaction that has asserted the lease keeps it until it ends, though the lease expires meanwhile", async (url) => {
  const [writer, other] = [new Database(url), new Database(url)];
  const [first, second] = [new Lease(), new Lease()];
  await withStores(url, 1, async () => {
    ok(await first.acquire(writer, 1));
    const order: string[] = [];
    let taken: Promise<unknown> | undefined;
    await writer.transaction(async (query) => {
      await first.assertHeld(query);
      await query("select pg_sleep(0.02)"); // the lease expires
      taken = second.acquire(other, LEAD_MS).then((leads) => order.push(`taken ${leads}`));
      await query("select pg_sleep(0.3)");
      order.push("written");
    });
    await taken;
    deepEqual(order, ["written", "taken true"]);
    await rejects(writer.transaction((query) => first.assertHeld(query)), { code: "not_leader" });
  });
  await Promise.all([writer.close(), other.close()]);
});

test("who follows may add jobs: of 200 equal ones on three replicas exactly one gets in", (url) =>
  withStores(url, 3, async (...stores) => {
    const answers = await Promise.all(
      Array.from(
        { length: 200 },
        (_, i) =>
          stores[i % 3].addJob({ ...job, queryId: BigInt(i) }, () => true).catch((error) => {
            if (error.code === "overloaded") return "told to wait";
            throw error;
          }),
      ),
    );
    equal(answers.filter((answer) => answer === undefined).length, 1);
    equal((await stores[0].liveJobs()).length, 1);
  }));

test("a leader that hangs within a transaction holds up its successor for seconds, not for ever", async (url) => {
  const hanging = new Database(url);
  await withStores(url, 2, async (first, second) => {
    ok(await first.acquireLease(1));
    const hung = hanging.transaction(async (query) => {
      await query("select 1 from lease for key share"); // as every write of the journal does
      await waitUntil("another leads", () => second.acquireLease(LEAD_MS));
    });
    await rejects(hung, { code: "store_unavailable" });
    ok(await second.acquireLease(LEAD_MS));
  });
  await hanging.close();
});

test("connections that break between any two statements leave rows and cursor in step", (url) =>
  withStores(url, 1, async (store) => {
    ok(await store.acquireLease(LEAD_MS));
    const count = 120;
    let done = false;
    let broken = 0;
    const breaking = (async () => {
      while (!done) {
        await postgresQuery(
          url,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tonado' and datname = current_database()",
        );
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    })();
    for (let next = 0; next < count;) {
      try {
        await apply(store, next);
      } catch (error) {
        ok(
          error instanceof Problem && ["store_unavailable", "store_conflict"].includes(error.code),
          String(error),
        );
        broken++;
      }
      // Whether the one that failed was made is not known: the cursor says.
      const cursor = await store.cursor(pool).catch(() => undefined);
      if (cursor) next = Number(cursor.lt) + 1;
    }
    done = true;
    await breaking;
    ok(broken > 0, "some were broken");
    const leaves = (await readLeaves(store, pool)).map(({ leafIndex }) => leafIndex);
    deepEqual(leaves, Array.from({ length: count }, (_, i) => i));
  }));

test("a database that is gone is said to be, in every method, and serves again when it is back", async (url) => {
  await using gate = startTcpProxy(url, 5432);
  const store = await openPostgresStore(gate.url);
  try {
    ok(await store.acquireLease(LEAD_MS));
    await apply(store, 0);
    deepEqual(store.health(), { ok: true });
    gate.disconnect();
    const asks: (() => Promise<unknown>)[] = [
      () => store.cursor(pool),
      () => store.deposit(pool, 1n),
      () => store.job(job),
      () => store.addJob(job, () => true),
      () => store.acquireLease(LEAD_MS),
      () => Array.fromAsync(store.leaves(pool, 0)),
      ...journalWrites.map(([, write]) => () => write(store)),
    ];
    for (const ask of asks) {
      const problem = await ask().then(() => undefined, (error) => error);
      ok(problem instanceof Problem, String(problem));
      equal(problem.code, "store_unavailable");
      const { port } = new URL(gate.url);
      ok(!problem.message.includes(port) && !problem.message.includes("127.0.0.1"), "it names no server");
    }
    equal(store.health().ok, false);
    gate.open();
    await apply(store, 1);
    deepEqual(store.health(), { ok: true });
    equal((await readLeaves(store, pool)).length, 2);
  } finally {
    await store.close();
  }
});

test("a flood that takes every connection of the API is told to wait; the lease is renewed, the journal written", (url) =>
  withStores(url, 1, async (store) => {
    ok(await store.acquireLease(LEAD_MS));
    // Every statement about jobs waits for this lock: none of the API's connections becomes free.
    const locking = new Database(url);
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const lock = locking.longTransaction(async (query) => {
      await query("lock table jobs in access exclusive mode");
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const flood = Array.from({ length: 400 }, () => store.job(job).then(() => undefined, (error) => error));
    for (let i = 0; i < 20; i++) ok(await store.acquireLease(LEAD_MS));
    await store.beginTransfer(transfer);
    const codes = new Set((await Promise.all(flood)).map((error) => (error as Problem).code));
    ok(codes.has("overloaded"), [...codes].join());
    release.resolve();
    await lock;
    equal(await store.job(job), undefined);
    deepEqual(store.health(), { ok: true });
    await locking.close();
  }));

test("a path that swallows every packet is noticed by the lease that stays away, and serves again when it is whole", async (url) => {
  await using gate = startTcpProxy(url, 5432);
  const store = await openPostgresStore(gate.url);
  try {
    ok(await store.acquireLease(LEAD_MS));
    await store.job(job);
    gate.freeze();
    const asked = rejects(store.job(job), { code: "store_unavailable" });
    let answered = false;
    const renewed = store.acquireLease(LEAD_MS).catch(() => false).finally(() => answered = true);
    await waitUntil("said to be down", () => Promise.resolve(!store.health().ok));
    equal(answered, false, "before the lease was given up");
    await asked;
    await renewed;
    gate.disconnect();
    await waitUntil(
      "its port is free again",
      () => Promise.resolve().then(() => (gate.open(), true)).catch(() => false),
    );
    await waitUntil("the lease is renewed", () => store.acquireLease(LEAD_MS).catch(() => false));
    deepEqual(store.health(), { ok: true });
  } finally {
    gate.disconnect();
    await store.close();
  }
});

test("deposits are read a page at a time, however many there are", async (url) => {
  const count = 12_345;
  const store = await openPostgresStore(url);
  await store.restore((async function* (): AsyncGenerator<ArchiveRow> {
    for (let leafIndex = 0; leafIndex < count; leafIndex++) {
      const deposit = { leafIndex, commitment: BigInt(leafIndex), timestamp: 0, txHash: "" };
      yield { kind: "deposit", pool, deposit };
    }
  })());
  await store.close();
  const database = new Database(url);
  const pages: number[] = [];
  const counted: Query = async (text, values) => {
    const rows = await database.query(text, values);
    pages.push(rows.length);
    return rows;
  };
  let next = 0;
  for await (const { leafIndex } of readDeposits(counted, pool, 0)) equal(leafIndex, next++);
  deepEqual([next, pages], [count, [5_000, 5_000, 2_345]]);
  const [{ rows }] = await database.query(
    "select reltuples as rows from pg_class where relname = 'deposits'",
  );
  equal(rows, count, "the server's planner knows of them at once");
  await database.close();
});

test("many that start at once on an empty database make its tables once", async (url) => {
  const outcomes = await Promise.all(Array.from({ length: 6 }, async () => {
    const database = new Database(url);
    const { found } = await migrate(database);
    await database.close();
    return found;
  }));
  deepEqual(outcomes.sort(), [0, ...Array(5).fill(SCHEMA_VERSION)]);
});

test("a journal of the release before keeps its jobs and takes superseded ones after the upgrade", async (url) => {
  const database = new Database(url);
  await migrate(database, migrations.slice(0, 3));
  const row = "$1, $2, 'failed', 5, $2, 7, 0, 1, 2, 3";
  await database.query(
    `insert into jobs (pool, nullifier_hash, state, query_id, root, fee, refund, failures, accepted_at, settled_at)
     values (${row})`,
    [pool, new Uint8Array(32).fill(9)],
  );
  deepEqual(await migrate(database), { found: 3, now: SCHEMA_VERSION });
  await database.close();
  const store = await openPostgresStore(url);
  ok(await store.acquireLease(LEAD_MS));
  const id = { pool, nullifierHash: BigInt(`0x${"09".repeat(32)}`) };
  equal((await store.job(id))!.state, "failed");
  await store.changeJob(id, (job) => ({ ...job, state: "superseded", capToken: "aa" }));
  const { state, capToken } = (await store.job(id))!;
  deepEqual([state, capToken], ["superseded", "aa"]);
  await store.close();
});

/** What the next release does at its start: this release's steps and one more. */
async function upgrade(url: string): Promise<void> {
  const database = new Database(url);
  try {
    await migrate(database, [...migrations, "alter table jobs add column note text"]);
  } finally {
    await database.close();
  }
}

for (const role of ["the leader", "a follower"]) {
  test(`${role} of an older release stops writing when a newer one upgrades the schema, and says why`, (url) =>
    withStores(url, 2, async (leader, follower) => {
      equal(await leader.acquireLease(LEAD_MS), true);
      await apply(leader, 0);
      await leader.addJob(job, () => false);
      const store = role === "the leader" ? leader : follower;
      const rows = () => postgresQuery(url, "select (select count(*) from jobs) as jobs, * from sync_cursor");
      const before = await rows();
      await upgrade(url);
      const newer = {
        code: "store_unavailable",
        message: new RegExp(
          `newer release has upgraded.*version ${
            SCHEMA_VERSION + 1
          }.*version ${SCHEMA_VERSION}.*stopped writing`,
        ),
      };
      await rejects(store.addJob({ ...job, nullifierHash: 78n }, () => false), newer);
      await rejects(store.acquireLease(LEAD_MS), newer);
      await rejects(
        apply(store, 1),
        role === "the leader" ? newer : { code: /store_unavailable|not_leader/ },
      );
      await store.liveJobs(); // an answer that arrives does not hide the reason
      const health = store.health();
      equal(health.ok, false);
      ok(!health.ok && /newer release/.test(health.reason));
      deepEqual(await rows(), before);
    }));
}

test("an upgrade waits for a write that is under way; one that begins meanwhile is refused", async (url) => {
  await withStores(url, 2, async (leader, follower) => {
    equal(await leader.acquireLease(LEAD_MS), true);
    await leader.addJob(job, () => false);
    const holding = new Database(url);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = holding.transaction(async (query) => {
      await query("select * from jobs for update"); // the write below waits for this row in its transaction
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const waiting = (count: number) =>
      waitUntil(`${count} wait`, async () => {
        const sessions = await postgresQuery(
          url,
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return sessions.length >= count;
      });
    const begun = leader.changeJob(job, (found) => ({ ...found, failures: 1 }));
    await waiting(1);
    const upgraded = upgrade(url);
    await waiting(2);
    const late = rejects(follower.addJob({ ...job, nullifierHash: 78n }, () => false), {
      code: "store_unavailable",
      message: /newer release/,
    });
    await waiting(3);
    release.resolve();
    await Promise.all([holder, begun, upgraded, late]);
    await holding.close();
    equal((await postgresQuery(url, "select failures from jobs"))[0].failures, "1");
  });
});

test("a schema of a newer release is refused, and left alone", async (url) => {
  await (await openPostgresStore(url)).close();
  await postgresQuery(url, `insert into schema_version (version) values (${SCHEMA_VERSION + 1})`);
  await rejects(openPostgresStore(url), { code: "invalid_config" });
});

test("a database that does not exist is a fault of the setting; one that does not answer is not", async (url) => {
  await rejects(openPostgresStore(`${url}_not`), (error) => {
    ok(error instanceof Problem);
    deepEqual([error.code, error.errors[0].pointer], ["invalid_config", "DATABASE_URL"]);
    return true;
  });
  await rejects(openPostgresStore("postgres://nobody:hunter2@127.0.0.1:1/x"), (error) => {
    ok(error instanceof Problem);
    equal(error.code, "store_unavailable");
    ok(!error.message.includes("hunter2"));
    return true;
  });
});
