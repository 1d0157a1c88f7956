/**
 * The port to the chain: what this product asks of a TON endpoint, and what it may believe of the answers. Everything
 * that carries a hash is checked against it before it comes out of here; whoever implements this must never hand out
 * a transaction whose cell is not the one its id names.
 */
import type { Address, Cell, Transaction, TupleItem, TupleReader } from "@ton/core";
import type { Network } from "../core/network.ts";

/** Where a transaction stands in its account's chain: logical time, and the hash of its cell as 64 lowercase hex digits. */
export interface TransactionId {
  readonly lt: bigint;
  readonly hash: string;
}

/** One transaction, taken from its own cell; nothing here comes from the JSON around it. */
export interface ChainTransaction {
  readonly id: TransactionId;
  /** The account's previous transaction; null for its first one. */
  readonly prev: TransactionId | null;
  /** Unix time of the block. */
  readonly now: number;
  readonly raw: Transaction;
}

/** An account at the last block that the endpoint knows. */
export interface AccountInfo {
  readonly state: "active" | "uninitialized" | "frozen";
  /** Nano. */
  readonly balance: bigint;
  /** Code and data, of an active account only. */
  readonly code?: Cell;
  readonly data?: Cell;
  /** The account's newest transaction; absent when it never had one. */
  readonly last?: TransactionId;
  /** Chain time: unix time of the block that this was read from. */
  readonly syncUtime: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, waiting included, with `cancelled`. */
  readonly signal?: AbortSignal;
  /**
   * Asked because somebody outside asked: it comes after all else, and ends with `overloaded` when too much of the kind
   * waits already.
   */
  readonly patient?: boolean;
}

/**
 * A TON endpoint. Idempotent calls are retried inside. All of them throw {@link Problem}s: `chain_unavailable` when the
 * endpoint does not answer, `chain_inconsistent` when an answer contradicts itself, `cancelled` after an abort.
 */
export interface Chain {
  /** Where it is known: errors show addresses in its form. */
  readonly network?: Network;

  /** Hashes of the network's zero state, 64 lowercase hex digits each; undefined if the endpoint does not report it. */
  zeroState?(
    options?: CallOptions,
  ): Promise<{ readonly rootHash: string; readonly fileHash: string } | undefined>;

  /** Sequence number of the last masterchain block. */
  masterchainSeqno(options?: CallOptions): Promise<number>;

  /** That of a block that closed about `time` (unix): within some seconds of it, before or after. */
  masterchainSeqnoAt(time: number, options?: CallOptions): Promise<number>;

  account(address: Address, options?: CallOptions): Promise<AccountInfo>;

  /**
   * A page of an account's transactions, newest first, each linked to the next one by `prev`. Starts with `from`
   * itself, or with the account's newest. At most `limit`; fewer does not mean that the history ends there: only
   * `prev === null` does.
   */
  transactions(
    address: Address,
    options: CallOptions & { readonly limit: number; readonly from?: TransactionId },
  ): Promise<ChainTransaction[]>;

  /**
   * Runs a get method.
   *
   * @throws {Problem} `contract_refused` with member `exitCode` when it ends with another exit code than 0 or 1.
   */
  get(
    address: Address,
    method: string,
    args?: readonly TupleItem[],
    options?: CallOptions,
  ): Promise<TupleReader>;

  /** A parameter of the chain's configuration (gas prices: 20 and 21; storage: 18; forwarding: 24 and 25). */
  configParam(id: number, options?: CallOptions): Promise<Cell>;

  /**
   * Hands over an external message (the whole message cell). It is in the mempool then, not on chain. A refusal does
   * not prove that the message never got in: an earlier try may have, and its answer been lost.
   *
   * @throws {Problem} `contract_refused` when the account would not accept it, with member `exitCode` if it is known.
   */
  send(message: Cell, options?: CallOptions): Promise<void>;

  /** Somebody else, who also answers the get methods; absent: nobody is asked but this endpoint. */
  readonly witness?: Witness;
}

/** Who tells whether a transaction is of the chain. */
export interface Witness {
  /** False also when it is behind. */
  knows(address: Address, id: TransactionId, options?: CallOptions): Promise<boolean>;
}
