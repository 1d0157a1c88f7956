/** The endpoint is not trusted: transactions must match their hashes, and a schema parses each response. */
import { type Address, Cell, loadTransaction, TupleReader } from "@ton/core";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { countSchema } from "../../core/protocol/api/scalars.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { AccountInfo, CallOptions, Chain, ChainTransaction, TransactionId } from "../chain.ts";
import type { RequestPriority } from "./request_scheduler.ts";
import { createJsonRpcClient, EndpointError, type EndpointOptions, type JsonRpcCall } from "./json_rpc.ts";
import { parseStack, serializeArguments } from "./stack_json.ts";
import { type Clock, monotonicClock } from "../../core/time/clock.ts";
import { TimeSlice } from "../../core/event_loop_yield.ts";

const MAX_PAGE_SIZE = 100; // toncenter's limit
/** The status for `archival: true` without an archive node, which toncenter/ton-http-api-cpp returns (`get_session_impl`). */
const NO_ARCHIVE_NODE = 542;
const NO_ARCHIVE_NODE_TTL_MS = 10 * 60_000;
const MASTERCHAIN = { workchain: -1, shard: "-9223372036854775808" };

/** Lite servers report -1 for an account that never existed. */
const balanceSchema = z.union([z.string().regex(/^(-1|[0-9]{1,39})$/), z.int().min(-1)])
  .transform((text) => BigInt(text) < 0n ? 0n : BigInt(text));
const ltSchema = z.string().regex(/^[0-9]{1,20}$/).transform(BigInt);
const hashSchema = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 32) return bytes.toString("hex");
  context.addIssue({ code: "custom", message: "is not a hash" });
  return z.NEVER;
});
const cellSchema = z.string().transform((text, context) => {
  try {
    return Cell.fromBase64(text);
  } catch {
    context.addIssue({ code: "custom", message: "is not a bag of cells" });
    return z.NEVER;
  }
});
const optionalCellSchema = z.union([z.literal("").transform(() => undefined), cellSchema]);
const transactionIdSchema = z.object({ lt: ltSchema, hash: hashSchema });

const resultSchemas = {
  getMasterchainInfo: z.object({
    last: z.object({ seqno: countSchema }),
    init: z.object({ root_hash: hashSchema, file_hash: hashSchema }).optional().catch(undefined),
  }),
  lookupBlock: z.object({ seqno: countSchema }),
  getAddressInformation: z.object({
    balance: balanceSchema,
    state: z.enum(["active", "uninitialized", "frozen"]),
    code: optionalCellSchema,
    data: optionalCellSchema,
    frozen_hash: hashSchema.optional().catch(undefined),
    last_transaction_id: transactionIdSchema,
    sync_utime: countSchema,
  }),
  /** Cells are parsed one by one: a whole page would block the event loop for too long. */
  getTransactions: z.array(z.object({ data: z.string(), transaction_id: transactionIdSchema })),
  runGetMethod: z.object({ exit_code: z.int(), stack: z.unknown() }),
  getConfigParam: z.object({ config: z.object({ bytes: cellSchema }) }),
};

/**
 * Connects to a toncenter v2 endpoint. Sends no request yet.
 * @throws {Problem} `invalid_config` for a malformed URL
 * @example
 * ```ts
 * const chain = connect({ endpoint: "https://testnet.toncenter.com/api/v2/jsonRPC" });
 * ```
 */
