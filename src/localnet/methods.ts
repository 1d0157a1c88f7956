/**
 * The methods of toncenter's API v2 over a {@link Ledger}: those that TonClient, wallets and our own adapter ask for, and
 * a faucet. Each takes loosely typed parameters, as the real one does, and throws {@linkcode RequestError} for what it
 * cannot take.
 */
import { type Address, beginCell, Cell, Dictionary, external, loadMessage, storeMessage } from "@ton/core";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { WalletContractV5R1 } from "@ton/ton/dist/wallets/WalletContractV5R1.js";
import { parseStack, serializeStack } from "../ton/stack_json.ts";
import { LARGEST_EXTERNAL, normalizedHash } from "../ton/wallet.ts";
import { faucet } from "./faucet.ts";
import { ExternalRefused, type Ledger, type StoredTransaction } from "./ledger.ts";
import {
  address,
  attempt,
  bigint,
  cell,
  hashBytes,
  integer,
  invalid,
  optionalCell,
  type Params,
  RequestError,
} from "./params.ts";
import { accountJson, blockId, stateName, transactionId, transactionJson } from "./toncenter_json.ts";

type Method = (ledger: Ledger, params: Params) => unknown;

const LARGEST_PAGE = 100;

/** Every method by its name. */
export const methods: Readonly<Record<string, Method>> = {
  getMasterchainInfo: ({ head }) => ({
    "@type": "blocks.masterchainInfo",
    last: blockId(head),
    state_root_hash: blockId(head).root_hash,
    init: { ...blockId({ seqno: 0 }), workchain: -1 },
  }),

  getConsensusBlock: ({ head }) => ({ consensus_block: head.seqno, timestamp: head.now }),

  lookupBlock: (ledger, params) => blockId(block(ledger, params), integer(params, "workchain", -1)),

  shards: (ledger, params) => ({ "@type": "blocks.shards", shards: [blockId(block(ledger, params), 0)] }),

  getBlockTransactions: (ledger, params) => {
    const found = block(ledger, params);
    const workchain = integer(params, "workchain", 0);
    const transactions = found.transactions.filter(({ account }) => account.workChain === workchain);
    return {
      "@type": "blocks.transactions",
      id: blockId(found, workchain),
      req_count: transactions.length,
      incomplete: false,
      transactions: transactions.map(({ account, lt, hash }) => ({
        "@type": "blocks.shortTxId",
        mode: 135,
        account: account.toRawString(),
        lt: lt.toString(),
        hash: hash.toString("base64"),
      })),
    };
  },

  getAddressInformation: async (ledger, params) =>
    accountJson(await ledger.account(address(params)), ledger.head),

  getExtendedAddressInformation: async (ledger, params) => {
    const of = address(params);
    const info = accountJson(await ledger.account(of), ledger.head);
    const { code, data, frozen_hash } = info;
    return {
      "@type": "fullAccountState",
      address: { "@type": "accountAddress", account_address: of.toString() },
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
  },

  getWalletInformation: async (ledger, params) => {
    const record = await ledger.account(address(params));
    const { balance, last_transaction_id, code, data } = accountJson(record, ledger.head);
    const kind = walletKinds.find((wallet) => wallet.code === code);
    const slice = kind && Cell.fromBase64(data).beginParse().skip(kind.seqnoOffset);
    return {
      wallet: kind !== undefined,
      balance,
      account_state: stateName(record.account),
      last_transaction_id,
      ...slice && { wallet_type: kind.name, seqno: slice.loadUint(32), wallet_id: slice.loadUint(32) },
    };
  },

  getAddressBalance: async (ledger, params) =>
    accountJson(await ledger.account(address(params)), ledger.head).balance,

  getAddressState: async (ledger, params) => stateName((await ledger.account(address(params))).account),

  getTransactions: async (ledger, params) => {
    const of = address(params);
    const limit = integer(params, "limit", 10);
    if (limit < 1 || limit > LARGEST_PAGE) throw invalid("limit", `from 1 to ${LARGEST_PAGE}`);
    const { transactions } = await ledger.account(of);
    const toLt = bigint(params, "to_lt", 0n);
    const newest = newestOf(transactions, params);
    const page = transactions.slice(Math.max(0, newest + 1 - limit), newest + 1).reverse();
    return page.filter(({ lt }) => lt > toLt).map((stored) => transactionJson(of, stored));
  },

  tryLocateResultTx: (ledger, params) => locate(ledger, params, "destination"),
  tryLocateTx: (ledger, params) => locate(ledger, params, "destination"),
  tryLocateSourceTx: (ledger, params) => locate(ledger, params, "source"),

  runGetMethod: async (ledger, params) => {
    const { method } = params;
    if (typeof method !== "string" && !isMethodId(method)) {
      throw invalid("method", "a name or a number of 32 bits");
    }
    const stack = attempt("stack", () => parseStack(params.stack ?? []));
    const of = address(params);
    const { transactions } = await ledger.account(of);
    const { exitCode, gasUsed, stack: result } = await ledger.get(of, method, stack);
    return {
      "@type": "smc.runResult",
      gas_used: gasUsed,
      stack: serializeStack(result),
      exit_code: exitCode,
      block_id: blockId(ledger.head),
      last_transaction_id: transactionId(transactions.at(-1)),
    };
  },

  sendBoc: async (ledger, params) => {
    await submit(ledger, params);
    return { "@type": "ok" };
  },

  sendBocReturnHash: async (ledger, params) => {
    const message = await submit(ledger, params);
    const { info, body } = loadMessage(message.beginParse());
    const normalized = normalizedHash((info as { dest: Address }).dest, body);
    return {
      "@type": "raw.extMessageInfo",
      hash: message.hash().toString("base64"),
      hash_norm: Buffer.from(normalized, "hex").toString("base64"),
    };
  },

  estimateFee: async (ledger, params) => {
    const code = optionalCell(params, "init_code");
    const data = optionalCell(params, "init_data");
    const init = code && data ? { code, data } : undefined;
    const message = external({ to: address(params), body: cell(params, "body"), init });
    const { description, totalFees } = await ledger.dryRun(
      beginCell().store(storeMessage(message)).endCell(),
    );
    const phases = description.type === "generic" ? description : undefined;
    const gasFee = phases?.computePhase.type === "vm" ? phases.computePhase.gasFees : 0n;
    const storageFee = phases?.storagePhase?.storageFeesCollected ?? 0n;
    const actionFee = phases?.actionPhase?.totalActionFees ?? 0n;
    const forwardFee = phases?.actionPhase?.totalFwdFees ?? 0n;
    return {
      "@type": "query.fees",
      source_fees: {
        "@type": "fees",
        in_fwd_fee: Number(totalFees.coins - gasFee - storageFee - actionFee),
        storage_fee: Number(storageFee),
        gas_fee: Number(gasFee),
        fwd_fee: Number(forwardFee),
      },
      destination_fees: [],
    };
  },

  getConfigParam: (ledger, params) => {
    const id = integer(params, "config_id", integer(params, "param", -1));
    const all = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), ledger.config);
    const param = all.get(id);
    if (!param) throw new RequestError(422, `config parameter ${id} is not set`);
    return configJson(param);
  },

  getConfigAll: (ledger) => configJson(ledger.config),

  faucet,
};

