/** Rows of every kind, as many as a test wants: what a relayer has after a busy while. */
import type { ArchivedStore, ArchiveRow } from "../../src/store/archive.ts";
import type { JobState } from "../../src/store/store.ts";

/** Two pools, one of them on the masterchain, whose id is negative. */
export const pools = [`0:${"ab".repeat(32)}`, `-1:${"07".repeat(32)}`] as const;

const states: readonly JobState[] = ["accepted", "broadcast", "confirmed", "failed", "expired"];
const hash = (i: number) => i.toString(16).padStart(64, "0");
/** Far apart, and as wide as field elements get. */
const element = (i: number) => 2n ** 250n + BigInt(i) * 2n ** 200n + BigInt(i);

/** `deposits` a pool, a fifth as many withdrawals, `jobs` in all states a pool, and a transfer in flight. */
export function* someRows({ deposits, jobs }: { deposits: number; jobs: number }): Generator<ArchiveRow> {
  yield { kind: "identity", identity: { network: "testnet", wallet: pools[1] } };
  for (const pool of pools) {
    yield { kind: "cursor", pool, cursor: { lt: 2n ** 62n + BigInt(deposits), hash: hash(deposits) } };
  }
  const live: { pool: string; nullifierHash: bigint; queryId: bigint }[] = [];
  for (const pool of pools) {
    for (let i = 0; i < jobs; i++) {
      const state = states[i % states.length];
      const isLive = state === "accepted" || state === "broadcast";
      const id = { pool, nullifierHash: element(i), queryId: 2n ** 64n - 1n - BigInt(i) };
      if (state === "broadcast" && live.length < 4) live.push(id);
      yield {
        kind: "job",
        job: {
          ...id,
          state,
          root: element(i + 7),
          fee: 50_000_000n + BigInt(i),
          refund: i % 3 === 0 ? 10n ** 30n : 0n,
          ...isLive
            ? { message: { recipient: pool, proof: "te6cckEBAQEAAgAAAEysuc0=" } }
            : { settledAt: 1_700_000_000_000 + i },
          failures: i % 4,
          acceptedAt: 1_600_000_000_000 + i,
          ...state === "accepted" && i % 2 ? { notBefore: 1_800_000_000_000, attempts: 2 } : {},
          ...state === "accepted" ? {} : { broadcastAt: 1_650_000_000_000, seqno: i, messageHash: hash(i) },
          ...state === "confirmed" ? { txHash: hash(i + 1_000_000) } : {},
          ...state === "failed" ? { txHash: hash(i), reason: 'ERR_PROOF_INVALID "quoted", \\ and ☃' } : {},
          ...state === "expired" ? { reason: "its root left the pool's history" } : {},
        },
      };
    }
  }
  yield {
    kind: "transfer",
    transfer: {
      seqno: 41,
      validUntil: 1_700_000_060,
      hash: hash(41),
      boc: Uint8Array.from({ length: 60_000 }, (_, i) => i % 251),
      jobs: live,
      signedAt: 1_700_000_000,
    },
  };
  for (const pool of pools) {
    for (let i = 0; i < deposits; i++) {
      const deposit = { leafIndex: i, commitment: element(i), timestamp: 1_700_000_000 + i, txHash: hash(i) };
      yield { kind: "deposit", pool, deposit };
    }
  }
  for (const pool of pools) {
    const paid = new Set(
      Array.from({ length: jobs }, (_, i) => i).filter((i) => states[i % states.length] === "confirmed"),
    );
    for (let i = jobs; i < jobs + deposits / 5; i++) paid.add(i);
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
}

/** A store's rows in an order that does not depend on its kind. */
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
