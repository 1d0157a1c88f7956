/** The port to the chain. Implementations verify hashes: a returned transaction is the one its id names. */
import type { Address, Cell, Transaction, TupleItem, TupleReader } from "@ton/core";
import type { Network } from "../core/protocol/network.ts";

/** Position of a transaction in its account's chain: lt, and hash of its cell (64 lowercase hex digits). */
export interface TransactionId {
  readonly lt: bigint;
  readonly hash: string;
}

/** A transaction, parsed from its own cell and not from the JSON around it. */
export interface ChainTransaction {
  readonly id: TransactionId;
  /** The account's previous transaction; null for the first. */
  readonly prev: TransactionId | null;
  /** The block's time in Unix seconds. */
  readonly now: number;
  readonly raw: Transaction;
}

/** An account at the endpoint's last block. `balance` in nano, `syncUtime` in Unix seconds. */
export interface AccountInfo {
  readonly state: "active" | "uninitialized" | "frozen";
  readonly balance: bigint;
  readonly code?: Cell;
  readonly data?: Cell;
  /** Hash of a frozen account's state, 64 lowercase hex digits; absent if the endpoint does not report it. */
  readonly frozenHash?: string;
  readonly last?: TransactionId;
  readonly syncUtime: number;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Marks a client's request: it has lower priority, and fails with `overloaded` if too many requests wait. */
  readonly lowPriority?: boolean;
}

/**
 * A TON endpoint. Idempotent calls are retried. Every call can throw `chain_unavailable` if the endpoint does
 * not respond, `chain_inconsistent` if it contradicts itself, and `cancelled` after an abort.
 */
export interface Chain {
  readonly network?: Network;

  /** Hashes of the network's zero state, 64 hex digits each; undefined if the endpoint omits them. */
  zeroState?(
    options?: CallOptions,
  ): Promise<{ readonly rootHash: string; readonly fileHash: string } | undefined>;

  masterchainSeqno(options?: CallOptions): Promise<number>;

  /** Returns the seqno of a block that closed within seconds of `time` (Unix seconds), before or after it. */
  masterchainSeqnoAt(time: number, options?: CallOptions): Promise<number>;

  account(address: Address, options?: CallOptions): Promise<AccountInfo>;

  /** Newest first from `from` (inclusive; default: the newest). The history ends only at `prev === null`. */
  transactions(
    address: Address,
    options: CallOptions & { readonly limit: number; readonly from?: TransactionId },
  ): Promise<ChainTransaction[]>;

  /** Runs a get method. Throws `contract_refused` with member `exitCode` for exit codes except 0 and 1. */
  runGetMethod(
    address: Address,
    method: string,
    args?: readonly TupleItem[],
    options?: CallOptions,
  ): Promise<TupleReader>;

  configParam(id: number, options?: CallOptions): Promise<Cell>;

  /**
   * Sends an external message. Throws `contract_refused`, with the member `exitCode` if known. The member
   * `mayHaveArrived: true` of a problem means that some attempt may have reached the network.
   */
  send(message: Cell, options?: CallOptions): Promise<void>;

  /** A second endpoint, which also runs the get methods; if absent, this endpoint is trusted. */
  readonly verifier?: ChainVerifier;
}

interface ChainVerifier {
  /** Returns whether a transaction is on the chain; false also if the verifier is behind. */
  hasTransaction(address: Address, id: TransactionId, options?: CallOptions): Promise<boolean>;

  /** The second endpoint, to compare what it reports. */
  readonly endpoint: Pick<Chain, "account" | "transactions" | "configParam">;
}
