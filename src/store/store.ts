/** Every method is one atomic step, durable when it resolves, and fails at once if the store is down. */
import { Problem } from "../core/errors/problem.ts";
import type { withdrawalStates } from "../core/protocol/api/relayer_api.ts";
import type { TransactionId } from "../ton/chain.ts";
import type {
  DepositEvent,
  PoolEvent,
  RefusedEvent,
  SkippedEvent,
  WithdrawalEvent,
} from "../ton/pool/history/pool_events.ts";

/** Raw address, `<workchain>:<64 hex digits>`. */
export type PoolId = string;

export type Cursor = TransactionId;

export interface Deposit {
  readonly leafIndex: number;
  readonly commitment: bigint;
  readonly timestamp: number; // the block's time in Unix seconds
  readonly txHash: string;
}

export interface LeafRange {
  readonly firstIndex: number;
  readonly commitments: Uint8Array; // 32 big-endian bytes each
  readonly times: Uint32Array; // Unix seconds of their blocks
}

/** A paid note, by any sender. */
export interface Withdrawal {
  readonly nullifierHash: bigint;
  readonly fee: bigint; // in the smallest unit of the pool's asset
  readonly refund: bigint; // nano
  readonly timestamp: number; // the block's time in Unix seconds
  readonly txHash: string;
}

/** `confirmed`: paid as submitted. `superseded`: another proof of the note was paid. */
export type JobState = (typeof withdrawalStates)[number];

/** A withdrawal that this relayer accepted. Times in Unix milliseconds. */
export interface Job {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
  readonly state: JobState;
  /** Identifies the job's message among those of our wallet. Random; a resend adds the nullifier hash to it. */
  readonly queryId: bigint;
  readonly root: bigint;
  /** In the smallest unit of the pool's asset: as submitted, or for a paid job, what the pool paid. */
  readonly fee: bigint;
  readonly refund: bigint; // nano
  /** Deleted when the job ends, so that no finished proof is kept. */
  readonly message?: JobMessage;
  readonly failures: number;
  readonly acceptedAt: number;
  /** Earliest signing time; grows when a transfer ends without the message. */
  readonly notBefore?: number;
  readonly attempts?: number;
  readonly broadcastAt?: number;
  readonly endedAt?: number;
  /** The wallet's seqno and the message's normalised hash in the last transfer. */
  readonly seqno?: number;
  readonly messageHash?: string;
  readonly txHash?: string; // the pool's transaction that ended the job
  readonly reason?: string;
  /** Random. Counts against the hourly caps; released if the job fails or expires. */
  readonly capToken?: string;
}

interface JobMessage {
  readonly recipient: string; // raw address
  readonly proof: string; // BoC of the proof cell, base64
}

export interface JobId {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
}

/** Journaled before it is sent, ended when it can no longer be included. */
export interface Transfer {
  readonly seqno: number;
  readonly validUntil: number; // Unix seconds of the chain's clock
  readonly hash: string; // normalised hash of the external message
  readonly boc: Uint8Array;
  readonly jobs: readonly (JobId & { readonly queryId: bigint })[];
  readonly signedAt: number; // Unix seconds of the chain's clock
}

/** What one transaction earned and cost this relayer. Its key is the pool, `lt` and `txHash`. */
export interface LedgerEntry {
  readonly pool: PoolId;
  /**
   * `refused`: a message of ours that the pool refused. `transfer`: the wallet's own fees, or, negative, coins that
   * returned after a withdrawal of jettons. `settlement`: `gas` is its cost without the reward, negative for a profit.
   * `top_up`: `gas` is the amount added to the pool, in nano; 0 if the transfer was not found on chain.
   */
  readonly kind: "withdrawal" | "settlement" | "refused" | "transfer" | "top_up";
  /**
   * Hash of the pool's transaction; of a transfer, its normalised message hash; of returned coins and of a top-up, the
   * wallet's transaction.
   */
  readonly txHash: string;
  /** Logical time of the pool's transaction; 0 for a transfer and a top-up, which a rollback of the pool keeps. */
  readonly lt: bigint;
  readonly timestamp: number; // Unix seconds of the block
  readonly fee: bigint; // earned, in the smallest unit of the pool's asset
  /** Nano that the chain and the pool kept, without the refund. */
  readonly gas: bigint;
  readonly refund: bigint; // nano that the recipient got as refund
}

/** A settlement or a payment, in the order of the pool's log. In version 2 it decides the root numbers and the spent set. */
export interface LogEntry {
  readonly position: number; // counts from 0, without gaps
  readonly kind: "settlement" | "payment";
  readonly value: bigint; // the new root, or the nullifier hash
  /** Number of settled deposits after this entry; 0 in a version 1 pool. */
  readonly settled: number;
  readonly txHash: string;
}

export interface EventBatch {
  readonly pool: PoolId;
  /** Oldest first, at most {@link Store.batchLimit}. */
  readonly events: readonly PoolEvent[];
  /** The cursor before these events; undefined at the start. */
  readonly from: Cursor | undefined;
  readonly to: Cursor;
  readonly ledger?: readonly LedgerEntry[];
  readonly log?: readonly LogEntry[];
}

