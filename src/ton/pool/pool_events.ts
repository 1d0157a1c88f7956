import type { Address } from "@ton/core";
import type { TransactionId } from "../chain.ts";

interface EventBase {
  readonly tx: TransactionId;
  /** The block's time in Unix seconds. */
  readonly timestamp: number;
  /** The sender of the message; for a jetton deposit a jetton wallet, possibly not the pool's own. */
  readonly sender: Address;
  readonly queryId: bigint;
  /** Hash of that message's cell, 64 hex digits. */
  readonly messageHash: string;
}

interface JettonDepositor {
  /** The jettons' previous owner, as `sender` claims: reliable only from the pool's own jetton wallet. */
  readonly depositor?: Address;
}

interface WithdrawCost {
  /** Nano that the message carried, minus what the pool sent back to its sender, such as a native fee. */
  readonly cost?: bigint;
}

/** A deposit was accepted. */
export interface DepositEvent extends EventBase, JettonDepositor {
  readonly kind: "deposit";
  readonly commitment: bigint;
  readonly leafIndex: number;
}

/** A note was paid. `fee` in the pool's smallest unit, `refund` in nano. */
export interface WithdrawalEvent extends EventBase, WithdrawCost {
  readonly kind: "withdrawal";
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly relayer: Address | null;
}

/** The pool bounced a message, or returned the jettons of a deposit. Unreadable fields are absent. */
export interface RefusedEvent extends EventBase, JettonDepositor, WithdrawCost {
  readonly kind: "refused";
  readonly op: "deposit" | "withdraw";
  /** Of the compute phase or a failed action phase; absent if the message could not pay for computing. */
  readonly exitCode?: number;
  readonly nullifierHash?: bigint;
  readonly commitment?: bigint;
  readonly leafIndex?: number;
}

export type PoolEvent = DepositEvent | WithdrawalEvent | RefusedEvent;

/** Events of consecutive transactions, oldest first, and the last of these transactions. */
export interface PoolEventBatch {
  readonly events: readonly PoolEvent[];
  readonly cursor: TransactionId;
  readonly transactionCount: number;
}
