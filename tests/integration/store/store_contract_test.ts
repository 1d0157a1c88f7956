/**
 * What every store must do, run against each of them: a new adapter is one more row of `stores`. PostgreSQL is a real
 * server, once reached directly and once through a transaction pooler.
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import type {
  DepositEvent,
  PoolEvent,
  RefusedEvent,
  WithdrawalEvent,
} from "../../../src/ton/pool/pool_events.ts";
import { pgbouncerServer, throughPgbouncer } from "../../../testkit/servers/pgbouncer.ts";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import type { Cursor, Job, SettlingEvent, Store, Transfer } from "../../../src/store/store.ts";

/** Opens the same store again and again: what one opening wrote, the next one finds. */
interface Opening {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const postgres = (reach: (url: string) => Promise<string>) => async (): Promise<Opening> => {
  const database = await freshDatabase();
  const url = await reach(database.url);
  return { open: () => openPostgresStore(url), remove: async () => await database[Symbol.asyncDispose]() };
};

const stores: [name: string, ignore: boolean, prepare: () => Promise<Opening>][] = [
  ["kv", false, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-store-" });
    return { open: () => openKvStore(directory), remove: () => Deno.remove(directory, { recursive: true }) };
  }],
  ["postgres", !await postgresServer(), postgres((url) => Promise.resolve(url))],
  ["postgres behind PgBouncer", !await pgbouncerServer(), postgres(throughPgbouncer)],
];
/** Longer than any test. */
const LEAD_MS = 600_000;

const pool = new Address(0, Buffer.alloc(32, 0xab)).toRawString();
const otherPool = new Address(-1, Buffer.alloc(32)).toRawString();
const sender = new Address(0, Buffer.alloc(32, 1));
const at = (i: number): Cursor => ({ lt: BigInt(i), hash: i.toString(16).padStart(64, "0") });
const base = (i: number) => ({
  tx: at(i),
  timestamp: 1_700_000_000 + i,
  sender,
  queryId: BigInt(i),
  messageHash: "",
});
const deposit = (i: number): DepositEvent => ({
  kind: "deposit",
  ...base(i),
  leafIndex: i,
  commitment: 1000n + BigInt(i),
});
const leaf = (i: number) => ({
  leafIndex: i,
  commitment: 1000n + BigInt(i),
  timestamp: 1_700_000_000 + i,
});
const withdrawal = (i: number, nullifierHash: bigint): WithdrawalEvent => ({
  kind: "withdrawal",
  ...base(i),
  nullifierHash,
  fee: 5n,
  refund: 0n,
  recipient: sender,
  relayer: null,
});
const refusal = (i: number, nullifierHash?: bigint): RefusedEvent => ({
  kind: "refused",
  ...base(i),
  op: "withdraw",
  exitCode: 201,
  ...(nullifierHash === undefined ? {} : { nullifierHash }),
});
const job = (nullifierHash: bigint, more: Partial<Job> = {}): Job => ({
  pool,
  nullifierHash,
  state: "accepted",
  queryId: 2n ** 64n - 1n,
  root: 7n,
  fee: 50_000_000n,
  refund: 0n,
  message: { recipient: pool, proof: "te6cc" },
  failures: 0,
  acceptedAt: 1,
  ...more,
});
const transfer = (hash: string): Transfer => ({
  seqno: 3,
  validUntil: 1_700_000_060,
  hash,
  boc: new Uint8Array(60_000).fill(9),
  jobs: [{ pool, nullifierHash: 1n, queryId: 5n }],
  signedAt: 1_700_000_000,
});
const keep = () => undefined;
const confirm = (found: Job, event: SettlingEvent): Job | undefined =>
  event.kind === "withdrawal" ? { ...found, state: "confirmed", txHash: event.tx.hash } : undefined;

