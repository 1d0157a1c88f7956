/**
 * The port to durable data: pool events, withdrawals, and the signed transfer in flight. Every method is one atomic
 * step, durable when it resolves, and fails without waiting if the store is down. Functions passed in by `relay`
 * decide on states; the store makes them atomic.
 */
import { Problem } from "../core/errors/problem.ts";
import type { withdrawalStates } from "../core/protocol/relayer_api.ts";
import type { TransactionId } from "../ton/chain.ts";
import type { DepositEvent, PoolEvent, RefusedEvent, WithdrawalEvent } from "../ton/pool/pool_events.ts";

/** A pool's raw address, `<workchain>:<64 hex digits>`. */
export type PoolId = string;

/** The last applied transaction of a pool. */
export type Cursor = TransactionId;

/** A leaf of a pool's tree. */
export interface Deposit {
  readonly leafIndex: number;
  readonly commitment: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  /** Hash of the pool's transaction. */
  readonly txHash: string;
}

/** Consecutive leaves of a pool's tree, packed. */
export interface LeafRange {
  /** Index of the first. */
  readonly firstIndex: number;
  /** 32 big-endian bytes each. */
  readonly commitments: Uint8Array;
  /** Unix seconds of their blocks. */
  readonly times: Uint32Array;
}

/** A paid note, whoever submitted it. Amounts in nano. */
export interface Withdrawal {
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  /** Hash of the pool's transaction. */
  readonly txHash: string;
}

/** State of a withdrawal. `confirmed`: paid as submitted. `superseded`: another proof of the same note was paid. */
export type JobState = (typeof withdrawalStates)[number];

/** A withdrawal that this relayer accepted. Times in unix milliseconds, amounts in nano. */
export interface Job {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
  readonly state: JobState;
  /** Random and part of the message: identifies our own message at the pool. */
  readonly queryId: bigint;
  readonly root: bigint;
  /** As submitted; of a paid job, what the pool paid. */
  readonly fee: bigint;
  readonly refund: bigint;
  /** Data for the message only; deleted when the job ends, so that no finished proof is kept. */
  readonly message?: JobMessage;
  /** Failures on chain so far. */
  readonly failures: number;
  readonly acceptedAt: number;
  /** Earliest signing time; grows each time a transfer ends without the message. */
  readonly notBefore?: number;
  readonly attempts?: number;
  readonly broadcastAt?: number;
  readonly settledAt?: number;
  /** Of the last transfer with this job: wallet seqno and normalised hash of the external message. */
  readonly seqno?: number;
  readonly messageHash?: string;
  /** The pool's transaction that settled the job. */
  readonly txHash?: string;
  /** Why it failed or expired. */
  readonly reason?: string;
  /** Random: its count against the hourly caps, which is given back if it fails or expires. */
  readonly capToken?: string;
}

/** The parts of a withdraw message that its job row does not contain. */
export interface JobMessage {
  /** Raw address. */
  readonly recipient: string;
  /** BoC of the proof cell, base64. */
  readonly proof: string;
}

/** Key of a job. */
export interface JobId {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
}

/** The single signed transfer in flight: journaled before it is sent, ended when it can no longer be included. */
export interface Transfer {
  readonly seqno: number;
  /** Unix seconds, chain's clock. */
  readonly validUntil: number;
  /** Normalised hash of the external message. */
  readonly hash: string;
  /** BoC of the whole external message. */
  readonly boc: Uint8Array;
  readonly jobs: readonly (JobId & { readonly queryId: bigint })[];
  /** Unix seconds, chain's clock. */
  readonly signedAt: number;
}

/** What one transaction earned and cost this relayer. Its key is the pool, `lt` and `txHash`. */
export interface LedgerEntry {
  readonly pool: PoolId;
  /** `refused`: a message of ours that the pool refused. `transfer`: the wallet's own fees. */
  readonly kind: "withdrawal" | "refused" | "transfer";
  /** Hash of the pool's transaction; of a transfer, its normalised message hash. */
  readonly txHash: string;
  /** Logical time of the pool's transaction; 0 for a transfer, which a rollback of the pool keeps. */
  readonly lt: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  /** Earned, in the smallest unit of the pool's asset. */
  readonly fee: bigint;
  /** Nano that the chain and the pool kept, without the refund. */
  readonly gas: bigint;
  /** Nano that the recipient got as refund. */
  readonly refund: bigint;
}

/** Arguments of {@link Store.apply}. */
export interface EventBatch {
  readonly pool: PoolId;
  /** Oldest first, at most {@link Store.batchLimit}. */
  readonly events: readonly PoolEvent[];
  /** The cursor before these events; undefined at the start. */
  readonly from: Cursor | undefined;
  readonly to: Cursor;
  /** What these events earned and cost. Default: nothing. */
  readonly ledger?: readonly LedgerEntry[];
}

/** Arguments of {@link Store.rollBack}: rows of transactions that are not on chain. */
export interface Rollback {
  readonly pool: PoolId;
  /** The current cursor, which is not on chain. */
  readonly from: Cursor;
  /** The last transaction on chain whose events are stored; undefined if there is none. */
  readonly to: Cursor | undefined;
  /** Number of leaves to keep. */
  readonly keptLeafCount: number;
  /** Nullifier hashes of the payments to remove. */
  readonly nullifierHashes: readonly bigint[];
}

/** Returns a changed job, or undefined to leave it unchanged. Must be pure: an adapter may call it again. */
export type JobChange = (job: Job) => Job | undefined;