export function connect(options: EndpointOptions & { readonly network?: Network }): Chain {
  const call = createJsonRpcClient(options);
  const { network, clock = monotonicClock } = options;
  const transactionRows = createTransactionReader(call, clock);
  const request = async <K extends Method>(
    priority: RequestPriority,
    method: K,
    params: Record<string, unknown>,
    { signal }: CallOptions = {},
  ) => parseResult(method, await call(priority, method, params, { signal }));

  return {
    network,

    masterchainSeqno: async (options) =>
      (await request("seqno", "getMasterchainInfo", {}, options)).last.seqno,

    async zeroState(options) {
      const { init } = await request("seqno", "getMasterchainInfo", {}, options);
      return init && { rootHash: init.root_hash, fileHash: init.file_hash };
    },

    masterchainSeqnoAt: async (unixtime, options) =>
      (await request("seqno", "lookupBlock", { ...MASTERCHAIN, unixtime }, options)).seqno,

    async account(address, options) {
      const params = { address: address.toString() };
      const priority = options?.lowPriority ? "requests" : "seqno";
      const info = await request(priority, "getAddressInformation", params, options);
      return parseAccount(info, formatAddress(address, network));
    },

    async transactions(address, { limit, from, signal }) {
      const params = {
        address: address.toString(),
        limit: Math.min(limit, MAX_PAGE_SIZE),
        ...from && { lt: from.lt.toString(), hash: from.hash },
      };
      const rows = await transactionRows(params, { signal });
      return await verifyPage(rows.slice(0, params.limit), address, formatAddress(address, network), from);
    },

    async runGetMethod(address, method, args = [], options) {
      const params = { address: address.toString(), method, stack: serializeArguments(args) };
      const result = await request(getterPriority(options), "runGetMethod", params, options);
      return parseGetMethodResult(result, `${method} of ${formatAddress(address, network)}`);
    },

    configParam: async (id, options) =>
      (await request(getterPriority(options), "getConfigParam", { config_id: id }, options)).config.bytes,

    async send(message, { signal } = {}) {
      const boc = message.toBoc().toString("base64");
      let mayHaveArrived = false;
      const onError = (error: EndpointError): boolean => {
        if (isSent(error)) return true;
        mayHaveArrived ||= error.mayHaveTakenEffect;
        return false;
      };
      try {
        await call("send", "sendBoc", { boc }, { signal, onError });
      } catch (error) {
        if (!mayHaveArrived || !(error instanceof Problem)) throw error;
        const { code, message, members } = error;
        throw new Problem(code, message, { members: { ...members, mayHaveArrived }, cause: error });
      }
    },
  };
}

const getterPriority = (options?: CallOptions) => options?.lowPriority ? "requests" : "getters";

type Method = keyof typeof resultSchemas;
type Result<K extends Method> = z.output<(typeof resultSchemas)[K]>;

function parseAccount(info: Result<"getAddressInformation">, addressText: string): AccountInfo {
  const active = info.state === "active";
  if (active && !(info.code && info.data)) {
    throw inconsistent(`account ${addressText} is active but has no state`);
  }
  return {
    state: info.state,
    balance: info.balance,
    ...active && { code: info.code, data: info.data },
    ...info.state === "frozen" && info.frozen_hash && { frozenHash: info.frozen_hash },
    ...info.last_transaction_id.lt > 0n && { last: info.last_transaction_id },
    syncUtime: info.sync_utime,
  };
}

function parseGetMethodResult(
  { exit_code: exitCode, stack }: Result<"runGetMethod">,
  what: string,
): TupleReader {
  if (exitCode !== 0 && exitCode !== 1) {
    throw new Problem("contract_refused", `${what} ended with exit code ${exitCode}`, {
      members: { exitCode },
    });
  }
  try {
    return new TupleReader(parseStack(stack));
  } catch (cause) {
    throw inconsistent(`${what} returned a malformed stack`, cause);
  }
}

/**
 * Asks for archive nodes for every page: a lite server without old blocks knows not even the newest transactions
 * of a quiet account ("lt not in db"). An endpoint without archive nodes then uses the servers that it has.
 * One outage of the archive nodes disables `archival` for ten minutes, during which old pages fail.
 */
function createTransactionReader(call: JsonRpcCall, clock: Clock) {
  let noArchiveNodeUntil = -Infinity;
  return async (params: Record<string, unknown>, { signal }: CallOptions) => {
    const read = (params: Record<string, unknown>, onError?: (error: EndpointError) => boolean) =>
      call("transactions", "getTransactions", params, { signal, onError });
    if (clock.now() >= noArchiveNodeUntil) {
      let refused = false;
      const answer = await read(
        { ...params, archival: true },
        ({ code }) => refused = code === NO_ARCHIVE_NODE,
      );
      if (!refused) return parseResult("getTransactions", answer);
      noArchiveNodeUntil = clock.now() + NO_ARCHIVE_NODE_TTL_MS;
    }
    return parseResult("getTransactions", await read(params));
  };
}

