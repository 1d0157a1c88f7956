/**
 * A database that is slow, disconnected or full. The server and the failing proxy in front of it are real.
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import { startTcpProxy } from "../../../testkit/servers/tcp_proxy.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import {
  apply,
  job,
  journalWrites,
  LEAD_MS,
  pool,
  test,
  transfer,
  withStores,
} from "../../support/store/postgres.ts";

test("connections that break between any two statements leave rows and cursor consistent", (url) =>
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
      // The failed write may have been applied: the cursor shows whether it was.
      const cursor = await store.cursor(pool).catch(() => undefined);
      if (cursor) next = Number(cursor.lt) + 1;
    }
    done = true;
    await breaking;
    ok(broken > 0, "some were broken");
    const leaves = (await readLeaves(store, pool)).map(({ leafIndex }) => leafIndex);
    deepEqual(leaves, Array.from({ length: count }, (_, i) => i));
  }));

test("every method reports a database that is down, and works again when it is back", async (url) => {
  await using gate = startTcpProxy(url, 5432);
  const store = await openPostgresStore(gate.url);
  try {
    ok(await store.acquireLease(LEAD_MS));
    await apply(store, 0);
    deepEqual(store.health(), { ok: true });
    gate.disconnect();
    const asks: (() => Promise<unknown>)[] = [
      () => store.cursor(pool),
      () => store.deposit(pool, 1),
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

test("a read-only server is not healthy although it answers reads, and its connections are not kept", (url) =>
  withStores(url, 2, async (leader, follower) => {
    ok(await leader.acquireLease(LEAD_MS));
    await apply(leader, 0);
    const name = new URL(url).pathname.slice(1);
    const server = Object.assign(new URL(url), { pathname: "/postgres" }).href;
    // As after a failover: new connections reach a server that refuses writes.
    await postgresQuery(server, `alter database ${name} set default_transaction_read_only = on`);
    await postgresQuery(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    for (const store of [leader, follower]) {
      await waitUntil("reads are answered", () => store.cursor(pool).then(() => true, () => false));
      await waitUntil(
        "the lease is refused",
        () => store.acquireLease(LEAD_MS).then(() => false, () => true),
      );
      for (let i = 0; i < 3; i++) {
        await rejects(store.acquireLease(LEAD_MS), { code: "store_unavailable" });
        await rejects(store.addJob(job, () => true), { code: "store_unavailable" });
        await store.cursor(pool);
        deepEqual(store.health(), { ok: false, reason: "the database refuses writes (25006)" });
      }
    }
    await rejects(apply(leader, 1), { code: "store_unavailable" });
    await postgresQuery(server, `alter database ${name} reset default_transaction_read_only`);
    ok(await leader.acquireLease(LEAD_MS));
    await apply(leader, 1);
    equal(await follower.acquireLease(LEAD_MS), false);
    for (const store of [leader, follower]) {
      await store.addJob(job, () => true);
      deepEqual(store.health(), { ok: true });
    }
  }));

test("when API load uses every connection, requests get overloaded, the lease is renewed and the journal is written", (url) =>
  withStores(url, 1, async (store) => {
    ok(await store.acquireLease(LEAD_MS));
    // Every statement about jobs waits for this lock, so no connection of the API becomes free.
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

test("a network that drops every packet is detected by the lease timeout, and the store works again when packets pass", async (url) => {
  await using gate = startTcpProxy(url, 5432);
  const store = await openPostgresStore(gate.url);
  try {
    ok(await store.acquireLease(LEAD_MS));
    await store.job(job);
    gate.freeze();
    const requests = rejects(store.job(job), { code: "store_unavailable" });
    let answered = false;
    const renewed = store.acquireLease(LEAD_MS).catch(() => false).finally(() => answered = true);
    await waitUntil("said to be down", () => Promise.resolve(!store.health().ok));
    equal(answered, false, "before the lease was given up");
    await requests;
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
