/** Rows to values and back. The driver gives bytea as bytes and every wide integer as decimal text. */
import { Buffer } from "node:buffer";
import { bytesToBigint, toBytes } from "../../core/field.ts";
import type { Cursor, Deposit, Job, JobState, Transfer, Withdrawal } from "../store.ts";
import type { Row } from "./database.ts";

/** A field element as bytea. */
export function element(x: bigint): Buffer {
  return Buffer.from(toBytes(x));
}

/** bytea as an integer. */
export function integer(bytes: unknown): bigint {
  return bytesToBigint(bytes as Uint8Array);
}

export function cursorOf({ lt, hash }: Row): Cursor {
  return { lt: BigInt(lt as string), hash: hash as string };
}

export function depositOfRow(row: Row): Deposit {
  return {
    leafIndex: row.leaf_index as number,
    commitment: integer(row.commitment),
    timestamp: Number(row.timestamp),
    txHash: row.tx_hash as string,
  };
}

export function withdrawalOfRow(row: Row): Withdrawal {
  return {
    nullifierHash: integer(row.nullifier_hash),
    fee: BigInt(row.fee as string),
    refund: BigInt(row.refund as string),
    timestamp: Number(row.timestamp),
    txHash: row.tx_hash as string,
  };
}

/** Columns of `jobs` that may be null, and the members that are then absent. */
const optional = {
  not_before: "notBefore",
  attempts: "attempts",
  broadcast_at: "broadcastAt",
  settled_at: "settledAt",
  seqno: "seqno",
  message_hash: "messageHash",
  tx_hash: "txHash",
  reason: "reason",
} as const satisfies Record<string, keyof Job>;
const textual: readonly string[] = ["message_hash", "tx_hash", "reason"];

/** Every column of `jobs`; the first two name the row. */
export const jobColumns: readonly string[] = [
  "pool",
  "nullifier_hash",
  "state",
  "query_id",
  "root",
  "fee",
  "refund",
  "recipient",
  "proof",
  "failures",
  "accepted_at",
  ...Object.keys(optional),
];

/** Values of {@linkcode jobColumns}. */
export function jobValues(job: Job): unknown[] {
  return [
    job.pool,
    element(job.nullifierHash),
    job.state,
    job.queryId,
    element(job.root),
    job.fee,
    job.refund,
    job.message?.recipient ?? null,
    job.message?.proof ?? null,
    job.failures,
    job.acceptedAt,
    ...Object.values(optional).map((member) => job[member] ?? null),
  ];
}

export function jobOfRow(row: Row): Job {
  const members = Object.entries(optional).flatMap(([column, member]) => {
    const value = row[column];
    return value === null ? [] : [[member, textual.includes(column) ? value : Number(value)]];
  });
  return {
    pool: row.pool as string,
    nullifierHash: integer(row.nullifier_hash),
    state: row.state as JobState,
    queryId: BigInt(row.query_id as string),
    root: integer(row.root),
    fee: BigInt(row.fee as string),
    refund: BigInt(row.refund as string),
    ...row.recipient === null || row.proof === null
      ? {}
      : { message: { recipient: row.recipient as string, proof: row.proof as string } },
    failures: row.failures as number,
    acceptedAt: Number(row.accepted_at),
    ...Object.fromEntries(members),
  };
}

/** Values of `transfers`: hash, seqno, valid_until, boc, jobs, signed_at. */
export function transferValues({ hash, seqno, validUntil, boc, jobs, signedAt }: Transfer): unknown[] {
  const named = jobs.map(({ pool, nullifierHash, queryId }) => ({
    pool,
    nullifierHash: String(nullifierHash),
    queryId: String(queryId),
  }));
  return [hash, seqno, validUntil, Buffer.from(boc), JSON.stringify(named), signedAt];
}

export function transferOfRow(row: Row): Transfer {
  const jobs = row.jobs as { pool: string; nullifierHash: string; queryId: string }[];
  return {
    seqno: Number(row.seqno),
    validUntil: Number(row.valid_until),
    hash: row.hash as string,
    boc: new Uint8Array(row.boc as Uint8Array),
    jobs: jobs.map(({ pool, nullifierHash, queryId }) => ({
      pool,
      nullifierHash: BigInt(nullifierHash),
      queryId: BigInt(queryId),
    })),
    signedAt: Number(row.signed_at),
  };
}
