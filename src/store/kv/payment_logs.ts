/** Adds the logs of payments that stores of earlier releases lack. */
import { fieldToHex } from "../../core/crypto/field.ts";
import type { PoolId, Withdrawal } from "../store.ts";
import { parsePoolKey, storeKeys } from "./codec.ts";
import { listRows } from "./row_reads.ts";
import { writeLogEntry } from "./row_writes.ts";

const ENTRIES_PER_COMMIT = 90;

/** Returns the pools whose log is complete: its first entry is written last. */
export async function loggedPools(kv: Deno.Kv): Promise<ReadonlySet<PoolId>> {
  const pools = new Set<PoolId>();
  for await (const { key } of kv.list({ prefix: storeKeys.allLogs })) {
    if (key[2] === 0) pools.add(parsePoolKey(key));
  }
  return pools;
}

/** The rows have no order within one second. The order chosen here is permanent. */
export async function logEarlierPayments(kv: Deno.Kv, logged: ReadonlySet<PoolId>): Promise<void> {
  const payments = new Map<PoolId, Withdrawal[]>();
  for await (const [key, payment] of listRows<Withdrawal>(kv, { prefix: storeKeys.allWithdrawals })) {
    const pool = parsePoolKey(key);
    if (logged.has(pool)) continue;
    if (!payments.has(pool)) payments.set(pool, []);
    payments.get(pool)!.push(payment);
  }
  for (const [pool, found] of payments) {
    found.sort(compareInTime);
    for (let end = found.length; end > 0; end -= ENTRIES_PER_COMMIT) {
      const start = Math.max(0, end - ENTRIES_PER_COMMIT);
      const atomic = kv.atomic();
      for (const [i, { nullifierHash, txHash }] of found.slice(start, end).entries()) {
        const entry = { position: start + i, kind: "payment", settled: 0 } as const;
        writeLogEntry(atomic, pool, { ...entry, value: nullifierHash, txHash });
      }
      await atomic.commit();
    }
  }
}

function compareInTime(a: Withdrawal, b: Withdrawal): number {
  if (a.timestamp !== b.timestamp) return a.timestamp - b.timestamp;
  const key = ({ txHash, nullifierHash }: Withdrawal) => `${txHash} ${fieldToHex(nullifierHash)}`;
  return key(a) < key(b) ? -1 : 1;
}