export interface Rollback {
  readonly pool: PoolId;
  readonly from: Cursor;
  /** The last transaction on chain whose events are stored, if any. */
  readonly to: Cursor | undefined;
  readonly keptLeafCount: number;
  readonly nullifierHashes: readonly bigint[];
  /** Entries of the pool's log that stay. Default: none. */
  readonly keptLogLength?: number;
}

/** Returns a changed job, or undefined to keep it. Must be pure: an adapter may repeat the call. */
export type JobChange = (job: Job) => Job | undefined;

/** An event that may end a job, or have it sent again. */
export type JobEvent =
  | WithdrawalEvent
  | SkippedEvent
  | (RefusedEvent & { readonly nullifierHash: bigint });

/** `reason` names no server. */
export type StoreHealth = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * One process at a time leads, and only its journal writes succeed, except {@linkcode Store.addJob}. Every
 * method may throw `store_unavailable`. The outcome of a write is then unknown: read before the next step.
 * Methods used by the API throw `overloaded` under load.
 */
export interface Store {
  readonly batchLimit: number;

  /** Other processes may share the store, so it must be polled for their writes. */
  readonly isShared: boolean;

  health(): StoreHealth;

  /** Acquires or renews the lease for `ms` milliseconds. Returns false if another process leads. */
  acquireLease(ms: number): Promise<boolean>;

  releaseLease(): Promise<void>;

  cursor(pool: PoolId): Promise<Cursor | undefined>;

  /**
   * Appends the events, lets `change` change the job that each event names, and moves the cursor, atomically.
   * @throws {Problem} `store_conflict` if the stored cursor is not `from`; `not_leader`
   */
  apply(batch: EventBatch, change: (job: Job, event: JobEvent) => Job | undefined): Promise<void>;

  /**
   * Removes later payments, deposits and ledger entries, lets `reopen` change the jobs of those payments, and sets the
   * cursor back. Atomic, except in a store with limited transactions: there, the same call completes an interrupted
   * rollback. Throws as {@linkcode Store.apply}.
   */
  rollBack(rollback: Rollback, reopen: JobChange): Promise<void>;

  withdrawals(pool: PoolId): AsyncIterable<Withdrawal>;

  /** In order, from `leafIndex` on. After a missing row, the next range starts behind the gap. */
  leaves(pool: PoolId, leafIndex: number): AsyncIterable<LeafRange>;

  poolLog(pool: PoolId, position: number): AsyncIterable<LogEntry>;

  deposit(pool: PoolId, leafIndex: number): Promise<Deposit | undefined>;

  withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined>;

  job(id: JobId): Promise<Job | undefined>;

  /**
   * Adds a job, or replaces one that ended without payment if `replaces` agrees. Returns undefined, or else
   * the conflicting job or the withdrawal on chain. Of concurrent equal jobs one is added.
   */
  addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined>;

  /** Changes a job and returns it; undefined if there is none. Throws `not_leader`. */
  changeJob(id: JobId, change: JobChange): Promise<Job | undefined>;

  /** Oldest first. */
  liveJobs(): Promise<Job[]>;

  transfer(): Promise<Transfer | undefined>;

  /** Before the first send. Throws `store_conflict` if another transfer is in flight; `not_leader`. */
  beginTransfer(transfer: Transfer): Promise<void>;

  /** Does nothing if the transfer has ended. Throws `not_leader`. */
  endTransfer(hash: string, ledger?: readonly LedgerEntry[]): Promise<void>;

  /** Yields the ledger of all pools in any order, from a time on and before another (Unix seconds). */
  ledger(since: number, until: number): AsyncIterable<LedgerEntry>;

  /** `before` in Unix milliseconds; payment rows are kept. Returns the number. Throws `not_leader`. */
  deleteEndedJobs(before: number): Promise<number>;

  close(): Promise<void>;
}

export function jobKey({ pool, nullifierHash }: JobId): string {
  return `${pool} ${nullifierHash}`;
}

export function toDeposit({ leafIndex, commitment, timestamp, tx }: DepositEvent): Deposit {
  return { leafIndex, commitment, timestamp, txHash: tx.hash };
}

export function toWithdrawal({ nullifierHash, fee, refund, timestamp, tx }: WithdrawalEvent): Withdrawal {
  return { nullifierHash, fee, refund, timestamp, txHash: tx.hash };
}

/** Returns undefined for an event that concerns no job. */
export function toJobEvent(event: PoolEvent): JobEvent | undefined {
  if (event.kind === "withdrawal" || event.kind === "skipped") return event;
  if (event.kind !== "refused" || event.nullifierHash === undefined) return undefined;
  return { ...event, nullifierHash: event.nullifierHash };
}

export function isLive(job: Job): boolean {
  return job.state === "accepted" || job.state === "broadcast";
}

export function isPaid({ state }: Pick<Job, "state">): boolean {
  return state === "confirmed" || state === "superseded";
}

export function assertCursorIs(expected: Cursor | undefined, stored: Cursor | undefined): void {
  if (stored?.hash !== expected?.hash || stored?.lt !== expected?.lt) throw cursorMovedProblem();
}

export function cursorMovedProblem(): Problem {
  return new Problem("store_conflict", "the cursor of this pool was moved by another writer");
}
