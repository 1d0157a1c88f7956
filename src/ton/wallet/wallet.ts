/** Signing wallets, v4R2 and v5R1. They keep no seqno and sign no transfer again: callers decide that. */
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

/** The supported wallet contracts. */
export type WalletVersion = "v4R2" | "v5R1";

/**
 * Without IGNORE_ERRORS a failed action rolls the seqno back, and the transfer burns gas until it expires
 * (v5R1: exit code 137). A higher seqno therefore does not prove that a message was sent.
 */
const TRANSFER_MODE: SendMode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS;

/** The network's `max_ext_msg_size`. */
export const MAX_EXTERNAL_MESSAGE_BYTES = 65_535;

export const TRANSFER_TTL_SECONDS = 60;

/** An internal message of a transfer. */
export interface OutgoingMessage {
  readonly to: Address;
  /** In nano. */
  readonly value: bigint;
  readonly bounce: boolean;
  readonly body?: Cell;
  readonly init?: StateInit;
}

interface TransferRequest {
  readonly seqno: number;
  /** Unix seconds of the chain's clock. The wallet rejects the transfer from then on. */
  readonly validUntil: number;
  readonly messages: readonly OutgoingMessage[];
  readonly mode?: SendMode;
}

/** A signed transfer, not yet sent. */
export interface SignedTransfer {
  /** The external message, with the wallet's StateInit if seqno is 0. */
  readonly message: Cell;
  /** Normalised hash (TEP-467), 64 hex digits, as explorers show it. */
  readonly hash: string;
  readonly seqno: number;
  readonly validUntil: number;
}

export interface WalletState {
  readonly seqno: number;
  readonly balance: bigint;
  readonly now: number;
  readonly last?: TransactionId;
}

/** A wallet. Its methods throw what {@linkcode Chain} throws. */
export interface Wallet {
  readonly address: Address;
  readonly version: WalletVersion;
  /** Messages that one transfer may carry: 4 in v4R2, 255 in v5R1. */
  readonly maxMessages: number;
  /** False if the mnemonic fails TON's checksum: the wallet works, but a word may be mistyped. */
  readonly checksumValid: boolean;
  /** All values are of one block. */
  state(options?: CallOptions): Promise<WalletState>;
  seqno(): Promise<number>;
  balance(options?: CallOptions): Promise<bigint>;
  /** Signs without network access. Throws a RangeError for too few, too many or too large messages. */
  sign(request: TransferRequest): SignedTransfer;
  /**
   * Signs for {@linkcode TRANSFER_TTL_SECONDS} and sends. Does not wait for a block. Returns the transfer also if its
   * outcome is unknown: only the wallet's transactions (transfer_inclusion.ts) or the recipient's prove its arrival.
   * @throws {Problem} `contract_refused` or `chain_unavailable` if the transfer cannot have arrived
   */
  send(messages: readonly OutgoingMessage[]): Promise<SignedTransfer>;
  sender(): Sender;
  /** Returns the non-bounceable form, with the test mark except on mainnet. */
  format(address?: Address): string;
}

interface WalletContract {
  readonly address: Address;
  readonly init: { readonly code: Cell; readonly data: Cell };
  readonly maxMessages: number;
  readonly seqnoOffset: number;
  /** The exit codes for a false wallet id and a false signature: what the message alone decides. */
  readonly certainRefusals: readonly number[];
  body(request: { seqno: number; timeout: number; messages: MessageRelaxed[]; sendMode: SendMode }): Cell;
}

const walletContracts: Record<
  WalletVersion,
  (publicKey: Buffer, secretKey: Buffer, network: Network) => WalletContract
> = {
  // The default subwallet id, 698983191, is the same on every network.
  v4R2: (publicKey, secretKey) => {
    const contract = WalletContractV4.create({ workchain: 0, publicKey });
    return {
      address: contract.address,
      init: contract.init,
      maxMessages: 4,
      seqnoOffset: 0,
      certainRefusals: [34, 35], // ton-blockchain/wallet-contract, func/wallet-v4-code.fc
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
      certainRefusals: [134, 135], // ton-blockchain/wallet-contract-v5, contracts/wallet_v5.fc
      body: (request) => contract.createTransfer({ ...request, secretKey }),
    };
  },
};

/**
 * Opens the wallet of a 24-word TON mnemonic. Sends no request yet.
 * @throws {Problem} `invalid_config` for unknown words or a count other than 24; the wallet's methods also
 *   `chain_unavailable`, `chain_inconsistent`
 * @example
 * ```ts
 * const wallet = await openWallet(mnemonic, { version: "v4R2", network: "testnet", chain });
 * ```
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
    try {
      await chain.send(transfer.message);
    } catch (error) {
      if (!mayHaveArrived(error, kind)) throw error;
    }
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

/**
 * A wallet that has accepted a transfer refuses its copy: for the seqno, because it has expired meanwhile, or, if the
 * wallet is almost empty now, for want of coins. An endpoint can send copies itself: toncenter's sends to four nodes and
 * returns the first answer (toncenter/ton-http-api, core/tonlib/manager.py).
 */
function mayHaveArrived(error: unknown, { certainRefusals }: WalletContract): boolean {
  if (!(error instanceof Problem)) return false;
  const { code, members } = error;
  return members.mayHaveArrived === true ||
    (code === "contract_refused" && !certainRefusals.includes(members.exitCode as number));
}

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

/** TEP-467: the external message without source, import fee and StateInit, with its body in a reference. */
export function normalizedMessageHash(destination: Address, body: Cell): string {
  const message = storeMessage(external({ to: destination, body }), { forceRef: true });
  return beginCell().store(message).endCell().hash().toString("hex");
}
