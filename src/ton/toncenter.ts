/**
 * The chain by toncenter's HTTP API v2. The endpoint may be slow, wrong or hostile: a transaction is believed only by
 * the hash of its own cell, and every other answer is parsed before it gets out.
 */
import { type Address, Cell, loadTransaction, TupleReader } from "@ton/core";
import { z } from "zod";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { AccountInfo, Chain, ChainTransaction, TransactionId } from "./chain.ts";
import { EndpointError, type EndpointOptions, openEndpoint } from "./json_rpc.ts";
import { parseStack, serializeArguments } from "./stack_json.ts";
import { Turns } from "../core/turns.ts";

/** Transactions that toncenter gives at once. */
const LARGEST_PAGE = 100;
/** The masterchain, of which there is one shard. */
const MASTERCHAIN = { workchain: -1, shard: "-9223372036854775808" };

/** Lite servers say -1 for an account that was never there. */
const balance = z.union([z.string().regex(/^(-1|[0-9]{1,39})$/), z.int().min(-1)])
  .transform((text) => BigInt(text) < 0n ? 0n : BigInt(text));
const lt = z.string().regex(/^[0-9]{1,20}$/).transform(BigInt);
const hash = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 32) return bytes.toString("hex");
  context.addIssue({ code: "custom", message: "is no hash" });
  return z.NEVER;
});
const cell = z.string().transform((text, context) => {
  try {
    return Cell.fromBase64(text);
  } catch {
    context.addIssue({ code: "custom", message: "is no bag of cells" });
    return z.NEVER;
  }
});
const optionalCell = z.union([z.literal("").transform(() => undefined), cell]);
const transactionId = z.object({ lt, hash });

const answers = {
  getMasterchainInfo: z.object({
    last: z.object({ seqno: z.int().nonnegative() }),
    init: z.object({ root_hash: hash, file_hash: hash }).optional().catch(undefined),
  }),
  lookupBlock: z.object({ seqno: z.int().nonnegative() }),
  getAddressInformation: z.object({
    balance,
    state: z.enum(["active", "uninitialized", "frozen"]),
    code: optionalCell,
    data: optionalCell,
    last_transaction_id: transactionId,
    sync_utime: z.int().nonnegative(),
  }),
  /** Cells are read one by one: a page of them is too much for one turn of the event loop. */
  getTransactions: z.array(z.object({ data: z.string(), transaction_id: transactionId })),
  runGetMethod: z.object({ exit_code: z.int(), stack: z.unknown() }),
  getConfigParam: z.object({ config: z.object({ bytes: cell }) }),
};

