/**
 * The wallets that sign for us: v4R2 and v5R1. A wallet knows its key and its address, and asks the chain for nothing
 * but its own account. It never retries and never remembers a seqno: whoever sends decides that.
 */
import { type Address, type Cell, type Sender, SendMode, type StateInit } from "@ton/core";

/** Wallet contracts that can sign here. */
export type WalletVersion = "v4R2" | "v5R1";

/**
 * Mode of every message that we send: fees on top of the value, and a message that cannot be sent is skipped. Without
 * the second a failing action rolls the seqno back, and the same signed transfer burns gas again and again until it
 * expires; v5R1 refuses external transfers without it (exit code 137). So a moved seqno never proves a message sent.
 */
export const TRANSFER_MODE: SendMode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS;

/** One internal message that a transfer carries. */
export interface OutgoingMessage {
  readonly to: Address;
  /** Nano. */
  readonly value: bigint;
  readonly bounce: boolean;
  readonly body?: Cell;
  readonly init?: StateInit;
}

/** What {@link Wallet.sign} needs. */
export interface TransferRequest {
  readonly seqno: number;
  /** Unix time, chain's clock: the wallet refuses the transfer at and after it. */
  readonly validUntil: number;
  readonly messages: readonly OutgoingMessage[];
  /** Send mode of every message; default {@link TRANSFER_MODE}. */
  readonly mode?: SendMode;
}

/** A transfer that is signed and not yet sent. */
export interface SignedTransfer {
  /** The whole external message, with the wallet's StateInit when seqno is 0. */
  readonly message: Cell;
  /** Normalised hash (TEP-467) of that message, 64 hex digits: the same on every explorer. */
  readonly hash: string;
  readonly seqno: number;
  readonly validUntil: number;
}

/** The wallet's account, read at one block. */
export interface WalletState {
  /** 0 before the first transfer. */
  readonly seqno: number;
  /** Nano. */
  readonly balance: bigint;
  /** Chain time, unix. */
  readonly now: number;
}

/** A wallet of ours. Asking methods throw what the {@link Chain} throws. */
export interface Wallet {
  readonly address: Address;
  readonly version: WalletVersion;
  /** Messages that one transfer may carry: 4 in v4R2, 255 in v5R1. */
  readonly maxMessages: number;
  /** False when the mnemonic fails TON's own checksum: it opens this wallet all the same, but a typo may be in it. */
  readonly checksumHolds: boolean;
  /** Seqno, balance and chain time in one call. */
  state(): Promise<WalletState>;
  seqno(): Promise<number>;
  balance(): Promise<bigint>;
  /** Signs without asking the chain anything. Throws RangeError for no message or more than {@link maxMessages}. */
  sign(request: TransferRequest): SignedTransfer;
  /** Reads the state, signs with a minute to live, sends. Does not wait for a block. */
  send(messages: readonly OutgoingMessage[]): Promise<SignedTransfer>;
  /** This wallet as @ton/core's Sender. */
  sender(): Sender;
  /** User-friendly, non-bounceable; with the test flag off mainnet. */
  format(address?: Address): string;
}
