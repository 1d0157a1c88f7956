import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Deposit, Job, LedgerEntry, LogEntry, Rollback, Withdrawal } from "../store.ts";
import { encodeValue, storeKeys } from "./codec.ts";
import { rollBackRows } from "./rollback.ts";
import { listValues, rowsFrom } from "./row_reads.ts";
import { writeDeposit, writeJob, writeLedger, writeLogEntry, writeWithdrawal } from "./row_writes.ts";

const pool = `0:${"ab".repeat(32)}`;
const other = `0:${"cd".repeat(32)}`;
const hash = (i: number) => i.toString(16).padStart(64, "0");
const cursor = (i: number) => ({ lt: BigInt(i), hash: hash(i) });
const FROM = cursor(1_000);

const deposit = (leafIndex: number): Deposit => ({
  leafIndex,
  commitment: BigInt(leafIndex),
  timestamp: 1,
  txHash: hash(leafIndex),
});
const withdrawal = (n: number): Withdrawal => ({
  nullifierHash: BigInt(n),
  fee: 1n,
  refund: 0n,
  timestamp: 1,
  txHash: hash(n),
});
const job = (n: number): Job => ({
  pool,
  nullifierHash: BigInt(n),
  state: "confirmed",
  queryId: 1n,
  root: 1n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: 1,
});
const LAST_LT = 2n ** 64n - 1n;
const entry = (lt: bigint): LedgerEntry => ({
  pool,
  kind: "withdrawal",
  txHash: lt.toString(16).padStart(64, "0"),
  lt,
  timestamp: 1,
  fee: 1n,
  gas: 1n,
  refund: 0n,
});
const logged = (position: number): LogEntry => ({
  kind: "payment",
  value: BigInt(position),
  settled: 1,
  position,
  txHash: hash(position),
});
const reopen = (job: Job): Job => ({ ...job, state: "accepted" });
const request = (change: Partial<Rollback> = {}): Rollback => ({
  pool,
  from: FROM,
  to: cursor(10),
  keptLeafCount: 10,
  nullifierHashes: [7n],
  keptLogLength: 2,
  ...change,
});