/**
 * The lite server refuses a message before its account has seen it (ton-blockchain/ton,
 * `validator/impl/ext-message-pool.cpp` and `ext-message-checker.cpp`).
 */
const BUSY = /LITE_SERVER_(NOTREADY|TIMEOUT|CANCELLED)|to current state ?: ?(too many|not ready|no shard)/i;

/** Returns whether the message is already in the mempool. Throws `contract_refused` if it is rejected. */
function isSent({ message }: EndpointError): boolean {
  if (/duplicate message/i.test(message)) return true;
  if (BUSY.test(message)) return false;
  if (!/cannot apply external message|not accepted|rejected by/i.test(message)) return false;
  const exitCode = /exit_?code[=:]\s*(-?\d{1,10})/i.exec(message)?.[1];
  throw exitCode === undefined
    ? new Problem("contract_refused", "account rejects the external message")
    : new Problem("contract_refused", `account rejects the external message with exit code ${exitCode}`, {
      members: { exitCode: Number(exitCode) },
    });
}

async function verifyPage(
  rows: Result<"getTransactions">,
  address: Address,
  addressText: string,
  from: TransactionId | undefined,
): Promise<ChainTransaction[]> {
  const page: ChainTransaction[] = [];
  const timeSlice = new TimeSlice();
  for (const { data, transaction_id: id } of rows) {
    page.push(verifyTransaction(address, data, id, addressText));
    await timeSlice.yieldIfExpired();
  }
  verifyLinks(addressText, page, from);
  return page;
}

function verifyTransaction(
  address: Address,
  boc: string,
  id: TransactionId,
  addressText: string,
): ChainTransaction {
  const data = cellSchema.safeParse(boc).data;
  if (data === undefined) throw inconsistent(`transaction ${id.lt} of ${addressText} is not a bag of cells`);
  if (data.hash().toString("hex") !== id.hash) {
    throw inconsistent(`transaction ${id.lt} of ${addressText} does not match its hash`);
  }
  try {
    const raw = loadTransaction(data.beginParse());
    if (raw.lt !== id.lt) throw new Error("another logical time");
    if (raw.address !== BigInt(`0x${address.hash.toString("hex")}`)) throw new Error("another account");
    const prev = raw.prevTransactionLt === 0n ? null : {
      lt: raw.prevTransactionLt,
      hash: raw.prevTransactionHash.toString(16).padStart(64, "0"),
    };
    return { id, prev, now: raw.now, raw };
  } catch (cause) {
    throw inconsistent(`transaction ${id.lt} of ${addressText} is not the requested one`, cause);
  }
}

function verifyLinks(addressText: string, page: readonly ChainTransaction[], from?: TransactionId): void {
  let expected: TransactionId | null | undefined = from;
  if (from && page.length === 0) {
    throw inconsistent(`endpoint does not know transaction ${from.lt} of ${addressText}`);
  }
  for (const { id, prev } of page) {
    if (expected !== undefined && (expected?.lt !== id.lt || expected?.hash !== id.hash)) {
      throw inconsistent(`transactions of ${addressText} do not link at ${id.lt}`);
    }
    if (prev && prev.lt >= id.lt) {
      throw inconsistent(`transaction ${id.lt} of ${addressText} follows a later one`);
    }
    expected = prev;
  }
}

function parseResult<K extends Method>(method: K, answer: unknown): Result<K> {
  const parsed = resultSchemas[method].safeParse(answer);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw inconsistent(`${method} returned a value (${path.join(".") || "root"}) that ${message}`);
  }
  return parsed.data as Result<K>;
}

function inconsistent(detail: string, cause?: unknown): Problem {
  return new Problem("chain_inconsistent", detail, { cause });
}
