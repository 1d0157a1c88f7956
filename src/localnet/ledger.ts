/**
 * A blockchain in memory: accounts, their whole transaction chains, blocks. Transactions are made by TON's emulator and
 * kept as it made them. It knows no HTTP and no wall clock; whoever owns it says when a block closes and at what time.
 */
import {
  type Account,
  type Address,
  beginCell,
  Cell,
  Dictionary,
  loadMessage,
  loadShardAccount,
  loadTransaction,
  parseTuple,
  serializeTuple,
  storeMessage,
  storeShardAccount,
  type TupleItem,
} from "@ton/core";
import { getSelectorForMethod } from "@ton/sandbox/dist/utils/selector.js";
import type { Executor } from "./emulator.ts";

/** A transaction as it is kept: its cell in base64, and what finds it. */
export interface StoredTransaction {
  readonly lt: bigint;
  /** 32 bytes. */
  readonly hash: Buffer;
  readonly blockSeqno: number;
  readonly boc: string;
}

/** A closed block; masterchain and basechain count alike here. */
export interface Block {
  readonly seqno: number;
  readonly now: number;
  readonly transactions: readonly { readonly account: Address; readonly lt: bigint; readonly hash: Buffer }[];
}

/** An account's state and history, oldest first. */
export interface AccountRecord {
  readonly account: Account | null;
  readonly transactions: readonly StoredTransaction[];
}

/** Result of a get method. */
export interface GetMethodResult {
  readonly exitCode: number;
  readonly gasUsed: number;
  readonly stack: TupleItem[];
}

/** An account does not accept an external message. `exitCode` is absent when its code never ran. */
export class ExternalRefused extends Error {
  constructor(readonly account: Address, readonly exitCode: number | undefined, reason: string) {
    super(reason);
  }
}

interface MutableRecord {
  shardAccount: string;
  parsed?: Account | null;
  transactions: StoredTransaction[];
}

/** Logical time between two transactions; one makes at most 255 messages, each taking one of it. */
const LT_STEP = 1_000_000n;
/** Transactions of a block; messages that are left over go into the next. */
const LARGEST_BLOCK = 2_000;
/** Gas of get methods on public servers. */
const GET_METHOD_GAS = 300_000n;
/** What TVM answers for a get method of an account without code. */
const NO_CODE = -13;

const emptyShardAccount = beginCell()
  .store(storeShardAccount({ account: null, lastTransactionHash: 0n, lastTransactionLt: 0n }))
  .endCell().toBoc().toString("base64");

/** The chain. Calls run one after another, in the order in which they were made. */
export class Ledger {
  readonly #executor: Executor;
  readonly #config: string;
  readonly #accounts = new Map<string, MutableRecord>();
  readonly #blocks: Block[] = [];
  /** Internal messages on their way, oldest first. */
  #messages: Cell[] = [];
  /** External messages that were accepted for the next block, by hash: the same one twice is one. */
  readonly #pool = new Map<string, Cell>();
  /** Answers of get methods at the last block. */
  readonly #answers = new Map<string, Promise<GetMethodResult>>();
  #lt = 0n;
  #now: number;
  #busy: Promise<unknown> = Promise.resolve();

  /** An empty chain at unix time `now`. */
  constructor({ executor, config, now }: { executor: Executor; config: Cell; now: number }) {
    this.#executor = executor;
    this.#config = config.toBoc().toString("base64");
    this.#now = now;
    this.#blocks.push({ seqno: 1, now, transactions: [] });
  }

  get config(): Cell {
    return Cell.fromBase64(this.#config);
  }

  /** The last closed block. */
  get head(): Block {
    return this.#blocks[this.#blocks.length - 1];
  }

  block(seqno: number): Block | undefined {
    return this.#blocks[seqno - 1];
  }

  /** The first block that closed at this unix time or later, as lite servers look one up. */
  blockAt(time: number): Block | undefined {
    return this.#blocks.find(({ now }) => now >= time);
  }

  /** External and internal messages that wait for a block. */
  get waiting(): number {
    return this.#pool.size + this.#messages.length;
  }

  /**
   * Takes an external message for the next block if its account would accept it now, as a lite server does.
   *
   * @throws {ExternalRefused} when it would not; TypeError when it is no external message
   */
  submit(message: Cell): Promise<void> {
    return this.#exclusive(async () => {
      const hash = message.hash().toString("hex");
      if (this.#pool.has(hash)) return;
      await this.#emulate(externalDestination(message), message, this.#lt + LT_STEP);
      this.#pool.set(hash, message);
    });
  }

