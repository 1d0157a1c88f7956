import type { Address } from "@ton/core";
import type { TransactionId } from "../../chain.ts";

interface EventBase {
  readonly tx: TransactionId;
  readonly timestamp: number; // the block's time in Unix seconds
  /** The sender of the message; for a jetton deposit a jetton wallet, possibly not the pool's own. */
  readonly sender: Address;
  readonly queryId: bigint;
  readonly messageHash: string; // hash of that message's cell, 64 hex digits
}

interface JettonDepositor {
  /** The jettons' previous owner, as `sender` claims: reliable only from the pool's own jetton wallet. */
  readonly depositor?: Address;
}

interface MessageCost {
  /** Nano carried minus nano sent back, shared by a message's withdrawals; a settlement's may be negative. */
  readonly cost?: bigint;
}

/** A deposit was accepted. */
export interface DepositEvent extends EventBase, JettonDepositor {
  readonly kind: "deposit";
  readonly commitment: bigint;
  readonly leafIndex: number;
}

/** A note was paid. `fee` in the pool's smallest unit, `refund` in nano. */
export interface WithdrawalEvent extends EventBase, MessageCost {
  readonly kind: "withdrawal";
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly relayer: Address | null;
}

/** Deposits were settled: the tree has the root `newRoot` with the first `end` leaves. Version 2 only. */
export interface SettlementEvent extends EventBase, MessageCost {
  readonly kind: "settlement";
  readonly rootNumber: number;
  readonly newRoot: bigint;
  readonly end: number;
}

/** A message with several withdrawals left out this one; `code` is its exit code. Version 2 only. */
export interface SkippedEvent extends EventBase, MessageCost {
  readonly kind: "skipped";
  readonly nullifierHash: bigint;
  readonly code: number;
}

/**
 * The pool refused a message, or returned a deposit. Unreadable fields are absent. A refused message with several
 * withdrawals is one event for each.
 */
export interface RefusedEvent extends EventBase, JettonDepositor, MessageCost {
  readonly kind: "refused";
  readonly op: "deposit" | "withdraw" | "withdraw_many" | "settle";
  /** The exit code of the compute phase or of a failed action phase; absent if the message could not pay for computing. */
  readonly exitCode?: number;
  readonly nullifierHash?: bigint;
  readonly commitment?: bigint;
  readonly leafIndex?: number;
}

/** An event of a pool, from its logs or its refused messages. */
export type PoolEvent = DepositEvent | WithdrawalEvent | RefusedEvent | SettlementEvent | SkippedEvent;

/** Events of consecutive transactions, oldest first, and the last of these transactions. */
export interface PoolEventBatch {
  readonly events: readonly PoolEvent[];
  readonly cursor: TransactionId;
  readonly transactionCount: number;
}
