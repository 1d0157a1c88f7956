/**
 * The port to what the relayer must not lose: the pools' events, the lifecycle of withdrawals, and the signed transfer
 * in flight. Every method is one atomic step, and durable when it resolves; none waits for a store that is down.
 * What a state means is `relay`'s business: the functions handed in here decide, the store only makes them atomic.
 */
import type { TransactionId } from "../ton/chain.ts";
import type { DepositEvent, PoolEvent, RefusedEvent, WithdrawalEvent } from "../ton/pool_event.ts";

/** A pool's address in raw form, `<workchain>:<64 hex digits>`. */
export type PoolId = string;

/** The last transaction of a pool that was applied. */
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

/** Consecutive leaves of a pool's tree, as the tree takes them. */
export interface Leaves {
  /** Index of the first. */
  readonly first: number;
  /** Their commitments, 32 big-endian bytes each. */
  readonly commitments: Uint8Array;
  /** Unix seconds of their blocks. */
  readonly times: Uint32Array;
}

/** A paid-out note, whoever submitted it. Amounts in nano. */
export interface Withdrawal {
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  /** Hash of the pool's transaction. */
  readonly txHash: string;
}

/** Where a withdrawal stands. The first two are live, the others terminal. */
export type JobState = "accepted" | "broadcast" | "confirmed" | "failed" | "expired";

/** A withdrawal that this relayer took on. Times in unix milliseconds, amounts in nano. */
export interface Job {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
  readonly state: JobState;
  /** Random, and in the message: tells our own message at the pool from anybody else's. */
  readonly queryId: bigint;
  readonly root: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  /** What only the message needs; dropped when the job ends, so that no finished proof is kept. */
  readonly message?: JobMessage;
  /** Failures on chain so far. */
  readonly failures: number;
  readonly acceptedAt: number;
  /** Not to be signed before: grows when transfers come back without having sent it. */
  readonly notBefore?: number;
  readonly attempts?: number;
  readonly broadcastAt?: number;
  readonly settledAt?: number;
  /** Of the last transfer that carried it: wallet seqno and normalised hash of the external message. */
  readonly seqno?: number;
  readonly messageHash?: string;
  /** The pool's transaction that ended it. */
  readonly txHash?: string;
  /** Why it failed or expired. */
  readonly reason?: string;
}

/** The parts of a withdraw message that its job row does not already carry. */
export interface JobMessage {
  /** Raw address. */
  readonly recipient: string;
  /** BoC of the proof cell, base64. */
  readonly proof: string;
}

/** Names a job. */
export interface JobId {
  readonly pool: PoolId;
  readonly nullifierHash: bigint;
}

/** The one signed transfer in flight: written before it is sent, ended when it can no longer be included. */
export interface Transfer {
  readonly seqno: number;
  /** Unix seconds, chain's clock. */
  readonly validUntil: number;
  /** Normalised hash of the external message. */
  readonly hash: string;
  /** BoC of the whole external message. */
  readonly boc: Uint8Array;
  readonly jobs: readonly (JobId & { readonly queryId: bigint })[];
  /** Unix seconds, chain's clock, when it was signed. */
  readonly signedAt: number;
}

/** What {@link Store.apply} writes. */
export interface Batch {
  readonly pool: PoolId;
  /** Oldest first, at most {@link Store.batchLimit}. */
  readonly events: readonly PoolEvent[];
  /** The cursor that these events continue; undefined: none yet. */
  readonly from: Cursor | undefined;
  readonly to: Cursor;
}

/** What {@link Store.takeBack} undoes: rows that rest on transactions which are none of the chain's. */
export interface Untruth {
  readonly pool: PoolId;
  /** The cursor, which is none of the chain's. */
  readonly from: Cursor;
  /** The last transaction of the chain whose events are stored; undefined: there is none. */
  readonly to: Cursor | undefined;
  /** Leaves that stay. */
  readonly leaves: number;
  /** Nullifier hashes of the payments that go. */
  readonly payments: readonly bigint[];
}

/** How a job changes; undefined leaves it as it is. Must be pure: an adapter may call it again. */
export type JobChange = (job: Job) => Job | undefined;

/** An event that may settle a job: it names a nullifier hash. */
export type SettlingEvent = WithdrawalEvent | (RefusedEvent & { readonly nullifierHash: bigint });

