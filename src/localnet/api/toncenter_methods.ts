import { type Cell, Dictionary } from "@ton/core";
import {
  getExtendedAddressInformation,
  getTransactions,
  getWalletInformation,
  locateTransaction,
} from "./account_methods.ts";
import { faucet } from "../faucet.ts";
import type { Ledger } from "../ledger.ts";
import { estimateFee, runGetMethod, sendBoc, sendBocReturnHash } from "./message_methods.ts";
import { addressParam, integerParam, type Params, RequestError } from "./request_params.ts";
import { accountJson, blockId, stateName } from "./toncenter_json.ts";

type Method = (ledger: Ledger, params: Params) => unknown;

export const toncenterMethods: Readonly<Record<string, Method>> = {
  getMasterchainInfo: ({ head }) => ({
    "@type": "blocks.masterchainInfo",
    last: blockId(head),
    state_root_hash: blockId(head).root_hash,
    init: { ...blockId({ seqno: 0 }), workchain: -1 },
  }),

  getConsensusBlock: ({ head }) => ({ consensus_block: head.seqno, timestamp: head.now }),

  lookupBlock: (ledger, params) => blockId(findBlock(ledger, params), integerParam(params, "workchain", -1)),

  shards: (ledger, params) => ({ "@type": "blocks.shards", shards: [blockId(findBlock(ledger, params), 0)] }),

  getBlockTransactions,

  getAddressInformation: async (ledger, params) =>
    accountJson(await ledger.account(addressParam(params)), ledger.head),

  getAddressBalance: async (ledger, params) =>
    accountJson(await ledger.account(addressParam(params)), ledger.head).balance,

  getAddressState: async (ledger, params) => stateName((await ledger.account(addressParam(params))).account),

  getExtendedAddressInformation,
  getWalletInformation,
  getTransactions,
  tryLocateResultTx: (ledger, params) => locateTransaction(ledger, params, "destination"),
  tryLocateTx: (ledger, params) => locateTransaction(ledger, params, "destination"),
  tryLocateSourceTx: (ledger, params) => locateTransaction(ledger, params, "source"),

  runGetMethod,
  sendBoc: async (ledger, params) => {
    await sendBoc(ledger, params);
    return { "@type": "ok" };
  },
  sendBocReturnHash,
  estimateFee,

  getConfigParam,
  getConfigAll: (ledger) => configJson(ledger.config),

  faucet,
};

function getBlockTransactions(ledger: Ledger, params: Params) {
  const found = findBlock(ledger, params);
  const workchain = integerParam(params, "workchain", 0);
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
}

function findBlock(ledger: Ledger, params: Params) {
  const bySeqno = params.seqno !== undefined && params.seqno !== null;
  const wanted = integerParam(params, bySeqno ? "seqno" : "unixtime", -1);
  const found = bySeqno ? ledger.block(wanted) : ledger.blockAt(wanted);
  if (!found) {
    throw new RequestError(404, `LITE_SERVER_NOTREADY: block of ${JSON.stringify(params)} is not known`);
  }
  return found;
}

function getConfigParam(ledger: Ledger, params: Params) {
  const id = integerParam(params, "config_id", integerParam(params, "param", -1));
  const all = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), ledger.config);
  const param = all.get(id);
  if (!param) throw new RequestError(422, `config parameter ${id} is not set`);
  return configJson(param);
}

function configJson(config: Cell) {
  return { "@type": "configInfo", config: { "@type": "tvm.cell", bytes: config.toBoc().toString("base64") } };
}
