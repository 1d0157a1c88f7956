/** The tables of a store, and what is read from them in pages. */
import { Buffer } from "node:buffer";
import type { StoreIdentity } from "../identity.ts";
import type { Cursor, Deposit, Job, LedgerEntry, LogEntry, PoolId, Transfer, Withdrawal } from "../store.ts";
import type { Query } from "./database.ts";
import { type Column, fieldElement, fieldToBytea, integer, numeric, Table, text } from "./table.ts";

/** Exactly one of several concurrent inserts succeeds. */
export const identityTable = new Table<StoreIdentity>(
  "identity",
  { network: text("network"), wallet: text("wallet") },
  "on conflict do nothing",
);

export const cursorTable = new Table<Cursor>("sync_cursor", { lt: numeric("lt"), hash: text("hash") });

export const depositTable = new Table<Deposit>("deposits", {
  leafIndex: integer("leaf_index"),
  commitment: fieldElement("commitment"),
  timestamp: integer("timestamp", "bigint"),
  txHash: text("tx_hash"),
});

export const withdrawalTable = new Table<Withdrawal>("withdrawals", {
  nullifierHash: fieldElement("nullifier_hash"),
  fee: numeric("fee"),
  refund: numeric("refund"),
  timestamp: integer("timestamp", "bigint"),
  txHash: text("tx_hash"),
});

export const logTable = new Table<LogEntry>("pool_log", {
  position: integer("position"),
  kind: text("kind"),
  value: fieldElement("value"),
  settled: integer("settled"),
  txHash: text("tx_hash"),
});

/** Entries that exist are kept: returned coins are booked again after a restart. */
export const ledgerTable = new Table<LedgerEntry>("ledger", {
  pool: text("pool"),
  lt: numeric("lt"),
  txHash: text("tx_hash"),
  kind: text("kind"),
  timestamp: integer("timestamp", "bigint"),
  fee: numeric("fee"),
  gas: numeric("gas"),
  refund: numeric("refund"),
}, "on conflict do nothing");

type JobRow = Omit<Job, "message"> & Partial<NonNullable<Job["message"]>>;

/** The first two columns are the key. */
export const jobTable = new Table<JobRow>("jobs", {
  pool: text("pool"),
  nullifierHash: fieldElement("nullifier_hash"),
  state: text("state"),
  queryId: numeric("query_id"),
  root: fieldElement("root"),
  fee: numeric("fee"),
  refund: numeric("refund"),
  recipient: text("recipient"),
  proof: text("proof"),
  failures: integer("failures"),
  acceptedAt: integer("accepted_at", "bigint"),
  notBefore: integer("not_before", "bigint"),
  attempts: integer("attempts"),
  broadcastAt: integer("broadcast_at", "bigint"),
  endedAt: integer("settled_at", "bigint"),
  seqno: integer("seqno", "bigint"),
  messageHash: text("message_hash"),
  txHash: text("tx_hash"),
  reason: text("reason"),
  capToken: text("cap_token"),
});

export function toJobRow({ message, ...job }: Job): JobRow {
  return { ...job, ...message };
}

/** Recipient and proof are written together. */
export function fromJobRow({ recipient, proof, ...job }: JobRow): Job {
  return proof === undefined ? job : { ...job, message: { recipient: recipient!, proof } };
}

const transferJobs: Column<Transfer["jobs"]> = {
  name: "jobs",
  type: "jsonb",
  encode: (jobs) => JSON.stringify(jobs, (_, value) => typeof value === "bigint" ? String(value) : value),
  decode: (stored) =>
    (stored as { pool: PoolId; nullifierHash: string; queryId: string }[]).map((job) => ({
      pool: job.pool,
      nullifierHash: BigInt(job.nullifierHash),
      queryId: BigInt(job.queryId),
    })),
};

export const transferTable = new Table<Transfer>("transfers", {
  hash: text("hash"),
  seqno: integer("seqno", "bigint"),
  validUntil: integer("valid_until", "bigint"),
  boc: {
    name: "boc",
    type: "bytea",
    encode: Buffer.from,
    decode: (stored) => new Uint8Array(stored as Uint8Array),
  },
  jobs: transferJobs,
  signedAt: integer("signed_at", "bigint"),
});

export function readDeposits(query: Query, pool: PoolId): AsyncIterable<Deposit> {
  return depositTable.read(query, "where leaf_index >= $1 and pool = $2 order by leaf_index", {
    start: [0],
    after: ({ leafIndex }) => [leafIndex + 1],
    fixed: [pool],
  });
}

export function readWithdrawals(query: Query, pool: PoolId): AsyncIterable<Withdrawal> {
  return withdrawalTable.read(
    query,
    "where nullifier_hash > $1::bytea and pool = $2 order by nullifier_hash",
    { start: [""], after: ({ nullifierHash }) => [fieldToBytea(nullifierHash)], fixed: [pool] },
  );
}

export function readPoolLog(query: Query, pool: PoolId, position: number): AsyncIterable<LogEntry> {
  return logTable.read(query, "where position >= $1 and pool = $2 order by position", {
    start: [position],
    after: (last) => [last.position + 1],
    fixed: [pool],
  });
}

export function readLedger(query: Query, since: number, until: number): AsyncIterable<LedgerEntry> {
  return ledgerTable.read(
    query,
    `where (pool, lt, tx_hash) > ($1, $2::numeric, $3) and "timestamp" >= $4 and "timestamp" < $5
     order by pool, lt, tx_hash`,
    { start: ["", 0, ""], after: ({ pool, lt, txHash }) => [pool, lt, txHash], fixed: [since, until] },
  );
}
