/**
 * The wallets that sign for us: v4R2 and v5R1. A wallet knows its key and its address, and asks the chain for nothing
 * but its own account. It never retries and never remembers a seqno: whoever sends decides that.
 */
import {
  type Address,
  beginCell,
  Cell,
  external,
  internal,
  type MessageRelaxed,
  type Sender,
  SendMode,
  type StateInit,
  storeMessage,
} from "@ton/core";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { WalletContractV5R1 } from "@ton/ton/dist/wallets/WalletContractV5R1.js";
import { Problem } from "../../core/errors/problem.ts";
import { type Network, networkGlobalId } from "../../core/protocol/network.ts";
import type { Secret } from "../../core/text/secret.ts";
import type { CallOptions, Chain, TransactionId } from "../chain.ts";
import { deriveKeyPair } from "./mnemonic.ts";

/** Wallet contracts that can sign here. */
export type WalletVersion = "v4R2" | "v5R1";

/**
 * Mode of every message that we send: fees on top of the value, and a message that cannot be sent is skipped. Without
 * the second a failing action rolls the seqno back, and the same signed transfer burns gas again and again until it
 * expires; v5R1 refuses external transfers without it (exit code 137). So a moved seqno never proves a message sent.
 */
export const TRANSFER_MODE: SendMode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS;

/** Bytes of the largest external message that the network takes (`max_ext_msg_size` of its size limits). */
export const MAX_EXTERNAL_MESSAGE_BYTES = 65_535;

/** Seconds that a transfer of {@link Wallet.send} may take to reach a block. */
export const TRANSFER_TTL_SECONDS = 60;

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
  /** The account's newest transaction as of this seqno; absent when it never had one. */
  readonly last?: TransactionId;
}

/** A wallet of ours. Asking methods throw what the {@link Chain} throws. */
export interface Wallet {
  readonly address: Address;
  readonly version: WalletVersion;
  /** Messages that one transfer may carry: 4 in v4R2, 255 in v5R1. */
  readonly maxMessages: number;
  /** False when the mnemonic fails TON's own checksum: it opens this wallet all the same, but a typo may be in it. */
  readonly checksumValid: boolean;
  /** Seqno, balance, chain time and newest transaction, all of one block. */
  state(options?: CallOptions): Promise<WalletState>;
  seqno(): Promise<number>;
  balance(options?: CallOptions): Promise<bigint>;
  /**
   * Signs without asking the chain. Throws RangeError for no message, for more than {@link maxMessages}, or when they
   * make a message larger than {@link MAX_EXTERNAL_MESSAGE_BYTES}.
   */
  sign(request: TransferRequest): SignedTransfer;
  /** Reads the state, signs with {@link TRANSFER_TTL_SECONDS} to live, sends. Does not wait for a block. */
  send(messages: readonly OutgoingMessage[]): Promise<SignedTransfer>;
  /** This wallet as @ton/core's Sender. */
  sender(): Sender;
  /** User-friendly, non-bounceable; with the test flag off mainnet. */
  format(address?: Address): string;
}

/** How a wallet contract of @ton/ton is driven: what differs between the versions. */
interface WalletContract {
  readonly address: Address;
  readonly init: { readonly code: Cell; readonly data: Cell };
  readonly maxMessages: number;
  /** Bits before seqno in the contract's data. */
  readonly seqnoOffset: number;
  body(request: { seqno: number; timeout: number; messages: MessageRelaxed[]; sendMode: SendMode }): Cell;
}

const walletContracts: Record<
  WalletVersion,
  (publicKey: Buffer, secretKey: Buffer, network: Network) => WalletContract
> = {
  // Its id is the default subwallet's, the same on every network: 698983191, TON's first block's hash.
  v4R2: (publicKey, secretKey) => {
    const contract = WalletContractV4.create({ workchain: 0, publicKey });
    return {
      address: contract.address,
      init: contract.init,
      maxMessages: 4,
      seqnoOffset: 0,
      body: (request) => contract.createTransfer({ ...request, secretKey }),
    };
  },
  v5R1: (publicKey, secretKey, network) => {
    const contract = WalletContractV5R1.create({
      publicKey,
      walletId: { networkGlobalId: networkGlobalId(network) },
    });
    return {
      address: contract.address,
      init: contract.init,
      maxMessages: 255,
      seqnoOffset: 1, // the flag that signatures are allowed
      body: (request) => contract.createTransfer({ ...request, secretKey }),
    };
  },
};

