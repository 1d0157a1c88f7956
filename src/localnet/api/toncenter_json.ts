import {
  type Account,
  type Address,
  beginCell,
  Cell,
  loadTransaction,
  type Message,
  storeStateInit,
} from "@ton/core";
import { sha256 } from "@noble/hashes/sha2.js";
import type { AccountRecord, Block, StoredTransaction } from "../ledger.ts";
import { messageCells } from "../transaction_executor.ts";

const SHARD = "-9223372036854775808";

/** There are no real blocks, so the two hashes only distinguish ids. */
export function blockId({ seqno }: { seqno: number }, workchain = -1) {
  const hash = (what: string) =>
    Buffer.from(sha256(new TextEncoder().encode(`localnet ${what} ${workchain} ${seqno}`))).toString(
      "base64",
    );
  return {
    "@type": "ton.blockIdExt",
    workchain,
    shard: SHARD,
    seqno,
    root_hash: hash("root"),
    file_hash: hash("file"),
  };
}

/** `internal.transactionId`. Without a transaction: lt 0 and 32 zero bytes. */
export function transactionId(transaction?: { lt: bigint; hash: Buffer }) {
  return {
    "@type": "internal.transactionId",
    lt: (transaction?.lt ?? 0n).toString(),
    hash: (transaction?.hash ?? Buffer.alloc(32)).toString("base64"),
  };
}

export function transactionJson(account: Address, stored: StoredTransaction) {
  const transaction = loadTransaction(Cell.fromBase64(stored.boc).beginParse());
  const { description, inMessage, outMessages, totalFees, now } = transaction;
  const storageFee = "storagePhase" in description
    ? description.storagePhase?.storageFeesCollected ?? 0n
    : 0n;
  const messages = messageCells(transaction.raw);
  return {
    "@type": "raw.transaction",
    address: { "@type": "accountAddress", account_address: account.toString() },
    account: account.toRawString(),
    utime: now,
    data: stored.boc,
    transaction_id: transactionId(stored),
    fee: totalFees.coins.toString(),
    storage_fee: storageFee.toString(),
    other_fee: (totalFees.coins - storageFee).toString(),
    ...inMessage && { in_msg: messageJson(inMessage, messages.inbound!) },
    out_msgs: outMessages.keys().map((key) =>
      messageJson(outMessages.get(key)!, messages.outbound.get(key)!)
    ),
  };
}

export function accountJson({ account, transactions }: AccountRecord, head: Block) {
  const state = account?.storage.state;
  return {
    "@type": "raw.fullAccountState",
    balance: (account?.storage.balance.coins ?? 0n).toString(),
    extra_currencies: [],
    code: state?.type === "active" ? base64(state.state.code) : "",
    data: state?.type === "active" ? base64(state.state.data) : "",
    last_transaction_id: transactionId(transactions.at(-1)),
    block_id: blockId(head),
    frozen_hash: state?.type === "frozen"
      ? Buffer.from(state.stateHash.toString(16).padStart(64, "0"), "hex").toString("base64")
      : "",
    sync_utime: head.now,
    state: stateName(account),
  };
}

export function stateName(account: Account | null): "active" | "frozen" | "uninitialized" {
  const type = account?.storage.state.type ?? "uninit";
  return type === "uninit" ? "uninitialized" : type;
}

function messageJson({ info, body, init }: Message, raw: Cell) {
  const internal = info.type === "internal" ? info : undefined;
  return {
    "@type": "raw.message",
    hash: raw.hash().toString("base64"),
    source: info.type === "external-in" ? "" : info.src.toString(),
    destination: info.type === "external-out" ? "" : info.dest.toString(),
    value: (internal?.value.coins ?? 0n).toString(),
    extra_currencies: [],
    fwd_fee: (internal?.forwardFee ?? 0n).toString(),
    ihr_fee: (internal?.ihrFee ?? 0n).toString(),
    created_lt: (info.type === "external-in" ? 0n : info.createdLt).toString(),
    body_hash: body.hash().toString("base64"),
    msg_data: {
      "@type": "msg.dataRaw",
      body: base64(body),
      init_state: init ? base64(beginCell().store(storeStateInit(init)).endCell()) : "",
    },
    message: textComment(body) ?? "",
  };
}

function textComment(body: Cell): string | undefined {
  const slice = body.beginParse();
  if (slice.remainingBits < 32 || slice.loadUint(32) !== 0) return undefined;
  try {
    return slice.loadStringTail();
  } catch {
    return undefined;
  }
}

function base64(cell: Cell | null | undefined): string {
  return cell ? cell.toBoc().toString("base64") : "";
}
