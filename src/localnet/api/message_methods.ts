import { type Address, beginCell, type Cell, external, loadMessage, storeMessage } from "@ton/core";
import { parseStack, serializeStack } from "../../ton/endpoint/stack_json.ts";
import { MAX_EXTERNAL_MESSAGE_BYTES, normalizedMessageHash } from "../../ton/wallet/wallet.ts";
import type { Ledger } from "../ledger.ts";
import type { ExternalMessageRejected } from "../transaction_executor.ts";
import {
  addressParam,
  cellParam,
  invalidParam,
  optionalCellParam,
  type Params,
  parseParam,
  RequestError,
} from "./request_params.ts";
import { blockId, transactionId } from "./toncenter_json.ts";

export async function sendBoc(ledger: Ledger, params: Params): Promise<Cell> {
  const message = cellParam(params, "boc");
  if (message.toBoc().length > MAX_EXTERNAL_MESSAGE_BYTES) {
    throw new RequestError(
      500,
      "LITE_SERVER_UNKNOWN: cannot apply external message : too big external message",
    );
  }
  try {
    await ledger.sendExternal(message);
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError(422, error.message);
    throw error;
  }
  return message;
}

export function rejectionText({ account, exitCode, message }: ExternalMessageRejected): string {
  const raw = `${account.workChain}:${account.hash.toString("hex").toUpperCase()}`;
  const text = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : " +
    "External message was not accepted\nCannot run message on account: " +
    `inbound external message rejected by account ${raw} before smart-contract execution`;
  return exitCode === undefined ? text : `${text.replace("before smart-contract execution", "")}: ` +
    `exitcode=${exitCode}, ${message}`;
}

export async function sendBocReturnHash(ledger: Ledger, params: Params) {
  const message = await sendBoc(ledger, params);
  const { info, body } = loadMessage(message.beginParse());
  const normalized = normalizedMessageHash((info as { dest: Address }).dest, body);
  return {
    "@type": "raw.extMessageInfo",
    hash: message.hash().toString("base64"),
    hash_norm: Buffer.from(normalized, "hex").toString("base64"),
  };
}

export async function estimateFee(ledger: Ledger, params: Params) {
  const code = optionalCellParam(params, "init_code");
  const data = optionalCellParam(params, "init_data");
  const init = code && data ? { code, data } : undefined;
  const message = external({ to: addressParam(params), body: cellParam(params, "body"), init });
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
}

export async function runGetMethod(ledger: Ledger, params: Params) {
  const { method } = params;
  if (typeof method !== "string" && !isMethodId(method)) {
    throw invalidParam("method", "a name or a number of 32 bits");
  }
  const stack = parseParam("stack", () => parseStack(params.stack ?? []));
  const address = addressParam(params);
  const { transactions } = await ledger.account(address);
  const { exitCode, gasUsed, stack: result } = await ledger.runGetMethod(address, method, stack);
  return {
    "@type": "smc.runResult",
    gas_used: gasUsed,
    stack: serializeStack(result),
    exit_code: exitCode,
    block_id: blockId(ledger.head),
    last_transaction_id: transactionId(transactions.at(-1)),
  };
}

function isMethodId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value === (value | 0);
}