/**
 * Opens the wallet of a 24-word TON mnemonic. The chain is not asked until a method needs it.
 *
 * @throws {Problem} `invalid_config` for another count of words, or a word that is not in the list (never printed)
 */
export async function openWallet(
  mnemonic: Secret<string> | string,
  { version, network, chain }: { version: WalletVersion; network: Network; chain: Chain },
): Promise<Wallet> {
  const { publicKey, secretKey, checksumValid } = await deriveKeyPair(mnemonic);
  const kind = walletContracts[version](publicKey, secretKey, network);

  async function state(options?: CallOptions): Promise<WalletState> {
    const account = await chain.account(kind.address, options);
    const { balance, syncUtime: now, last } = account;
    if (account.state === "frozen") {
      throw new Problem("chain_unavailable", `wallet ${format()} is frozen: fund it first`);
    }
    if (account.state !== "active" || !account.data) return { seqno: 0, balance, now, last };
    // An address commits to the initial code, and these contracts never change it.
    if (!account.code?.equals(kind.init.code)) {
      throw new Problem("chain_inconsistent", `account ${format()} does not hold the code of ${version}`);
    }
    return { seqno: account.data.beginParse().skip(kind.seqnoOffset).loadUint(32), balance, now, last };
  }

  function sign({ seqno, validUntil, messages, mode = TRANSFER_MODE }: TransferRequest): SignedTransfer {
    if (messages.length === 0 || messages.length > kind.maxMessages) {
      throw new RangeError(`a ${version} transfer carries 1 to ${kind.maxMessages} messages`);
    }
    const body = kind.body({
      seqno,
      timeout: validUntil,
      messages: messages.map((message) => internal({ ...message })),
      sendMode: mode,
    });
    const init = seqno === 0 ? kind.init : undefined;
    const message = beginCell().store(storeMessage(external({ to: kind.address, init, body }))).endCell();
    const { length } = message.toBoc();
    if (length > MAX_EXTERNAL_MESSAGE_BYTES) {
      throw new RangeError(`a transfer of ${length} bytes is too large to send`);
    }
    return { message, hash: normalizedMessageHash(kind.address, body), seqno, validUntil };
  }

  async function send(messages: readonly OutgoingMessage[], mode?: SendMode): Promise<SignedTransfer> {
    const { seqno, now } = await state();
    const transfer = sign({ seqno, validUntil: now + TRANSFER_TTL_SECONDS, messages, mode });
    await chain.send(transfer.message);
    return transfer;
  }

  function format(address: Address = kind.address): string {
    return address.toString({ bounceable: false, testOnly: network !== "mainnet" });
  }

  return {
    address: kind.address,
    version,
    maxMessages: kind.maxMessages,
    checksumValid,
    state,
    seqno: async () => (await state()).seqno,
    balance: async (options) => (await state(options)).balance,
    sign,
    send,
    sender: () => createSender(kind.address, send),
    format,
  };
}

/** Returns a wallet as @ton/core's Sender. */
function createSender(
  address: Address,
  sendMessages: (messages: readonly OutgoingMessage[], mode?: SendMode) => Promise<unknown>,
): Sender {
  return {
    address,
    async send({ to, value, bounce, body, init, sendMode }) {
      const message = { to, value, bounce: bounce ?? true, body: body ?? undefined, init: init ?? undefined };
      await sendMessages([message], sendMode ?? undefined);
    },
  };
}

/** TEP-467: the hash of an external message with no source, no import fee, no StateInit, and its body in a reference. */
export function normalizedMessageHash(destination: Address, body: Cell): string {
  return beginCell()
    .storeUint(0b10, 2) // ext_in_msg_info$10
    .storeUint(0b00, 2) // src:addr_none$00
    .storeAddress(destination)
    .storeCoins(0)
    .storeBit(false)
    .storeBit(true)
    .storeRef(body)
    .endCell()
    .hash()
    .toString("hex");
}
