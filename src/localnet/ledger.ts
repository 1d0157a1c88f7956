/** Uses neither HTTP nor a clock: the owner closes blocks. */
import {
  type Account,
  Address,
  beginCell,
  Cell,
  loadMessage,
  loadShardAccount,
  loadTransaction,
  serializeTuple,
  type StateInit,
  storeMessage,
  storeShardAccount,
  type TupleItem,
} from "@ton/core";
import type { Executor } from "./emulator.ts";
import {
  emptyShardAccount,
  externalDestination,
  ExternalMessageRejected,
  type GetMethodResult,
  messageCells,
  TransactionExecutor,
} from "./transaction_executor.ts";

export interface StoredTransaction {
  readonly lt: bigint;
  readonly hash: Buffer;
  readonly blockSeqno: number;
  readonly boc: string;
}

export interface Block {
  readonly seqno: number;
  readonly now: number;
  readonly transactions: readonly { readonly account: Address; readonly lt: bigint; readonly hash: Buffer }[];
}

export interface AccountRecord {
  readonly account: Account | null;
  readonly transactions: readonly StoredTransaction[];
}

interface MutableAccount {
  shardAccount: string;
  parsed?: Account | null;
  transactions: StoredTransaction[];
}

/** A chain without pending messages, as JSON values. */
export interface LedgerState {
  readonly lt: string;
  /** Oldest first. */
  readonly blocks: readonly { readonly seqno: number; readonly now: number }[];
  readonly accounts: readonly {
    readonly address: string;
    readonly shardAccount: string;
    /** Oldest first. */
    readonly transactions: readonly { readonly blockSeqno: number; readonly boc: string }[];
  }[];
}

/** A transaction sends at most 255 messages, each with its own lt. */
const LT_STEP = 1_000_000n;
const MAX_BLOCK_TRANSACTIONS = 2_000; // further messages go into the next block
/** The chain. Calls run one after another, in call order. */
export class Ledger {
  readonly #executor: TransactionExecutor;
  readonly #accounts = new Map<string, MutableAccount>();
  readonly #blocks: Block[] = [];
  readonly #pendingInternals: Cell[] = [];
  /** Accepted for the next block, by hash, which removes duplicates. */
  readonly #pendingExternals = new Map<string, Cell>();
  readonly #getMethodCache = new Map<string, Promise<GetMethodResult>>();
  #lt = 0n;
  #now: number;
  #lastTask: Promise<unknown> = Promise.resolve();

  constructor(
    { executor, config, now, state }: { executor: Executor; config: Cell; now: number; state?: LedgerState },
  ) {
    this.#executor = new TransactionExecutor(executor, config);
    this.#now = now;
    if (state) this.#restore(state);
    else this.#blocks.push({ seqno: 1, now, transactions: [] });
  }

