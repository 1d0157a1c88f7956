import type { LedgerEntry, PoolId, Store } from "../../store/store.ts";

export interface LedgerSums {
  /** Withdrawals that earned a fee or were sent by this relayer. */
  readonly paid: number;
  readonly refused: number;
  readonly fees: bigint; // in the smallest unit of the pool's asset
  readonly gas: bigint; // nano, without refunds
  readonly refunds: bigint; // nano
}

export interface ReportRow extends LedgerSums {
  readonly day: string; // `YYYY-MM-DD`, UTC
  readonly pool: PoolId;
}

const NOTHING: LedgerSums = { paid: 0, refused: 0, fees: 0n, gas: 0n, refunds: 0n };

/** Oldest first. `since` (inclusive) and `until` (exclusive) in Unix seconds. Throws `store_unavailable`. */
export async function reportProfit(
  store: Pick<Store, "ledger">,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<ReportRow[]> {
  const rows = new Map<string, ReportRow>();
  for await (const entry of store.ledger(since, until)) {
    const day = new Date(entry.timestamp * 1_000).toISOString().slice(0, 10);
    const key = `${day} ${entry.pool}`;
    const row = rows.get(key) ?? { day, pool: entry.pool, ...NOTHING };
    rows.set(key, { ...row, ...addSums(row, toSums(entry)) });
  }
  return [...rows].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
}

export function sumByPool(rows: readonly ReportRow[]): Map<PoolId, LedgerSums> {
  const totals = new Map<PoolId, LedgerSums>();
  for (const row of rows) totals.set(row.pool, addSums(totals.get(row.pool) ?? NOTHING, row));
  return totals;
}

function toSums({ kind, fee, gas, refund }: LedgerEntry): LedgerSums {
  const [paid, refused] = [Number(kind === "withdrawal"), Number(kind === "refused")];
  return { paid, refused, fees: fee, gas, refunds: refund };
}

function addSums(a: LedgerSums, b: LedgerSums): LedgerSums {
  return {
    paid: a.paid + b.paid,
    refused: a.refused + b.refused,
    fees: a.fees + b.fees,
    gas: a.gas + b.gas,
    refunds: a.refunds + b.refunds,
  };
}
