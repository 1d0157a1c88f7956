import { Buffer } from "node:buffer";
import { bytesToBigint, fieldToBytes } from "../../core/crypto/field.ts";
import type { Cursor, Deposit, Job, JobState, Transfer, Withdrawal } from "../store.ts";
import type { Row } from "./database.ts";

export function fieldToBytea(x: bigint): Buffer {
  return Buffer.from(fieldToBytes(x));
}

export function byteaToBigint(bytes: unknown): bigint {
  return bytesToBigint(bytes as Uint8Array);
}

export function rowToCursor({ lt, hash }: Row): Cursor {
  return { lt: BigInt(lt as string), hash: hash as string };
}

export function rowToDeposit(row: Row): Deposit {
  return {
    leafIndex: row.leaf_index as number,
    commitment: byteaToBigint(row.commitment),
    timestamp: Number(row.timestamp),
    txHash: row.tx_hash as string,
  };
}

export function rowToWithdrawal(row: Row): Withdrawal {
  return {
    nullifierHash: byteaToBigint(row.nullifier_hash),
    fee: BigInt(row.fee as string),
    refund: BigInt(row.refund as string),
    timestamp: Number(row.timestamp),
    txHash: row.tx_hash as string,
  };
}

/** A null column is an absent member. */
const NULLABLE_JOB_COLUMNS = {
  not_before: "notBefore",
  attempts: "attempts",
  broadcast_at: "broadcastAt",
  settled_at: "settledAt",
  seqno: "seqno",
  message_hash: "messageHash",
  tx_hash: "txHash",
  reason: "reason",
  cap_token: "capToken",
} as const satisfies Record<string, keyof Job>;
const TEXT_JOB_COLUMNS: readonly string[] = ["message_hash", "tx_hash", "reason", "cap_token"];

/** The first two are the key. */
export const JOB_COLUMNS: readonly string[] = [
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
  ...Object.keys(NULLABLE_JOB_COLUMNS),
];

export function jobToValues(job: Job): unknown[] {
  return [
    job.pool,
    fieldToBytea(job.nullifierHash),
    job.state,
    job.queryId,
    fieldToBytea(job.root),
    job.fee,
    job.refund,
    job.message?.recipient ?? null,
    job.message?.proof ?? null,
    job.failures,
    job.acceptedAt,
    ...Object.values(NULLABLE_JOB_COLUMNS).map((member) => job[member] ?? null),
  ];
}

export function rowToJob(row: Row): Job {
  const members = Object.entries(NULLABLE_JOB_COLUMNS).flatMap(([column, member]) => {
    const value = row[column];
    return value === null ? [] : [[member, TEXT_JOB_COLUMNS.includes(column) ? value : Number(value)]];
  });
  return {
    pool: row.pool as string,
    nullifierHash: byteaToBigint(row.nullifier_hash),
    state: row.state as JobState,
    queryId: BigInt(row.query_id as string),
    root: byteaToBigint(row.root),
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

export function transferToValues({ hash, seqno, validUntil, boc, jobs, signedAt }: Transfer): unknown[] {
  const named = jobs.map(({ pool, nullifierHash, queryId }) => ({
    pool,
    nullifierHash: String(nullifierHash),
    queryId: String(queryId),
  }));
  return [hash, seqno, validUntil, Buffer.from(boc), JSON.stringify(named), signedAt];
}

export function rowToTransfer(row: Row): Transfer {
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