  #restore({ lt, blocks, accounts }: LedgerState): void {
    this.#lt = BigInt(lt);
    const transactions = blocks.map((): Block["transactions"][number][] => []);
    for (const { address, shardAccount, transactions: stored } of accounts) {
      const record = this.#record(Address.parse(address));
      record.shardAccount = shardAccount;
      for (const { blockSeqno, boc } of stored) {
        const transaction = parseTransaction(boc);
        record.transactions.push({ ...transaction, blockSeqno, boc });
        transactions[blockSeqno - 1].push({ account: Address.parse(address), ...transaction });
      }
    }
    transactions.forEach((executed) => executed.sort((a, b) => a.lt < b.lt ? -1 : 1));
    this.#blocks.push(...blocks.map((block, i) => ({ ...block, transactions: transactions[i] })));
  }

  /** Throws an Error if messages are pending. */
  save(): Promise<LedgerState> {
    return this.#exclusive(() => {
      if (this.pendingMessages > 0) throw new Error("messages are pending");
      return {
        lt: String(this.#lt),
        blocks: this.#blocks.map(({ seqno, now }) => ({ seqno, now })),
        accounts: [...this.#accounts].map(([address, { shardAccount, transactions }]) => ({
          address,
          shardAccount,
          transactions: transactions.map(({ blockSeqno, boc }) => ({ blockSeqno, boc })),
        })),
      };
    });
  }

  get config(): Cell {
    return this.#executor.config;
  }

  get head(): Block {
    return this.#blocks[this.#blocks.length - 1];
  }

  block(seqno: number): Block | undefined {
    return this.#blocks[seqno - 1];
  }

  blockAt(time: number): Block | undefined {
    return this.#blocks.find(({ now }) => now >= time);
  }

  get pendingMessages(): number {
    return this.#pendingExternals.size + this.#pendingInternals.length;
  }

  sendExternal(message: Cell): Promise<void> {
    return this.#exclusive(async () => {
      const hash = message.hash().toString("hex");
      if (this.#pendingExternals.has(hash)) return;
      await this.#emulate(externalDestination(message), message, this.#lt + LT_STEP);
      this.#pendingExternals.set(hash, message);
    });
  }

  /** Adds an internal message without a sender; this creates coins. */
  inject(message: Parameters<typeof storeMessage>[0]): Promise<void> {
    return this.#exclusive(() => {
      this.#pendingInternals.push(beginCell().store(storeMessage(message)).endCell());
    });
  }

  setCode(address: Address, code: Cell): Promise<Cell> {
    return this.#changeState(address, (state) => {
      const before = state.code!;
      state.code = code;
      return before;
    });
  }

  changeData(address: Address, change: (data: Cell) => Cell): Promise<void> {
    return this.#changeState(address, (state) => {
      state.data = change(state.data!);
    });
  }

  #changeState<T>(address: Address, change: (state: StateInit) => T): Promise<T> {
    return this.#exclusive(() => {
      const record = this.#record(address);
      const shard = loadShardAccount(Cell.fromBase64(record.shardAccount).beginParse());
      const state = shard.account?.storage.state;
      if (state?.type !== "active") throw new Error(`${address} is not active`);
      const result = change(state.state);
      record.shardAccount = beginCell().store(storeShardAccount(shard)).endCell().toBoc().toString("base64");
      record.parsed = undefined;
      this.#getMethodCache.clear();
      return result;
    });
  }

  closeBlock(clock: () => number): Promise<Block> {
    return this.#exclusive(async () => {
      const now = clock();
      if (now < this.#now) throw new RangeError(`block time ${now} is before the last block's ${this.#now}`);
      this.#now = now;
      const seqno = this.head.seqno + 1;
      const transactions: { account: Address; lt: bigint; hash: Buffer }[] = [];
      const externals = [...this.#pendingExternals.values()];
      this.#pendingExternals.clear();
      try {
        while (transactions.length < MAX_BLOCK_TRANSACTIONS) {
          const internal = this.#pendingInternals.shift();
          const message = internal ?? externals.shift();
          if (!message) break;
          const executed = await this.#execute(message, seqno).catch((error) => {
            // Accepted earlier, but rejected after the preceding transactions: dropped, as on the live chain.
            if (internal || !(error instanceof ExternalMessageRejected)) throw error;
          });
          if (executed) transactions.push(executed);
        }
      } finally {
        for (const message of externals) this.#pendingExternals.set(message.hash().toString("hex"), message);
        this.#blocks.push({ seqno, now, transactions });
        this.#getMethodCache.clear();
      }
      return this.head;
    });
  }

  account(address: Address): Promise<AccountRecord> {
    return this.#exclusive(() => this.#readAccount(address));
  }

  runGetMethod(address: Address, method: string | number, stack: TupleItem[]): Promise<GetMethodResult> {
    const key = `${address.toRawString()} ${method} ${serializeTuple(stack).hash().toString("hex")}`;
    const result = this.#getMethodCache.get(key) ?? this.#exclusive(() => {
      const { account } = this.#readAccount(address);
      return this.#executor.runGetMethod(address, account, { method, stack, now: this.#now });
    });
    this.#getMethodCache.set(key, result);
    return result;
  }

  /** Simulates an external message without checking its signature. */
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
    const executed = parseTransaction(transaction);
    const record = this.#record(info.dest);
    record.shardAccount = shardAccount;
    record.parsed = undefined;
    record.transactions.push({ ...executed, blockSeqno, boc: transaction });
    const outbound = messageCells(Cell.fromBase64(transaction)).outbound.values();
    this.#pendingInternals.push(...outbound.filter(isInternal));
    return { account: info.dest, ...executed };
  }

  #emulate(account: Address, message: Cell, lt: bigint, ignoreChksig = false) {
    const shardAccount = this.#accounts.get(account.toRawString())?.shardAccount ?? emptyShardAccount;
    return this.#executor.runTransaction({
      account,
      shardAccount,
      message,
      now: this.#now,
      lt,
      ignoreChksig,
    });
  }

  #readAccount(address: Address): AccountRecord {
    const record = this.#accounts.get(address.toRawString());
    if (!record) return { account: null, transactions: [] };
    record.parsed ??= loadShardAccount(Cell.fromBase64(record.shardAccount).beginParse()).account ?? null;
    return { account: record.parsed, transactions: record.transactions };
  }

  #record(address: Address): MutableAccount {
    const key = address.toRawString();
    let record = this.#accounts.get(key);
    if (!record) this.#accounts.set(key, record = { shardAccount: emptyShardAccount, transactions: [] });
    return record;
  }

  #exclusive<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#lastTask.then(task);
    this.#lastTask = result.catch(() => {});
    return result;
  }
}

function parseTransaction(boc: string): { lt: bigint; hash: Buffer } {
  const cell = Cell.fromBase64(boc);
  return { lt: loadTransaction(cell.beginParse()).lt, hash: cell.hash() };
}

function isInternal(message: Cell): boolean {
  return loadMessage(message.beginParse()).info.type === "internal";
}