for (const [name, ignore, prepare] of stores) {
  const test = (
    claim: string,
    act: (store: Store, opening: Opening, reopen: () => Promise<Store>) => Promise<void>,
  ) =>
    Deno.test({
      name: `${name} store: ${claim}`,
      ignore,
      async fn() {
        const opening = await prepare();
        const lead = async () => {
          const store = await opening.open();
          ok(await store.acquireLease(LEAD_MS));
          return store;
        };
        let store = await lead();
        try {
          await act(store, opening, async () => {
            await store.releaseLease();
            await store.close();
            return store = await lead();
          });
        } finally {
          await store.close();
          await opening.remove();
        }
      },
    });
  const apply = (
    store: Store,
    events: PoolEvent[],
    from: number | undefined,
    to: number,
    settle = keep as typeof confirm,
  ) => store.apply({ pool, events, from: from === undefined ? undefined : at(from), to: at(to) }, settle);

  test("what was applied is there after a restart", async (store, _, reopen) => {
    await apply(store, [deposit(0), withdrawal(1, 77n), deposit(1)], undefined, 9);
    const again = await reopen();
    deepEqual(await again.cursor(pool), at(9));
    deepEqual(await readLeaves(again, pool), [leaf(0), leaf(1)]);
    const { leafIndex, timestamp, txHash } = (await again.deposit(pool, 1001n))!;
    deepEqual([leafIndex, timestamp, txHash], [1, 1_700_000_001, at(1).hash]);
    deepEqual((await again.withdrawal(pool, 77n))!.txHash, at(1).hash);
  });

  test("a pool knows nothing of another pool's rows", async (store) => {
    await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
    equal(await store.cursor(otherPool), undefined);
    equal(await store.deposit(otherPool, 1000n), undefined);
    equal(await store.withdrawal(otherPool, 77n), undefined);
    deepEqual(await readLeaves(store, otherPool), []);
  });

  test("leaves come in order from the asked one on, wherever pages end", async (store, _, reopen) => {
    const count = 2_345;
    const asked = [0, 1, 1_023, 1_024, 1_025, 1_100, 2_047, 2_048, 2_049, count - 1, count, count + 5_000];
    for (let i = 0, from: number | undefined; i < count; from = i - 1) {
      const events = Array.from({ length: Math.min(store.batchLimit, count - i) }, (_, k) => deposit(i + k));
      i += events.length;
      await apply(store, events, from, i - 1);
      deepEqual((await readLeaves(store, pool, i - 1)).map(({ leafIndex }) => leafIndex), [i - 1]);
    }
    const again = await reopen();
    for (const from of asked) {
      const expected = Array.from({ length: Math.max(0, count - from) }, (_, k) => leaf(from + k));
      deepEqual(await readLeaves(again, pool, from), expected, `from ${from}`);
    }
  });

  test("leaves of a store that misses a row go on behind it, and say where", async (store) => {
    const missing = new Set([0, 5, 6, 1_023, 1_500, 2_048]);
    const left = Array.from({ length: 2_200 }, (_, i) => i).filter((i) => !missing.has(i));
    for (let i = 0, from: number | undefined; i < left.length; from = i) {
      const events = left.slice(i, i + 90).map(deposit);
      i += events.length;
      await apply(store, events, from, i);
    }
    deepEqual((await readLeaves(store, pool)).map(({ leafIndex }) => leafIndex), left);
  });

  test(
    "what is taken back leaves neither rows nor pages, and what stays is as it was",
    async (store, _, reopen) => {
      const count = 1_100;
      for (let i = 0, from: number | undefined; i < count;) {
        const events = Array.from(
          { length: Math.min(store.batchLimit, count - i) },
          (_, k) => deposit(i + k),
        );
        i += events.length;
        await apply(store, events, from, from = i);
      }
      await store.addJob(job(77n), () => false);
      await store.addJob(job(78n), () => false);
      await apply(store, [withdrawal(1_101, 77n), withdrawal(1_102, 78n)], count, 2_000, confirm);
      const untruth = { pool, from: at(2_000), to: at(700), keptLeafCount: 700, nullifierHashes: [78n] };
      await store.rollBack(untruth, (found) => ({ ...found, state: "expired" }));
      const again = await reopen();
      deepEqual(await again.cursor(pool), at(700));
      deepEqual(await readLeaves(again, pool), Array.from({ length: 700 }, (_, i) => leaf(i)));
      equal(await again.deposit(pool, leaf(700).commitment), undefined);
      ok(await again.deposit(pool, leaf(699).commitment));
      deepEqual((await Array.fromAsync(again.withdrawals(pool))).map((row) => row.nullifierHash), [77n]);
      const states = [77n, 78n].map(async (nullifierHash) =>
        (await again.job({ pool, nullifierHash }))!.state
      );
      deepEqual(await Promise.all(states), ["confirmed", "expired"]);
      await apply(again, [{ ...deposit(700), commitment: 5n }, withdrawal(1_103, 78n)], 700, 701, confirm);
      deepEqual(await readLeaves(again, pool, 700), [{ ...leaf(700), commitment: 5n }]);
      equal((await again.job({ pool, nullifierHash: 78n }))!.state, "confirmed");
    },
  );

  test("all of a pool is taken back, and the next batch is its first", async (store) => {
    await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
    await store.rollBack(
      { pool, from: at(9), to: undefined, keptLeafCount: 0, nullifierHashes: [77n] },
      keep,
    );
    equal(await store.cursor(pool), undefined);
    await apply(store, [deposit(0)], undefined, 3);
    deepEqual(await readLeaves(store, pool), [leaf(0)]);
    equal(await store.withdrawal(pool, 77n), undefined);
  });

  test("nothing is taken back by who does not know the cursor", async (store) => {
    await apply(store, [deposit(0), withdrawal(1, 77n)], undefined, 9);
    const untruth = { pool, from: at(8), to: undefined, keptLeafCount: 0, nullifierHashes: [77n] };
    await rejects(store.rollBack(untruth, keep), { code: "store_conflict" });
    deepEqual(await readLeaves(store, pool), [leaf(0)]);
    ok(await store.withdrawal(pool, 77n));
  });

  test("every payment of a pool is read, of no other one", async (store) => {
    await apply(store, [withdrawal(1, 0n), withdrawal(2, 2n ** 250n), withdrawal(3, 7n)], undefined, 9);
    const rows = await Array.fromAsync(store.withdrawals(pool));
    deepEqual(rows.map((row) => row.nullifierHash).sort((a, b) => Number(a - b)), [0n, 7n, 2n ** 250n]);
    deepEqual(await Array.fromAsync(store.withdrawals(otherPool)), []);
  });

  test("a batch that does not continue the cursor leaves neither rows nor cursor", async (store) => {
    await apply(store, [deposit(0)], undefined, 5);
    for (const from of [undefined, 4, 6]) {
      await rejects(apply(store, [deposit(1), withdrawal(2, 77n)], from, 8), { code: "store_conflict" });
    }
    deepEqual(await store.cursor(pool), at(5));
    equal(await store.deposit(pool, 1001n), undefined);
    equal(await store.withdrawal(pool, 77n), undefined);
  });

  test("of two writers that continue the same cursor one gets in", async (store) => {
    const outcomes = await Promise.allSettled([
      apply(store, [deposit(0)], undefined, 5),
      apply(store, [deposit(0)], undefined, 6),
    ]);
    deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  });

  test("a batch at the limit, all of it settling jobs, fits in one step", async (store) => {
    const hashes = Array.from({ length: store.batchLimit }, (_, i) => 2n ** 250n + BigInt(i));
    for (let i = 0; i < hashes.length; i += 50) {
      await Promise.all(hashes.slice(i, i + 50).map((hash) => store.addJob(job(hash), () => false)));
    }
    equal((await store.liveJobs()).length, hashes.length);
    await apply(store, hashes.map((hash, i) => withdrawal(i, hash)), undefined, 1_000, confirm);
    equal((await store.job({ pool, nullifierHash: hashes.at(-1)! }))!.state, "confirmed");
    deepEqual(await store.liveJobs(), []);
  });

  test("a job is settled in the same step as its event, and a refused batch settles nothing", async (store) => {
    await store.addJob(job(77n), () => false);
    await rejects(apply(store, [withdrawal(1, 77n)], 3, 9, confirm), { code: "store_conflict" });
    equal((await store.job({ pool, nullifierHash: 77n }))!.state, "accepted");
    await apply(
      store,
      [refusal(0), refusal(1, 77n), withdrawal(2, 77n), refusal(3, 77n)],
      undefined,
      9,
      confirm,
    );
    const { state, txHash } = (await store.job({ pool, nullifierHash: 77n }))!;
    deepEqual([state, txHash], ["confirmed", at(2).hash]);
  });

  test("a job comes back as it was written, after a restart too", async (store, _, reopen) => {
    await store.addJob(
      job(77n, { seqno: 4, messageHash: "ab", notBefore: 12, capToken: "c0-ff" }),
      () => false,
    );
    deepEqual(
      await (await reopen()).job({ pool, nullifierHash: 77n }),
      job(77n, { seqno: 4, messageHash: "ab", notBefore: 12, capToken: "c0-ff" }),
    );
  });

  test("of 200 equal jobs at once exactly one gets in, the others are told which", async (store) => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const add = () => store.addJob(job(77n, { queryId: BigInt(i) }), () => true);
        const again = (error: unknown): ReturnType<typeof add> => {
          if (!(error instanceof Problem) || error.code !== "overloaded") throw error;
          return add().catch(again); // as it tells to: nothing was done yet
        };
        return add().catch(again);
      }),
    );
    equal(answers.filter((answer) => answer === undefined).length, 1);
    const { queryId } = (await store.job({ pool, nullifierHash: 77n }))!;
    for (const answer of answers) if (answer) equal((answer as Job).queryId, queryId);
  });

  test("a job that ended is replaced only when the caller says so, a live one never", async (store) => {
    await store.addJob(job(77n), () => false);
    ok(await store.addJob(job(77n), () => true));
    await store.changeJob({ pool, nullifierHash: 77n }, (found) => ({ ...found, state: "failed" }));
    ok(await store.addJob(job(77n, { queryId: 8n }), () => false));
    equal(await store.addJob(job(77n, { queryId: 8n }), (found) => found.state === "failed"), undefined);
    equal((await store.job({ pool, nullifierHash: 77n }))!.queryId, 8n);
  });

  test("a superseded job has ended: it is not live, keeps what was paid, and goes with the old ones", async (store) => {
    await store.addJob(job(77n), () => false);
    const paid = { state: "superseded", fee: 3n, settledAt: 5 } as const;
    await apply(store, [withdrawal(1, 77n)], undefined, 9, (found) => ({ ...found, ...paid }));
    deepEqual(await store.job({ pool, nullifierHash: 77n }), { ...job(77n), ...paid });
    deepEqual(await store.liveJobs(), []);
    ok(await store.addJob(job(77n, { queryId: 8n }), () => false));
    equal(await store.deleteEndedJobs(6), 1);
    ok(await store.withdrawal(pool, 77n));
  });

  test("a note that was paid out on chain takes no job", async (store) => {
    await apply(store, [withdrawal(1, 77n)], undefined, 9);
    equal((await store.addJob(job(77n), () => true) as { txHash: string }).txHash, at(1).hash);
    equal(await store.job({ pool, nullifierHash: 77n }), undefined);
  });

  test("a job and the payment of its note at once: the job is refused or settled, never left alive", async (store) => {
    const hashes = Array.from({ length: 60 }, (_, i) => 9_000n + BigInt(i));
    const indexed = (async () => {
      for (const [i, hash] of hashes.entries()) {
        await apply(store, [withdrawal(i, hash)], i === 0 ? undefined : i - 1, i, confirm);
      }
    })();
    for (const hash of hashes) await store.addJob(job(hash), () => false);
    await indexed;
    deepEqual(await store.liveJobs(), []);
  });

  test("ended jobs are forgotten by age, live ones and payments never", async (store) => {
    const end = (hash: bigint, settledAt: number) =>
      store.changeJob({ pool, nullifierHash: hash }, (found) => ({ ...found, state: "failed", settledAt }));
    await apply(store, [withdrawal(1, 5n)], undefined, 9);
    for (const hash of [1n, 2n, 3n]) await store.addJob(job(hash), () => false);
    await end(1n, 99);
    await end(2n, 100);
    equal(await store.deleteEndedJobs(100), 1);
    const left = await Promise.all([1n, 2n, 3n].map((nullifierHash) => store.job({ pool, nullifierHash })));
    deepEqual(left.map((found) => found?.state), [undefined, "failed", "accepted"]);
    ok(await store.withdrawal(pool, 5n));
    equal(await store.addJob(job(1n), () => false), undefined);
  });

  test("a job that replaces an ended one while ended jobs are deleted is kept", async (store) => {
    const hashes = Array.from({ length: 60 }, (_, i) => 500n + BigInt(i));
    for (const hash of hashes) {
      await store.addJob(job(hash), () => false);
      await store.changeJob(
        { pool, nullifierHash: hash },
        (found) => ({ ...found, state: "failed", settledAt: 1 }),
      );
    }
    const deleting = store.deleteEndedJobs(100);
    await store.addJob(job(hashes[50], { queryId: 999n }), () => true);
    await deleting;
    const left = await Promise.all(hashes.map((nullifierHash) => store.job({ pool, nullifierHash })));
    deepEqual(left.flatMap((found) => found ? [[found.nullifierHash, found.queryId]] : []), [[
      hashes[50],
      999n,
    ]]);
  });

  test("a reader of deposits who leaves early leaves nothing open", async (store) => {
    const events = Array.from({ length: 20 }, (_, i) => deposit(i));
    await apply(store, events, undefined, 20);
    for (let i = 0; i < 30; i++) {
      for await (const { firstIndex: first } of store.leaves(pool, 3)) {
        equal(first, 3);
        break;
      }
    }
  });

  test("live jobs are listed oldest first, ended ones are not", async (store) => {
    for (const [hash, acceptedAt] of [[1n, 30], [2n, 10], [3n, 20]] as const) {
      await store.addJob(job(hash, { acceptedAt }), () => false);
    }
    await store.changeJob({ pool, nullifierHash: 3n }, (found) => ({ ...found, state: "expired" }));
    deepEqual((await store.liveJobs()).map((found) => found.nullifierHash), [2n, 1n]);
  });

  test("changes of one job at once are all made, one after the other", async (store) => {
    await store.addJob(job(77n), () => false);
    const more = () =>
      store.changeJob({ pool, nullifierHash: 77n }, (found) => ({ ...found, failures: found.failures + 1 }));
    await Promise.all(Array.from({ length: 20 }, more));
    equal((await store.job({ pool, nullifierHash: 77n }))!.failures, 20);
    equal(await store.changeJob({ pool, nullifierHash: 78n }, (found) => found), undefined);
  });

  test("a signed transfer survives a restart byte for byte", async (store, _, reopen) => {
    await store.beginTransfer(transfer("aa"));
    deepEqual(await (await reopen()).transfer(), transfer("aa"));
  });

  test("there is one transfer in flight, and only its own hash ends it", async (store) => {
    equal(await store.transfer(), undefined);
    await store.beginTransfer(transfer("aa"));
    await rejects(store.beginTransfer(transfer("bb")), { code: "store_conflict" });
    await store.endTransfer("bb");
    equal((await store.transfer())!.hash, "aa");
    await store.endTransfer("aa");
    equal(await store.transfer(), undefined);
    await store.beginTransfer(transfer("bb"));
  });
}

Deno.test("kv store: a directory that is in use is refused, and free again after closing", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-store-" });
  const store = await openKvStore(`${directory}/made/on/the/way`);
  await rejects(openKvStore(`${directory}/made/on/the/way`), { code: "folder_in_use" });
  await store.close();
  await (await openKvStore(`${directory}/made/on/the/way`)).close();
  await Deno.remove(directory, { recursive: true });
});
