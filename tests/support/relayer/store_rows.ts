/** Generates rows of every kind for store tests, as a relayer has after busy operation. */
import { withdrawalStates } from "../../../src/core/protocol/api/relayer_api.ts";
import type { ArchivedStore, ArchiveRow } from "../../../src/store/archive.ts";
import { isPaid, type Job } from "../../../src/store/store.ts";

/** Two pools. One is on the masterchain, with a negative workchain id. */
export const samplePools = [`0:${"ab".repeat(32)}`, `-1:${"07".repeat(32)}`] as const;

const states = withdrawalStates;
const hash = (i: number) => i.toString(16).padStart(64, "0");
/** Returns widely spread values as wide as field elements. */
const element = (i: number) => 2n ** 250n + BigInt(i) * 2n ** 200n + BigInt(i);

/** The number of rows of some kinds, per pool. */
interface RowCounts {
  readonly deposits: number;
  readonly jobs: number;
}

/**
 * Generates `deposits` per pool, a fifth as many withdrawals, `jobs` in all states per pool, and a transfer in
 * flight. The second pool is of version 2: its log has settlements too.
 */
export function* generateRows({ deposits, jobs }: RowCounts): Generator<ArchiveRow> {
  yield { kind: "identity", identity: { network: "testnet", wallet: samplePools[1] } };
  for (const pool of samplePools) {
    yield { kind: "cursor", pool, cursor: { lt: 2n ** 62n + BigInt(deposits), hash: hash(deposits) } };
  }
  for (const pool of samplePools) {
    for (let i = 0; i < jobs; i++) yield { kind: "job", job: createJob(pool, i) };
  }
  yield createTransfer(jobs);
  for (const pool of samplePools) yield* ledgerRows(pool, jobs);
  for (const pool of samplePools) yield* depositRows(pool, deposits);
  const paid = paidNotes({ deposits, jobs });
  for (const pool of samplePools) yield* withdrawalRows(pool, paid);
  for (const [i, pool] of samplePools.entries()) yield* logRows(pool, paid, i === 0 ? 0 : deposits);
}

const jobState = (i: number) => states[i % states.length];
const jobId = (pool: string, i: number) => ({
  pool,
  nullifierHash: element(i),
  queryId: 2n ** 64n - 1n - BigInt(i),
});

function createJob(pool: string, i: number): Job {
  const state = jobState(i);
  const isLive = state === "accepted" || state === "broadcast";
  return {
    ...jobId(pool, i),
    state,
    root: element(i + 7),
    fee: 50_000_000n + BigInt(i),
    refund: i % 3 === 0 ? 10n ** 30n : 0n,
    ...isLive
      ? { message: { recipient: pool, proof: "te6cckEBAQEAAgAAAEysuc0=" } }
      : { endedAt: 1_700_000_000_000 + i },
    failures: i % 4,
    acceptedAt: 1_600_000_000_000 + i,
    ...state === "accepted" && i % 2 ? { notBefore: 1_800_000_000_000, attempts: 2 } : {},
    ...state === "accepted" ? {} : { broadcastAt: 1_650_000_000_000, seqno: i, messageHash: hash(i) },
    ...isPaid({ state }) ? { txHash: hash(i + 1_000_000) } : {},
    ...state === "failed" ? { txHash: hash(i), reason: 'ERR_PROOF_INVALID "quoted", \\ and ☃' } : {},
    ...i % 5 === 0 ? { capToken: `0e1f-${i}` } : {},
    ...state === "expired" ? { reason: "its root left the pool's history" } : {},
  };
}

/** Returns a transfer of the first broadcast jobs, at most four. */
function createTransfer(jobs: number): ArchiveRow {
  const broadcast = samplePools.flatMap((pool) =>
    Array.from({ length: jobs }, (_, i) => i).filter((i) => jobState(i) === "broadcast")
      .map((i) => jobId(pool, i))
  );
  return {
    kind: "transfer",
    transfer: {
      seqno: 41,
      validUntil: 1_700_000_060,
      hash: hash(41),
      boc: Uint8Array.from({ length: 60_000 }, (_, i) => i % 251),
      jobs: broadcast.slice(0, 4),
      signedAt: 1_700_000_000,
    },
  };
}

function* ledgerRows(pool: string, jobs: number): Generator<ArchiveRow> {
  for (const [i, kind] of (["withdrawal", "refused", "transfer"] as const).entries()) {
    const own = { txHash: hash(2_000_000 + i), lt: kind === "transfer" ? 0n : 2n ** 61n + BigInt(i) };
    const paid = kind === "withdrawal" ? { txHash: hash(jobs + 1_000_000) } : {};
    const amounts = { fee: 10n ** 40n + BigInt(i), gas: i === 1 ? -5n : 7n, refund: BigInt(i) };
    yield {
      kind: "ledger",
      entry: { pool, kind, ...own, ...paid, timestamp: 1_700_000_000 + i, ...amounts },
    };
  }
}

function* depositRows(pool: string, deposits: number): Generator<ArchiveRow> {
  for (let i = 0; i < deposits; i++) {
    const deposit = { leafIndex: i, commitment: element(i), timestamp: 1_700_000_000 + i, txHash: hash(i) };
    yield { kind: "deposit", pool, deposit };
  }
}

/** Returns the numbers of the paid notes: those of paid jobs, and others up to a fifth of the deposits. */
function paidNotes({ deposits, jobs }: RowCounts): ReadonlySet<number> {
  const paid = new Set(
    Array.from({ length: jobs }, (_, i) => i).filter((i) => isPaid({ state: jobState(i) })),
  );
  for (let i = jobs; i < jobs + deposits / 5; i++) paid.add(i);
  return paid;
}

function* withdrawalRows(pool: string, paid: ReadonlySet<number>): Generator<ArchiveRow> {
  for (const i of paid) {
    const withdrawal = {
      nullifierHash: element(i),
      fee: 2n ** 120n - 1n - BigInt(i),
      refund: BigInt(i),
      timestamp: 1_700_000_000 + i,
      txHash: hash(i + 1_000_000),
    };
    yield { kind: "withdrawal", pool, withdrawal };
  }
}

/** `settled` is the number of settled deposits, 0 in a version 1 pool. */
function* logRows(pool: string, paid: ReadonlySet<number>, settled: number): Generator<ArchiveRow> {
  const settlements = settled === 0 ? [] : [1, settled];
  const log = [
    ...settlements.map((end) => ({ kind: "settlement" as const, value: element(end), settled: end })),
    ...Array.from(paid, (i) => ({ kind: "payment" as const, value: element(i), settled })),
  ];
  for (const [position, entry] of log.entries()) {
    yield { kind: "log", pool, entry: { ...entry, position, txHash: hash(position) } };
  }
}

/** Returns a store's rows in an order that does not depend on the kind of store. */
export async function sortedRows(store: ArchivedStore): Promise<string[]> {
  const rows: string[] = [];
  for await (const row of store.rows()) {
    rows.push(
      JSON.stringify(
        row,
        (_, value) =>
          typeof value === "bigint"
            ? String(value)
            : value instanceof Uint8Array
            ? [...value].join()
            : isRecord(value)
            ? Object.fromEntries(
              Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1),
            )
            : value,
      ),
    );
  }
  return rows.sort();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