  /** Puts an internal message into the next block that nobody sent: how a chain's first coins come into being. */
  inject(message: Parameters<typeof storeMessage>[0]): Promise<void> {
    return this.#exclusive(() => {
      this.#messages.push(beginCell().store(storeMessage(message)).endCell());
    });
  }

  /** Executes what waits, with all that follows from it, at the unix time that `clock` tells when its turn comes. */
  closeBlock(clock: () => number): Promise<Block> {
    return this.#exclusive(async () => {
      const now = clock();
      if (now < this.#now) throw new RangeError(`block time ${now} is before the last block's ${this.#now}`);
      this.#now = now;
      const seqno = this.head.seqno + 1;
      const done: { account: Address; lt: bigint; hash: Buffer }[] = [];
      const externals = [...this.#pool.values()];
      this.#pool.clear();
      try {
        while (done.length < LARGEST_BLOCK) {
          const internal = this.#messages.shift();
          const message = internal ?? externals.shift();
          if (!message) break;
          const executed = await this.#execute(message, seqno).catch((error) => {
            // Accepted when it came, refused by what ran before it: dropped without a trace, as on the live chain.
            if (internal || !(error instanceof ExternalRefused)) throw error;
          });
          if (executed) done.push(executed);
        }
      } finally {
        for (const message of externals) this.#pool.set(message.hash().toString("hex"), message);
        this.#blocks.push({ seqno, now, transactions: done });
        this.#answers.clear();
      }
      return this.head;
    });
  }

  /** State and history of an account; of an unknown one null and nothing. */
  account(address: Address): Promise<AccountRecord> {
    return this.#exclusive(() => this.#read(address));
  }

  /** Runs a get method at the last block; the same one once. */
  get(address: Address, method: string | number, stack: TupleItem[]): Promise<GetMethodResult> {
    const key = `${address.toRawString()} ${method} ${serializeTuple(stack).hash().toString("hex")}`;
    const answer = this.#answers.get(key) ?? this.#get(address, method, stack);
    this.#answers.set(key, answer);
    return answer;
  }

  #get(address: Address, method: string | number, stack: TupleItem[]): Promise<GetMethodResult> {
    return this.#exclusive(async () => {
      const { account } = this.#read(address);
      const state = account?.storage.state;
      if (state?.type !== "active" || !state.state.code) return { exitCode: NO_CODE, gasUsed: 0, stack: [] };
      const { output } = await this.#executor.runGetMethod({
        code: state.state.code,
        data: state.state.data ?? Cell.EMPTY,
        methodId: typeof method === "number" ? method : getSelectorForMethod(method),
        stack,
        config: this.#config,
        verbosity: "short",
        address,
        unixTime: this.#now,
        balance: account!.storage.balance.coins,
        randomSeed: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
        gasLimit: GET_METHOD_GAS,
        debugEnabled: false,
      });
      if (!output.success) throw new Error(output.error);
      const ok = output.vm_exit_code === 0 || output.vm_exit_code === 1;
      return {
        exitCode: output.vm_exit_code,
        gasUsed: Number(output.gas_used),
        stack: ok ? parseTuple(Cell.fromBase64(output.stack)) : [],
      };
    });
  }

  /** What an external message would do now, its signature taken for good; nothing is kept. */
  dryRun(message: Cell): Promise<ReturnType<typeof loadTransaction>> {
    return this.#exclusive(async () => {
      const { transaction } = await this.#emulate(
        externalDestination(message),
        message,
        this.#lt + LT_STEP,
        true,
      );
      return loadTransaction(Cell.fromBase64(transaction).beginParse());
    });
  }

  async #execute(message: Cell, blockSeqno: number) {
    const { info } = loadMessage(message.beginParse());
    if (info.type === "external-out") return undefined;
    this.#lt += LT_STEP;
    const { transaction, shardAccount } = await this.#emulate(info.dest, message, this.#lt);
    const cell = Cell.fromBase64(transaction);
    const { lt } = loadTransaction(cell.beginParse());
    const record = this.#record(info.dest);
    record.shardAccount = shardAccount;
    record.parsed = undefined;
    record.transactions.push({ lt, hash: cell.hash(), blockSeqno, boc: transaction });
    this.#messages.push(...outMessages(cell));
    return { account: info.dest, lt, hash: cell.hash() };
  }

  async #emulate(account: Address, message: Cell, lt: bigint, ignoreChksig = false) {
    const key = account.toRawString();
    const { result } = await this.#executor.runTransaction({
      config: this.#config,
      libs: null,
      verbosity: "short",
      shardAccount: this.#accounts.get(key)?.shardAccount ?? emptyShardAccount,
      now: this.#now,
      lt,
      randomSeed: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
      ignoreChksig,
      debugEnabled: false,
      message,
    });
    if (!result.success) {
      throw new ExternalRefused(account, result.vmResults?.vmExitCode, result.error);
    }
    return result;
  }

  #read(address: Address): AccountRecord {
    const record = this.#accounts.get(address.toRawString());
    if (!record) return { account: null, transactions: [] };
    record.parsed ??= loadShardAccount(Cell.fromBase64(record.shardAccount).beginParse()).account ?? null;
    return { account: record.parsed, transactions: record.transactions };
  }

  #record(address: Address): MutableRecord {
    const key = address.toRawString();
    let record = this.#accounts.get(key);
    if (!record) this.#accounts.set(key, record = { shardAccount: emptyShardAccount, transactions: [] });
    return record;
  }

  #exclusive<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#busy.then(task);
    this.#busy = result.catch(() => {});
    return result;
  }
}

function externalDestination(message: Cell): Address {
  try {
    const { info } = loadMessage(message.beginParse());
    if (info.type === "external-in") return info.dest;
  } catch {
    // No message at all, which is no better.
  }
  throw new TypeError("not an external inbound message");
}

/** Messages for other accounts, as the cells that they are: written anew they might not hash alike. */
function outMessages(transaction: Cell): Cell[] {
  const slice = transaction.refs[0].beginParse();
  if (slice.loadBit()) slice.loadRef();
  const messages = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell()).values();
  return messages.filter((message) => loadMessage(message.beginParse()).info.type === "internal");
}