/** Opens a database with `deposits` leaves, payments of 6 and 7 with their jobs, and four entries of ledger and log. */
async function withRows(deposits: number, use: (kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  try {
    for (const owner of [pool, other]) {
      for (let i = 0; i < deposits; i++) await writeDeposit(kv.atomic(), owner, deposit(i)).commit();
      await kv.set(storeKeys.page(owner, 0), new Uint8Array(1));
      await kv.set(storeKeys.cursor(owner), encodeValue(FROM));
    }
    for (const n of [6, 7]) {
      await writeJob(writeWithdrawal(kv.atomic(), pool, withdrawal(n)), job(n)).commit();
    }
    for (const lt of [5n, 10n, 11n, LAST_LT]) await writeLedger(kv.atomic(), entry(lt)).commit();
    for (let i = 0; i < 4; i++) await writeLogEntry(kv.atomic(), pool, logged(i)).commit();
    await use(kv);
  } finally {
    kv.close();
  }
}

async function rowsOf(kv: Deno.Kv, owner = pool) {
  const leaves = (await Array.fromAsync(kv.list(rowsFrom(storeKeys.deposit, owner, 0)))).length;
  const payments = listValues<Withdrawal>(kv, { prefix: storeKeys.withdrawalsOf(owner) });
  const paid = await Array.fromAsync(payments, ({ nullifierHash }) => nullifierHash);
  const ledger = await Array.fromAsync(
    kv.list({ prefix: storeKeys.ledgerFrom(owner, 0n).slice(0, 2) }),
    ({ key }) => key[2],
  );
  const entries = listValues<LogEntry>(kv, rowsFrom(storeKeys.log, owner, 0));
  const log = await Array.fromAsync(entries, ({ position }) => position);
  const page = (await kv.get(storeKeys.page(owner, 0))).value !== null;
  return { leaves, paid, ledger, log, page };
}
const cursorOf = async (kv: Deno.Kv) => (await kv.get<Uint8Array>(storeKeys.cursor(pool))).value;
const liveCount = async (kv: Deno.Kv) =>
  (await Array.fromAsync(kv.list({ prefix: storeKeys.allLive }))).length;

Deno.test("a rollback removes what is later than its cursor, reopens the unpaid jobs and keeps other pools", () =>
  withRows(20, async (kv) => {
    const before = await rowsOf(kv, other);
    await rollBackRows(kv, request(), reopen);
    deepEqual(await rowsOf(kv), { leaves: 10, paid: [6n], ledger: [5n, 10n], log: [0, 1], page: false });
    deepEqual(await rowsOf(kv, other), before);
    deepEqual(await cursorOf(kv), encodeValue(cursor(10)));
    equal(await liveCount(kv), 1);
  }));

Deno.test("a rollback to the start leaves neither rows nor a cursor", () =>
  withRows(20, async (kv) => {
    await rollBackRows(
      kv,
      request({ to: undefined, keptLeafCount: 0, nullifierHashes: [6n, 7n], keptLogLength: 0 }),
      reopen,
    );
    deepEqual(await rowsOf(kv), { leaves: 0, paid: [], ledger: [], log: [], page: false });
    equal(await cursorOf(kv), null);
  }));

Deno.test("a rollback without rows moves the cursor", () =>
  withRows(0, async (kv) => {
    await rollBackRows(kv, request({ keptLogLength: 4, nullifierHashes: [], to: cursor(999) }), reopen);
    deepEqual(await cursorOf(kv), encodeValue(cursor(999)));
    deepEqual((await rowsOf(kv)).log, [0, 1, 2, 3]);
  }));

Deno.test("a job that does not reopen stays, and a payment without a job is removed", () =>
  withRows(20, async (kv) => {
    await kv.delete(storeKeys.job(pool, 6n));
    await rollBackRows(kv, request({ nullifierHashes: [6n, 7n] }), () => undefined);
    deepEqual([(await rowsOf(kv)).paid, await liveCount(kv)], [[], 0]);
  }));

Deno.test("a rollback of a store that has moved on is refused, and removes nothing", () =>
  withRows(20, async (kv) => {
    const before = await rowsOf(kv);
    await rejects(rollBackRows(kv, request({ from: cursor(999) }), reopen), { code: "store_conflict" });
    deepEqual(await rowsOf(kv), before);
  }));

function failing(kv: Deno.Kv, outcomes: Readonly<Record<number, "conflict" | "crash">>): Deno.Kv {
  let commits = 0;
  const atomic = () => {
    const operation = kv.atomic();
    const commit = operation.commit.bind(operation);
    operation.commit = () => {
      const outcome = outcomes[++commits];
      if (outcome === "crash") return Promise.reject(new Error("crash"));
      return outcome === "conflict" ? Promise.resolve({ ok: false }) : commit();
    };
    return operation;
  };
  return new Proxy(kv, {
    get: (target, name) =>
      name === "atomic" ? atomic : (target[name as keyof Deno.Kv] as () => void).bind(target),
  });
}

Deno.test("a commit that conflicts with another writer is repeated, in each part of a large rollback", () =>
  withRows(200, async (kv) => {
    await rollBackRows(failing(kv, { 1: "conflict", 2: "conflict", 4: "conflict" }), request(), reopen);
    deepEqual(await rowsOf(kv), { leaves: 10, paid: [6n], ledger: [5n, 10n], log: [0, 1], page: false });
  }));

Deno.test("a rollback that crashed keeps its cursor, has removed the newest leaves, and the same call completes it", () =>
  withRows(200, async (kv) => {
    await rejects(rollBackRows(failing(kv, { 2: "crash" }), request(), reopen), /crash/);
    deepEqual(await cursorOf(kv), encodeValue(FROM));
    deepEqual([(await rowsOf(kv)).leaves, (await rowsOf(kv)).paid], [110, [6n, 7n]]);
    await rollBackRows(kv, request(), reopen);
    deepEqual(await rowsOf(kv), { leaves: 10, paid: [6n], ledger: [5n, 10n], log: [0, 1], page: false });
    deepEqual(await cursorOf(kv), encodeValue(cursor(10)));
  }));