/** Connects to a toncenter v2 endpoint. Nothing is asked yet. @param options.network of addresses in errors @throws {Problem} `invalid_config` for a bad URL. */
export function connect(options: EndpointOptions & { readonly network?: Network }): Chain {
  const call = openEndpoint(options);
  const { network } = options;
  const shown = (address: Address) => shownAddress(address, network);

  return {
    network,

    async masterchainSeqno({ signal } = {}) {
      const info = await call("seqno", "getMasterchainInfo", {}, { signal });
      return parse("getMasterchainInfo", info).last.seqno;
    },

    async zeroState({ signal } = {}) {
      const info = await call("seqno", "getMasterchainInfo", {}, { signal });
      const { init } = parse("getMasterchainInfo", info);
      return init && { rootHash: init.root_hash, fileHash: init.file_hash };
    },

    async masterchainSeqnoAt(unixtime, { signal } = {}) {
      const block = await call("seqno", "lookupBlock", { ...MASTERCHAIN, unixtime }, { signal });
      return parse("lookupBlock", block).seqno;
    },

    async account(address, { signal, patient } = {}) {
      const params = { address: address.toString() };
      const info = parse(
        "getAddressInformation",
        await call(patient ? "requests" : "seqno", "getAddressInformation", params, { signal }),
      );
      const active = info.state === "active";
      if (active && !(info.code && info.data)) {
        throw inconsistent(`account ${shown(address)} is active and has no state`);
      }
      return {
        state: info.state,
        balance: info.balance,
        ...active && { code: info.code, data: info.data },
        ...info.last_transaction_id.lt > 0n && { last: info.last_transaction_id },
        syncUtime: info.sync_utime,
      } satisfies AccountInfo;
    },

    async transactions(address, { limit, from, signal }) {
      const params = {
        address: address.toString(),
        limit: Math.min(limit, LARGEST_PAGE),
        // History may lie on archive nodes only; the newest is on all of them.
        ...from && { lt: from.lt.toString(), hash: from.hash, archival: true },
      };
      const rows = parse(
        "getTransactions",
        await call("transactions", "getTransactions", params, { signal }),
      );
      const page: ChainTransaction[] = [];
      const turns = new Turns();
      for (const { data, transaction_id: id } of rows.slice(0, params.limit)) {
        page.push(verified(address, data, id, shown(address)));
        await turns.next();
      }
      verifyLinks(shown(address), page, from);
      return page;
    },

    async get(address, method, args = [], { signal, patient } = {}) {
      const params = { address: address.toString(), method, stack: serializeArguments(args) };
      const { exit_code: exitCode, stack } = parse(
        "runGetMethod",
        await call(patient ? "requests" : "getters", "runGetMethod", params, { signal }),
      );
      if (exitCode !== 0 && exitCode !== 1) {
        throw new Problem(
          "contract_refused",
          `${method} of ${shown(address)} ended with exit code ${exitCode}`,
          {
            members: { exitCode },
          },
        );
      }
      try {
        return new TupleReader(parseStack(stack));
      } catch (cause) {
        throw inconsistent(`${method} of ${shown(address)} gave an ill-formed stack`, cause);
      }
    },

    async configParam(id, { signal, patient } = {}) {
      const rank = patient ? "requests" : "getters";
      const param = await call(rank, "getConfigParam", { config_id: id }, { signal });
      return parse("getConfigParam", param).config.bytes;
    },

    async send(message, { signal } = {}) {
      const boc = message.toBoc().toString("base64");
      await call("send", "sendBoc", { boc }, { signal, settles: settlesMessage });
    },
  };
}

/**
 * A message that is there already needs nothing more; one that its account refuses is refused again as it is.
 *
 * @throws {Problem} `contract_refused`
 */
function settlesMessage({ message }: EndpointError): boolean {
  if (/duplicate message/i.test(message)) return true;
  if (!/cannot apply external message|not accepted|rejected by/i.test(message)) return false;
  const exitCode = /exit_?code[=:]\s*(-?\d{1,10})/i.exec(message)?.[1];
  throw exitCode === undefined
    ? new Problem("contract_refused", "account does not accept the external message")
    : new Problem("contract_refused", `account refuses the external message with exit code ${exitCode}`, {
      members: { exitCode: Number(exitCode) },
    });
}

function verified(address: Address, boc: string, id: TransactionId, shown: string): ChainTransaction {
  const data = cell.safeParse(boc).data;
  if (data === undefined) throw inconsistent(`transaction ${id.lt} of ${shown} is no bag of cells`);
  if (data.hash().toString("hex") !== id.hash) {
    throw inconsistent(`transaction ${id.lt} of ${shown} is not the one its hash names`);
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
    throw inconsistent(`transaction ${id.lt} of ${shown} is not the one asked for`, cause);
  }
}

function verifyLinks(shown: string, page: readonly ChainTransaction[], from?: TransactionId): void {
  let expected: TransactionId | null | undefined = from;
  if (from && page.length === 0) {
    throw inconsistent(`endpoint does not know transaction ${from.lt} of ${shown}`);
  }
  for (const { id, prev } of page) {
    if (expected !== undefined && (expected?.lt !== id.lt || expected?.hash !== id.hash)) {
      throw inconsistent(`transactions of ${shown} do not link at ${id.lt}`);
    }
    if (prev && prev.lt >= id.lt) {
      throw inconsistent(`transaction ${id.lt} of ${shown} follows a later one`);
    }
    expected = prev;
  }
}

function parse<K extends keyof typeof answers>(method: K, answer: unknown): z.output<(typeof answers)[K]> {
  const parsed = answers[method].safeParse(answer);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw inconsistent(`${method} answered with ${path.join(".") || "something"} that ${message}`);
  }
  return parsed.data as z.output<(typeof answers)[K]>;
}

function inconsistent(detail: string, cause?: unknown): Problem {
  return new Problem("chain_inconsistent", detail, { cause });
}
