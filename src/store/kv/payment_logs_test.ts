import { deepEqual, rejects } from "node:assert/strict";
import type { LogEntry, Withdrawal } from "../store.ts";
import { storeKeys } from "./codec.ts";
import { logEarlierPayments, loggedPools } from "./payment_logs.ts";
import { listValues, rowsFrom } from "./row_reads.ts";
import { writeWithdrawal } from "./row_writes.ts";

const pool = `0:${"ab".repeat(32)}`;
const other = `0:${"cd".repeat(32)}`;
const hash = (i: number) => i.toString(16).padStart(64, "0");
const payment = (n: number, timestamp: number, txHash = hash(n)): Withdrawal => ({
  nullifierHash: BigInt(n),
  fee: 1n,
  refund: 0n,
  timestamp,
  txHash,
});

async function withPayments(payments: readonly Withdrawal[], use: (kv: Deno.Kv) => Promise<void>) {
  const kv = await Deno.openKv(":memory:");
  try {
    for (const each of payments) await writeWithdrawal(kv.atomic(), pool, each).commit();
    await use(kv);
  } finally {
    kv.close();
  }
}

async function loggedIn(kv: Deno.Kv, owner = pool) {
  const entries = await Array.fromAsync(listValues<LogEntry>(kv, rowsFrom(storeKeys.log, owner, 0)));
  deepEqual(entries.map(({ position }) => position), entries.map((_, i) => i));
  return entries.map(({ value }) => Number(value));
}

function crashingAt(kv: Deno.Kv, commit: number): Deno.Kv {
  let commits = 0;
  const atomic = () => {
    const operation = kv.atomic();
    const write = operation.commit.bind(operation);
    operation.commit = () => ++commits === commit ? Promise.reject(new Error("crash")) : write();
    return operation;
  };
  return new Proxy(kv, {
    get: (target, name) =>
      name === "atomic" ? atomic : (target[name as keyof Deno.Kv] as () => void).bind(target),
  });
}

Deno.test("earlier payments are logged in the order of their times, then of their transactions", () =>
  withPayments([
    payment(1, 30),
    payment(2, 10, hash(9)),
    payment(3, 20),
    payment(4, 10, hash(8)),
    payment(6, 10, hash(7)),
    payment(5, 10, hash(7)),
  ], async (kv) => {
    await logEarlierPayments(kv, await loggedPools(kv));
    deepEqual(await loggedIn(kv), [5, 6, 4, 2, 3, 1]);
  }));

Deno.test("an upgrade that broke off is completed by the next one, and a complete log is left as it is", () =>
  withPayments(Array.from({ length: 200 }, (_, i) => payment(i, i)), async (kv) => {
    const expected = Array.from({ length: 200 }, (_, i) => i);
    await rejects(logEarlierPayments(crashingAt(kv, 3), new Set()), /crash/);
    deepEqual(await loggedPools(kv), new Set(), "its first entries are not there");
    await logEarlierPayments(kv, await loggedPools(kv));
    deepEqual(await loggedIn(kv), expected);
    deepEqual(await loggedPools(kv), new Set([pool]));
    await kv.delete(storeKeys.log(pool, 199));
    await writeWithdrawal(kv.atomic(), other, payment(7, 7)).commit();
    await logEarlierPayments(kv, await loggedPools(kv));
    deepEqual(await loggedIn(kv), expected.slice(0, 199));
    deepEqual(await loggedIn(kv, other), [7]);
  }));
