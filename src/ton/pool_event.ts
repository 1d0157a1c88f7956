/**
 * What happens at a pool, as told by the pool's own transactions. Types only.
 */
import type { Address } from "@ton/core";
import type { TransactionId } from "./chain.ts";

interface EventBase {
  readonly tx: TransactionId;
  /** Unix time of the block. */
  readonly timestamp: number;
  /** Who sent the message that the pool answered; of a jetton deposit a jetton wallet, which may be anybody's. */
  readonly sender: Address;
  readonly queryId: bigint;
  /** Hash of that internal message's cell, 64 hex digits. */
  readonly messageHash: string;
}

/** What a jetton deposit says beside. */
interface JettonDeposit {
  /** Whose jettons they were, by what `sender` says: true when that is the pool's own jetton wallet. */
  readonly depositor?: Address;
}

/** What a withdraw message cost. */
interface WithdrawCost {
  /**
   * Nano that the message carried, less what the pool sent back to its sender in the same transaction; a native fee that
   * went to the sender counts as sent back.
   */
  readonly cost?: bigint;
}

/** A commitment entered the tree. */
export interface DepositEvent extends EventBase, JettonDeposit {
  readonly kind: "deposit";
  readonly commitment: bigint;
  readonly leafIndex: number;
}

/** A note was paid out. Amounts in the pool's asset (fee) and in nano (refund). */
export interface WithdrawalEvent extends EventBase, WithdrawCost {
  readonly kind: "withdrawal";
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly relayer: Address | null;
}

/**
 * The pool refused a message. Members of the body are present when it could be read and they
 * are field elements. A native deposit and a withdrawal
 * have bounced; a jetton deposit was given back by a transfer.
 */
export interface RefusedEvent extends EventBase, JettonDeposit, WithdrawCost {
  readonly kind: "refused";
  readonly op: "deposit" | "withdraw";
  /**
   * Exit code of the compute phase, or the result code of the action phase when that is what failed. Undefined when the
   * message carried too little even to start the machine.
   */
  readonly exitCode?: number;
  readonly nullifierHash?: bigint;
  readonly commitment?: bigint;
  /** The leaf that a deposit was made for. */
  readonly leafIndex?: number;
}

export type PoolEvent = DepositEvent | WithdrawalEvent | RefusedEvent;

/** Events of consecutive transactions, oldest first, and the last of those transactions. */
export interface PoolTransactions {
  readonly events: readonly PoolEvent[];
  readonly cursor: TransactionId;
  /** Transactions that this batch covers, with or without events. */
  readonly count: number;
}