/** Whether the store answers, and if not, why; the reason names no server. */
export type StoreHealth = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Implementations: KV (embedded) and PostgreSQL. All pass `store_contract_test.ts`.
 *
 * Of all processes on one store one at a time leads: only its writes to the journal go through, which are all of them
 * but {@link Store.addJob}. Who was deposed writes nothing any more, however late it notices.
 *
 * Every method throws `store_unavailable` when the store does not answer. Whether a write that ended so was made is
 * then not known: look again before doing the next thing. What the API asks throws `overloaded` when
 * too much is asked at once.
 */
export interface Store {
  /** Most events in one {@link Store.apply}. */
  readonly batchLimit: number;

  /** Whether other processes may use it at the same time: what they write has to be looked for. */
  readonly shared: boolean;

  /** As of the last answer. */
  health(): StoreHealth;

  /** Takes the lead for `ms` milliseconds if nobody else has it, or keeps it for as long again; false: another leads. */
  lead(ms: number): Promise<boolean>;

  /** Gives up the lead, so that another need not wait for its end. */
  resign(): Promise<void>;

  cursor(pool: PoolId): Promise<Cursor | undefined>;

  /**
   * Appends deposits and withdrawals, lets `settle` change the job that each withdrawal or refusal names, and moves
   * the cursor: all of it or nothing.
   *
   * @throws {Problem} `store_conflict` when the stored cursor is not `from`; `not_leader`
   */
  apply(batch: Batch, settle: (job: Job, event: SettlingEvent) => Job | undefined): Promise<void>;

  /**
   * Removes deposits from a leaf on and payments, lets `reopen` change the job that each of those payments names, and sets
   * the cursor back: all of it or nothing, but for a store whose steps cannot hold so much; what that one leaves behind
   * still has the cursor `from`, and is completed by the same call.
   *
   * @throws {Problem} `store_conflict` when the stored cursor is not `from`; `not_leader`
   */
  takeBack(untruth: Untruth, reopen: JobChange): Promise<void>;

  /** Every payment of a pool, in any order. */
  payments(pool: PoolId): AsyncIterable<Withdrawal>;

  /**
   * Leaves from `leafIndex` on, in order, in pieces that may end anywhere: a start reads all of them, so that they come
   * packed. Where a row is missing the next piece begins behind it.
   */
  leaves(pool: PoolId, leafIndex: number): AsyncIterable<Leaves>;

  deposit(pool: PoolId, commitment: bigint): Promise<Deposit | undefined>;

  withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined>;

  job(id: JobId): Promise<Job | undefined>;

  /**
   * Adds a job, or replaces the one of the same pool and nullifier hash if that ended without payment and `replaces`
   * says so. Of two equal ones at once exactly one gets in.
   *
   * @returns undefined when it is in; else what stands in its way: the job, or the withdrawal seen on chain
   */
  addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined>;

  /**
   * Changes a job and returns what it is afterwards; undefined when there is none.
   *
   * @throws {Problem} `not_leader`
   */
  changeJob(id: JobId, change: JobChange): Promise<Job | undefined>;

  /** Live jobs, oldest first. */
  liveJobs(): Promise<Job[]>;

  transfer(): Promise<Transfer | undefined>;

  /**
   * Journals a signed transfer. Must come before its first send.
   *
   * @throws {Problem} `store_conflict` when there is one already; `not_leader`
   */
  beginTransfer(transfer: Transfer): Promise<void>;

  /**
   * Ends the transfer of this hash; nothing happens when it has ended.
   *
   * @throws {Problem} `not_leader`
   */
  endTransfer(hash: string): Promise<void>;

  /**
   * Forgets jobs that ended before `before` (unix milliseconds); of one that was paid the row of its payment stays.
   *
   * @returns how many
   * @throws {Problem} `not_leader`
   */
  forgetJobs(before: number): Promise<number>;

  close(): Promise<void>;
}

/** The row of a deposit event. */
export function depositOf({ leafIndex, commitment, timestamp, tx }: DepositEvent): Deposit {
  return { leafIndex, commitment, timestamp, txHash: tx.hash };
}

/** The row of a withdrawal event. */
export function withdrawalOf({ nullifierHash, fee, refund, timestamp, tx }: WithdrawalEvent): Withdrawal {
  return { nullifierHash, fee, refund, timestamp, txHash: tx.hash };
}

/** Whether a job still waits for its end. */
export function isLive(job: Job): boolean {
  return job.state === "accepted" || job.state === "broadcast";
}
