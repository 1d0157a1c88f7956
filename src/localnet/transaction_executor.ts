import {
  type Account,
  type Address,
  beginCell,
  Cell,
  Dictionary,
  loadMessage,
  parseTuple,
  storeShardAccount,
  type TupleItem,
} from "@ton/core";
import { getSelectorForMethod } from "@ton/sandbox/dist/utils/selector.js";
import type { Executor } from "./emulator.ts";

export interface GetMethodResult {
  readonly exitCode: number;
  readonly gasUsed: number;
  readonly stack: TupleItem[];
}

/** `exitCode` is absent if the account's code never ran. */
export class ExternalMessageRejected extends Error {
  constructor(readonly account: Address, readonly exitCode: number | undefined, reason: string) {
    super(reason);
  }
}

const MAX_GET_METHOD_GAS = 300_000n; // as on public servers
const NO_CODE_EXIT_CODE = -13;

export const emptyShardAccount: string = beginCell()
  .store(storeShardAccount({ account: null, lastTransactionHash: 0n, lastTransactionLt: 0n }))
  .endCell().toBoc().toString("base64");

export class TransactionExecutor {
  readonly #config: string;

  constructor(private readonly executor: Executor, readonly config: Cell) {
    this.#config = config.toBoc().toString("base64");
  }

  async runTransaction(
    { account, ...params }: {
      readonly account: Address;
      readonly shardAccount: string;
      readonly message: Cell;
      readonly now: number;
      readonly lt: bigint;
      readonly ignoreChksig: boolean;
    },
  ): Promise<{ readonly transaction: string; readonly shardAccount: string }> {
    const { result } = await this.executor.runTransaction({
      ...params,
      config: this.#config,
      libs: null,
      verbosity: "short",
      randomSeed: randomSeed(),
      debugEnabled: false,
    });
    if (!result.success) {
      throw new ExternalMessageRejected(account, result.vmResults?.vmExitCode, result.error);
    }
    return result;
  }

  async runGetMethod(
    address: Address,
    account: Account | null,
    call: { readonly method: string | number; readonly stack: TupleItem[]; readonly now: number },
  ): Promise<GetMethodResult> {
    const { method, stack, now } = call;
    const state = account?.storage.state;
    if (state?.type !== "active" || !state.state.code) {
      return { exitCode: NO_CODE_EXIT_CODE, gasUsed: 0, stack: [] };
    }
    const { output } = await this.executor.runGetMethod({
      code: state.state.code,
      data: state.state.data ?? Cell.EMPTY,
      methodId: typeof method === "number" ? method : getSelectorForMethod(method),
      stack,
      config: this.#config,
      verbosity: "short",
      address,
      unixTime: now,
      balance: account!.storage.balance.coins,
      randomSeed: randomSeed(),
      gasLimit: MAX_GET_METHOD_GAS,
      debugEnabled: false,
    });
    if (!output.success) throw new Error(output.error);
    const succeeded = output.vm_exit_code === 0 || output.vm_exit_code === 1;
    return {
      exitCode: output.vm_exit_code,
      gasUsed: Number(output.gas_used),
      stack: succeeded ? parseTuple(Cell.fromBase64(output.stack)) : [],
    };
  }
}

export function externalDestination(message: Cell): Address {
  try {
    const { info } = loadMessage(message.beginParse());
    if (info.type === "external-in") return info.dest;
  } catch {
    // The cell is not a message.
  }
  throw new TypeError("not an external inbound message");
}

/** Returns the original cells: serialized again, messages might have other hashes. */
export function messageCells(transaction: Cell) {
  const slice = transaction.refs[0].beginParse();
  const inbound = slice.loadBit() ? slice.loadRef() : undefined;
  return { inbound, outbound: slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell()) };
}

function randomSeed(): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
}
