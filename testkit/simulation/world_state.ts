/** The state of the simulated chain: accounts with their past, messages on their way, and its faults. */
import type { Address, Cell, Message } from "@ton/core";
import type { ChainTransaction } from "../../src/ton/chain.ts";
import type { DecodedTransfer } from "./accounts.ts";

/** The state of an account after a block. */
export interface AccountVersion {
  readonly block: number;
  readonly balance: bigint;
  /** The seqno of a wallet. */
  readonly seqno: number;
  /** The roots of a pool. */
  readonly roots: readonly bigint[];
  readonly deposits: number;
  readonly withdrawals: number;
  /** The number of transactions up to then. */
  readonly length: number;
}

/** An account with its history. */
export interface Account {
  readonly address: Address;
  readonly transactions: ChainTransaction[];
  readonly versions: AccountVersion[];
}

export interface Flying {
  readonly arrives: number;
  readonly message: Message & { info: { type: "internal" } };
}

export interface Pending {
  readonly included: number;
  readonly body: Cell;
  readonly orders: DecodedTransfer;
}

/** Faults of the chain itself, as probabilities. */
export interface ChainFaults {
  readonly forget: number;
  readonly repeat: number;
}

/** Returns the key of a spent note. */
export function spentKey(pool: Address, nullifierHash: bigint): string {
  return `${pool.toRawString()}/${nullifierHash}`;
}
