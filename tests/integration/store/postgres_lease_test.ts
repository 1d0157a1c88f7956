/** The replica that may write to a shared database. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { Lease } from "../../../src/store/postgres/lease.ts";
import { job, journalWrites, LEAD_MS, pool, test, withStores } from "../../support/store/postgres.ts";

test("one replica leads at a time; an expired lease goes to another, with a higher fencing token", (url) =>
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

test("a leader that released its lease cannot write, even before another one leads", (url) =>
  withStores(url, 1, async (store) => {
    ok(await store.acquireLease(LEAD_MS));
    await store.releaseLease();
    for (const [, write] of journalWrites) await rejects(write(store), { code: "not_leader" });
    deepEqual(await store.transfer(), undefined);
  }));

test("a lease that ends implausibly late blocks no other replica; a valid one does", (url) =>
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

test("a lease blocks others for at most twice the requested time", (url) =>
  withStores(url, 1, async (store) => {
    const heldFor = async (factor: number) => {
      const ms = factor * LEAD_MS;
      await postgresQuery(
        url,
        `update lease set holder = 'another', expires_at = clock_timestamp() + interval '${ms} ms'`,
      );
      return !await store.acquireLease(LEAD_MS);
    };
    deepEqual([await heldFor(1.9), await heldFor(2.1)], [true, false]);
  }));

test("of many concurrent requests for a new lease one succeeds and none fails", async (url) => {
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
  test(`${name} of a leader that lost the lease without noticing is refused`, (url) =>
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

test("a leader that writes continuously keeps its lease, and is not delayed by replicas that request it", (url) =>
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

test("a change of leader waits for a write in progress, and the next write of the old leader is refused", async (url) => {
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

test("a transaction that checked the lease keeps it until it ends, even if the lease expires meanwhile", async (url) => {
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

test("followers may add jobs: of 200 equal ones on three replicas exactly one is stored", (url) =>
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

test("a leader that hangs within a transaction delays its successor by seconds only", async (url) => {
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
