/** The tables of the PostgreSQL store: reading, creating and upgrading them. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import { readDeposits } from "../../../src/store/postgres/tables.ts";
import { Database, type Query } from "../../../src/store/postgres/database.ts";
import { migrate, SCHEMA_VERSION } from "../../../src/store/postgres/migrate.ts";
import { migrations } from "../../../src/store/postgres/schema.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { apply, job, LEAD_MS, pool, test, withStores } from "../../support/store/postgres.ts";

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
  for await (const { leafIndex } of readDeposits(counted, pool)) equal(leafIndex, next++);
  deepEqual([next, pages], [count, [5_000, 5_000, 2_345]]);
  const [{ rows }] = await database.query(
    "select reltuples as rows from pg_class where relname = 'deposits'",
  );
  equal(rows, count, "the server's planner knows of them at once");
  await database.close();
});

test("replicas that start at once on an empty database create its tables once", async (url) => {
  const outcomes = await Promise.all(Array.from({ length: 6 }, async () => {
    const database = new Database(url);
    const { found } = await migrate(database);
    await database.close();
    return found;
  }));
  deepEqual(outcomes.sort(), [0, ...Array(5).fill(SCHEMA_VERSION)]);
});

test("a journal of the previous release keeps its jobs, and accepts superseded ones after the upgrade", async (url) => {
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

/** Applies the migrations of the next release: this release's steps and one more. */
async function upgrade(url: string): Promise<void> {
  const database = new Database(url);
  try {
    await migrate(database, [...migrations, "alter table jobs add column note text"]);
  } finally {
    await database.close();
  }
}

for (const role of ["the leader", "a follower"]) {
  test(`${role} of an older release stops writing when a newer one upgrades the schema, and reports the reason`, (url) =>
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
      await store.liveJobs(); // a later answer does not hide the reason
      const health = store.health();
      equal(health.ok, false);
      ok(!health.ok && /newer release/.test(health.reason));
      deepEqual(await rows(), before);
    }));
}

test("an upgrade waits for a write in progress; a write that begins meanwhile is refused", async (url) => {
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

test("a schema of a newer release is refused and not changed", async (url) => {
  await (await openPostgresStore(url)).close();
  await postgresQuery(url, `insert into schema_version (version) values (${SCHEMA_VERSION + 1})`);
  await rejects(openPostgresStore(url), { code: "invalid_config" });
});

test("a database that does not exist is a configuration error; one that does not respond is not", async (url) => {
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