function isMethodId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value === (value | 0);
}

const walletKinds = [
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

async function submit(ledger: Ledger, params: Params): Promise<Cell> {
  const message = cell(params, "boc");
  if (message.toBoc().length > LARGEST_EXTERNAL) {
    throw new RequestError(
      500,
      "LITE_SERVER_UNKNOWN: cannot apply external message : too big external message",
    );
  }
  try {
    await ledger.submit(message);
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError(422, error.message);
    throw error;
  }
  return message;
}

/** What a lite server says of an external message that its account refuses. */
export function refusalText({ account, exitCode, message }: ExternalRefused): string {
  const raw = `${account.workChain}:${account.hash.toString("hex").toUpperCase()}`;
  const text = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : " +
    "External message was not accepted\nCannot run message on account: " +
    `inbound external message rejected by account ${raw} before smart-contract execution`;
  return exitCode === undefined ? text : `${text.replace("before smart-contract execution", "")}: ` +
    `exitcode=${exitCode}, ${message}`;
}

async function locate(ledger: Ledger, params: Params, side: "source" | "destination") {
  const [source, destination] = [address(params, "source"), address(params, "destination")];
  const lt = bigint(params, "created_lt", -1n);
  const of = side === "source" ? source : destination;
  for (const stored of (await ledger.account(of)).transactions) {
    const json = transactionJson(of, stored);
    const messages = side === "source" ? json.out_msgs : json.in_msg ? [json.in_msg] : [];
    const found = messages.some((message) =>
      message.created_lt === lt.toString() && message.source === source.toString() &&
      message.destination === destination.toString()
    );
    if (found) return json;
  }
  throw new RequestError(404, "message not found");
}

/** Index of the transaction that a page starts with. */
function newestOf(transactions: readonly StoredTransaction[], params: Params): number {
  if (params.lt === undefined || params.lt === null) return transactions.length - 1;
  const lt = bigint(params, "lt", 0n);
  const index = indexOf(transactions, lt);
  const hash = params.hash === undefined ? undefined : hashBytes(params.hash);
  if (index < 0 || (hash && !transactions[index].hash.equals(hash))) {
    throw new RequestError(500, "LITE_SERVER_UNKNOWN: cannot compute block with specified transaction");
  }
  return index;
}

/** By bisection: a long history is asked for a page at a time. */
function indexOf(transactions: readonly StoredTransaction[], lt: bigint): number {
  let [low, high] = [0, transactions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (transactions[middle].lt < lt) low = middle + 1;
    else high = middle;
  }
  return transactions[low]?.lt === lt ? low : -1;
}

function block(ledger: Ledger, params: Params) {
  const bySeqno = params.seqno !== undefined && params.seqno !== null;
  const wanted = integer(params, bySeqno ? "seqno" : "unixtime", -1);
  const found = bySeqno ? ledger.block(wanted) : ledger.blockAt(wanted);
  if (!found) {
    throw new RequestError(404, `LITE_SERVER_NOTREADY: block of ${JSON.stringify(params)} is not known`);
  }
  return found;
}

function configJson(config: Cell) {
  return { "@type": "configInfo", config: { "@type": "tvm.cell", bytes: config.toBoc().toString("base64") } };
}
