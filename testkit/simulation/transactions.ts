/** Builds transactions as cells, as an endpoint returns them, so that the real decoders read them. */
import {
  type Address,
  beginCell,
  type Cell,
  Dictionary,
  loadTransaction,
  type Message,
  storeMessage,
  storeTransaction,
  type TransactionDescription,
} from "@ton/core";
import { opCodes, type WithdrawBody } from "../../src/core/protocol/messages/pool_messages.ts";
import { v2OpCodes } from "../../src/core/protocol/v2/messages.ts";
import type { ChainTransaction, TransactionId } from "../../src/ton/chain.ts";

interface TransactionParts {
  readonly account: Address;
  readonly lt: bigint;
  readonly prev: TransactionId | null;
  /** The Unix seconds of the block. */
  readonly now: number;
  readonly inMessage: Message;
  readonly outMessages: readonly Message[];
  readonly exitCode: number;
  /** The fees in nano. Default: 0. */
  readonly fees?: bigint;
}

const FIRST: TransactionId = { lt: 0n, hash: "0".repeat(64) };

/** Builds the transaction and parses it. */
export function transactionOf(parts: TransactionParts): ChainTransaction {
  const { account, lt, prev, now, inMessage, exitCode } = parts;
  const outMessages = Dictionary.empty(Dictionary.Keys.Uint(15), messageValue);
  for (const [i, message] of parts.outMessages.entries()) outMessages.set(i, message);
  const before = prev ?? FIRST;
  const cell = beginCell().store(storeTransaction({
    address: BigInt(`0x${account.hash.toString("hex")}`),
    lt,
    prevTransactionLt: before.lt,
    prevTransactionHash: BigInt(`0x${before.hash}`),
    now,
    outMessagesCount: parts.outMessages.length,
    oldStatus: "active",
    endStatus: "active",
    inMessage,
    outMessages,
    totalFees: { coins: parts.fees ?? 0n },
    stateUpdate: { oldHash: Buffer.alloc(32), newHash: Buffer.alloc(32) },
    description: descriptionOf(exitCode, parts.outMessages.length),
    raw: beginCell().endCell(),
    hash: () => Buffer.alloc(0),
  })).endCell();
  return {
    id: { lt, hash: cell.hash().toString("hex") },
    prev,
    now,
    raw: loadTransaction(cell.beginParse()),
  };
}

const messageValue = {
  serialize: (message: Message, builder: ReturnType<typeof beginCell>) =>
    void builder.storeRef(beginCell().store(storeMessage(message))),
  parse: (): Message => {
    throw new Error("written only");
  },
};

function descriptionOf(exitCode: number, messagesCreated: number): TransactionDescription {
  const success = exitCode === 0;
  return {
    type: "generic",
    creditFirst: false,
    computePhase: {
      type: "vm",
      success,
      messageStateUsed: false,
      accountActivated: false,
      gasFees: 0n,
      gasUsed: 0n,
      gasLimit: 0n,
      mode: 0,
      exitCode,
      vmSteps: 0,
      vmInitStateHash: 0n,
      vmFinalStateHash: 0n,
    },
    actionPhase: success
      ? {
        success,
        valid: true,
        noFunds: false,
        statusChange: "unchanged",
        resultCode: 0,
        totalActions: messagesCreated,
        specActions: 0,
        skippedActions: 0,
        messagesCreated,
        actionListHash: 0n,
        totalMessageSize: { cells: 0n, bits: 0n },
      }
      : undefined,
    aborted: !success,
    destroyed: false,
  };
}

/** Returns an internal message between accounts. */
export function internalMessage(
  message: {
    src: Address;
    dest: Address;
    value: bigint;
    lt: bigint;
    now: number;
    body: Cell;
    bounced?: boolean;
  },
): Message {
  const { src, dest, value, lt, now, body, bounced = false } = message;
  return {
    info: {
      type: "internal",
      ihrDisabled: true,
      bounce: !bounced,
      bounced,
      src,
      dest,
      value: { coins: value },
      ihrFee: 0n,
      forwardFee: 0n,
      createdLt: lt,
      createdAt: now,
    },
    body,
  };
}

/** Returns a log message of an account. */
export function logMessage(src: Address, lt: bigint, now: number, body: Cell): Message {
  return { info: { type: "external-out", src, createdLt: lt, createdAt: now }, body };
}

/** Returns the body of a pool's log of a deposit. `now` is in Unix seconds. */
export function depositLog(commitment: bigint, leafIndex: number, now: number): Cell {
  return beginCell().storeUint(opCodes.deposit_log, 32).storeUint(commitment, 256).storeUint(leafIndex, 32)
    .storeUint(now, 32).endCell();
}

/** Returns the body of a pool's log of a withdrawal. */
export function withdrawalLog(
  { nullifierHash, fee, refund, recipient, relayer }: Pick<
    WithdrawBody,
    "nullifierHash" | "fee" | "refund" | "recipient" | "relayer"
  >,
): Cell {
  const parties = beginCell().storeAddress(recipient).storeAddress(relayer).endCell();
  return beginCell().storeUint(opCodes.withdrawal_log, 32).storeUint(nullifierHash, 256).storeCoins(fee)
    .storeCoins(refund).storeRef(parties).endCell();
}

/** Returns the body of a version 2 pool's log of a settlement of the first `end` deposits. */
export function settlementLog(rootNumber: number, newRoot: bigint, end: number, now: number): Cell {
  return beginCell().storeUint(v2OpCodes.settlement_log, 32).storeUint(rootNumber, 32).storeUint(newRoot, 256)
    .storeUint(end, 32).storeUint(now, 32).endCell();
}