/** An event that may settle a job: it names a nullifier hash. */
export type SettlingEvent = WithdrawalEvent | (RefusedEvent & { readonly nullifierHash: bigint });

/** Whether the store answers, and the reason if not, which names no server. */
export type StoreHealth = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Implementations: KV (embedded) and PostgreSQL. All pass `store_contract_test.ts`.
 *
 * One process at a time leads, and only its journal writes succeed; {@link Store.addJob} is open to all. A replica
 * that lost the lease cannot write, even before it notices.
 *
 * Every method throws `store_unavailable` if the store does not answer. The outcome of a write is then unknown: read
 * before the next step. Methods used by the API throw `overloaded` under excessive load.
 */
export interface Store {
  /** Maximum number of events per {@link Store.apply}. */
  readonly batchLimit: number;

  /** Whether other processes may share the store; their writes must be polled for. */
  readonly isShared: boolean;

  /** As of the last answer. */
  health(): StoreHealth;

  /** Acquires or renews the lead for `ms` milliseconds; returns false if another process leads. */
  acquireLease(ms: number): Promise<boolean>;

  /** Releases the lead early. */
  releaseLease(): Promise<void>;

  cursor(pool: PoolId): Promise<Cursor | undefined>;

  /**
   * Appends deposits, withdrawals and ledger entries, lets `settle` change the job that each withdrawal or refusal names, and moves
   * the cursor, atomically.
   * @throws {Problem} `store_conflict` if the stored cursor is not `from`; `not_leader`
   */
  apply(batch: EventBatch, settle: (job: Job, event: SettlingEvent) => Job | undefined): Promise<void>;

  /**
   * Removes payments, the deposits from a leaf on and the ledger entries of later transactions, lets `reopen` change the jobs of those payments, and sets the
   * cursor back. Atomic, except in a store with limited transactions: there, an interrupted rollback keeps the cursor
   * `from` and is completed by the same call.
   * @throws {Problem} `store_conflict` if the stored cursor is not `from`; `not_leader`
   */
  rollBack(rollback: Rollback, reopen: JobChange): Promise<void>;

  /** Yields all payments of a pool, in any order. */
  withdrawals(pool: PoolId): AsyncIterable<Withdrawal>;

  /**
   * Yields leaves from `leafIndex` on, in order, in packed chunks of any size. After a missing row, the next chunk
   * starts behind the gap.
   */
  leaves(pool: PoolId, leafIndex: number): AsyncIterable<LeafRange>;

  deposit(pool: PoolId, commitment: bigint): Promise<Deposit | undefined>;

  withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined>;

  job(id: JobId): Promise<Job | undefined>;

  /**
   * Adds a job, or replaces the job of the same pool and nullifier hash if that ended without payment and `replaces`
   * agrees. Of concurrent equal jobs exactly one is added.
   * @returns undefined on success; else the conflicting job, or the withdrawal seen on chain
   */
  addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined>;

  /**
   * Changes a job and returns its new state; undefined if there is none.
   * @throws {Problem} `not_leader`
   */
  changeJob(id: JobId, change: JobChange): Promise<Job | undefined>;

  /** Returns live jobs, oldest first. */
  liveJobs(): Promise<Job[]>;

  transfer(): Promise<Transfer | undefined>;

  /**
   * Journals a signed transfer. Must precede its first send.
   * @throws {Problem} `store_conflict` if another is in flight; `not_leader`
   */
  beginTransfer(transfer: Transfer): Promise<void>;

  /**
   * Ends the transfer of this hash and writes what it cost; does nothing if it has ended.
   * @throws {Problem} `not_leader`
   */
  endTransfer(hash: string, ledger?: readonly LedgerEntry[]): Promise<void>;

  /** Yields the ledger of all pools in any order, from a time on and before another (Unix seconds). */
  ledger(since: number, until: number): AsyncIterable<LedgerEntry>;

  /**
   * Deletes jobs that ended before `before` (unix milliseconds); the payment rows are kept.
   * @returns the number of deleted jobs
   * @throws {Problem} `not_leader`
   */
  deleteEndedJobs(before: number): Promise<number>;

  close(): Promise<void>;
}

export function toDeposit({ leafIndex, commitment, timestamp, tx }: DepositEvent): Deposit {
  return { leafIndex, commitment, timestamp, txHash: tx.hash };
}

export function toWithdrawal({ nullifierHash, fee, refund, timestamp, tx }: WithdrawalEvent): Withdrawal {
  return { nullifierHash, fee, refund, timestamp, txHash: tx.hash };
}

/** Returns whether a job has not ended. */
export function isLive(job: Job): boolean {
  return job.state === "accepted" || job.state === "broadcast";
}

/** Returns whether a job's note is paid, by its own proof or by another one. */
export function isPaid({ state }: Pick<Job, "state">): boolean {
  return state === "confirmed" || state === "superseded";
}

/** Returns `job` without `members`. */
export function omitJobMembers(job: Job, ...members: ("message" | "reason" | "txHash")[]): Job {
  const rest: { -readonly [Member in keyof Job]: Job[Member] } = { ...job };
  for (const member of members) delete rest[member];
  return rest;
}

/** @throws {Problem} `store_conflict` unless a pool's stored cursor is `expected` */
export function assertCursorIs(expected: Cursor | undefined, stored: Cursor | undefined): void {
  if (stored?.hash !== expected?.hash || stored?.lt !== expected?.lt) throw cursorMovedProblem();
}

export function cursorMovedProblem(): Problem {
  return new Problem("store_conflict", "the cursor of this pool was moved by another writer");
}
