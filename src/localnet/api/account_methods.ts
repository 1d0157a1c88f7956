import { Cell } from "@ton/core";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { WalletContractV5R1 } from "@ton/ton/dist/wallets/WalletContractV5R1.js";
import type { Ledger, StoredTransaction } from "../ledger.ts";
import {
  addressParam,
  bigintParam,
  integerParam,
  invalidParam,
  type Params,
  parseHash,
  RequestError,
} from "./request_params.ts";
import { accountJson, stateName, transactionJson } from "./toncenter_json.ts";

const MAX_PAGE_SIZE = 100;

export async function getExtendedAddressInformation(ledger: Ledger, params: Params) {
  const address = addressParam(params);
  const info = accountJson(await ledger.account(address), ledger.head);
  const { code, data, frozen_hash } = info;
  return {
    "@type": "fullAccountState",
    address: { "@type": "accountAddress", account_address: address.toString() },
    balance: info.balance,
    extra_currencies: info.extra_currencies,
    last_transaction_id: info.last_transaction_id,
    block_id: info.block_id,
    sync_utime: info.sync_utime,
    account_state: info.state === "active"
      ? { "@type": "raw.accountState", code, data, frozen_hash }
      : { "@type": "uninited.accountState", frozen_hash },
    revision: 0,
  };
}

export async function getWalletInformation(ledger: Ledger, params: Params) {
  const record = await ledger.account(addressParam(params));
  const { balance, last_transaction_id, code, data } = accountJson(record, ledger.head);
  const walletType = walletTypes.find((wallet) => wallet.code === code);
  const slice = walletType && Cell.fromBase64(data).beginParse().skip(walletType.seqnoOffset);
  return {
    wallet: walletType !== undefined,
    balance,
    account_state: stateName(record.account),
    last_transaction_id,
    ...slice && { wallet_type: walletType.name, seqno: slice.loadUint(32), wallet_id: slice.loadUint(32) },
  };
}

const walletTypes = [
  {
    name: "wallet v4 r2",
    code: WalletContractV4.create({ workchain: 0, publicKey: Buffer.alloc(32) }).init.code,
    seqnoOffset: 0,
  },
  {
    name: "wallet v5 r1",
    code: WalletContractV5R1.create({ publicKey: Buffer.alloc(32) }).init.code,
    seqnoOffset: 1,
  },
].map((kind) => ({ ...kind, code: kind.code.toBoc().toString("base64") }));

export async function getTransactions(ledger: Ledger, params: Params) {
  const address = addressParam(params);
  const limit = integerParam(params, "limit", 10);
  if (limit < 1 || limit > MAX_PAGE_SIZE) throw invalidParam("limit", `from 1 to ${MAX_PAGE_SIZE}`);
  const { transactions } = await ledger.account(address);
  const toLt = bigintParam(params, "to_lt", 0n);
  const newest = firstIndexOfPage(transactions, params);
  const page = transactions.slice(Math.max(0, newest + 1 - limit), newest + 1).reverse();
  return page.filter(({ lt }) => lt > toLt).map((stored) => transactionJson(address, stored));
}

export async function locateTransaction(ledger: Ledger, params: Params, side: "source" | "destination") {
  const [source, destination] = [addressParam(params, "source"), addressParam(params, "destination")];
  const lt = bigintParam(params, "created_lt", -1n);
  const address = side === "source" ? source : destination;
  for (const stored of (await ledger.account(address)).transactions) {
    const json = transactionJson(address, stored);
    const messages = side === "source" ? json.out_msgs : json.in_msg ? [json.in_msg] : [];
    const found = messages.some((message) =>
      message.created_lt === lt.toString() && message.source === source.toString() &&
      message.destination === destination.toString()
    );
    if (found) return json;
  }
  throw new RequestError(404, "message not found");
}

function firstIndexOfPage(transactions: readonly StoredTransaction[], params: Params): number {
  if (params.lt === undefined || params.lt === null) return transactions.length - 1;
  const lt = bigintParam(params, "lt", 0n);
  const index = indexOfLt(transactions, lt);
  const hash = params.hash === undefined ? undefined : parseHash(params.hash);
  if (index < 0 || (hash && !transactions[index].hash.equals(hash))) {
    throw new RequestError(500, "LITE_SERVER_UNKNOWN: cannot compute block with specified transaction");
  }
  return index;
}

/** Bisects, because a long history is read page by page. */
function indexOfLt(transactions: readonly StoredTransaction[], lt: bigint): number {
  let [low, high] = [0, transactions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (transactions[middle].lt < lt) low = middle + 1;
    else high = middle;
  }
  return transactions[low]?.lt === lt ? low : -1;
}
