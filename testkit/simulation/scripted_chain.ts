/** A chain whose transactions and get methods a test writes. Time passes only when a caller waits. */
import {
  type Address,
  beginCell,
  type Cell,
  external,
  type Message,
  type TupleItem,
  TupleReader,
} from "@ton/core";
import { Problem } from "../../src/core/errors/problem.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import type { AccountInfo, Chain, ChainTransaction, TransactionId } from "../../src/ton/chain.ts";
import { normalizedMessageHash, type OutgoingMessage, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { internalMessage, logMessage, transactionOf } from "./transactions.ts";

const GENESIS_SECONDS = 1_700_000_000;

/** A transaction to add: the message that an account received, and the logs that it wrote. */
export interface ScriptedTransaction {
  readonly from: Address;
  readonly body?: Cell;
  readonly exitCode?: number;
  readonly bounced?: boolean;
  readonly logs?: readonly Cell[];
  /** The value in nano. */
  readonly value?: bigint;
}

type Getter = (args: readonly TupleItem[], address: Address) => readonly TupleItem[];

export const int = (value: bigint | number): TupleItem => ({ type: "int", value: BigInt(value) });
export const slice = (address: Address): TupleItem => ({
  type: "slice",
  cell: beginCell().storeAddress(address).endCell(),
});

export class ScriptedChain {
  /** The milliseconds since the start. */
  now = 0;
  readonly #accounts = new Map<string, ChainTransaction[]>();
  readonly #due: { atMs: number; act: () => void }[] = [];
  #lt = 1_000n;
  readonly clock: Clock = {
    now: () => this.now,
    sleep: (ms) => (this.pass(ms), Promise.resolve()),
  };
  readonly chain = {
    account: (address: Address) => Promise.resolve(this.#account(address)),
    transactions: (address: Address, { from, limit }: { from?: TransactionId; limit: number }) => {
      const newestFirst = this.#historyOf(address).toReversed();
      const start = from ? newestFirst.findIndex(({ id }) => id.hash === from.hash) : 0;
      return Promise.resolve(start < 0 ? [] : newestFirst.slice(start, start + limit));
    },
    runGetMethod: (address: Address, method: string, args: readonly TupleItem[] = []) => {
      const getter = this.getters[method];
      if (getter) return Promise.resolve(new TupleReader([...getter(args, address)]));
      return Promise.reject(new Problem("contract_refused", method, { members: { exitCode: 11 } }));
    },
  } as unknown as Chain;

  /**
   * @param getters results of get methods by name, of any account
   * @param accounts fields of accounts by raw address
   */
  constructor(
    readonly getters: Record<string, Getter> = {},
    readonly accounts: Record<string, Partial<AccountInfo>> = {},
  ) {}

  /** Returns the Unix seconds of the newest block. */
  get chainTime(): number {
    return GENESIS_SECONDS + Math.floor(this.now / 1000);
  }

  pass(ms: number): void {
    this.now += ms;
    for (const due of this.#due.filter(({ atMs }) => atMs <= this.now)) {
      this.#due.splice(this.#due.indexOf(due), 1);
      due.act();
    }
  }

  /** Runs an action when the clock reaches `atMs`. */
  at(atMs: number, act: () => void): void {
    this.#due.push({ atMs, act });
  }

  /** Adds a transaction to an account's history. */
  add(
    account: Address,
    { from, body = beginCell().endCell(), ...parts }: ScriptedTransaction,
  ): TransactionId {
    const { exitCode, bounced = false, logs, value = 1n } = parts;
    const message = { src: from, dest: account, value, lt: this.#lt + 999n, now: this.chainTime };
    return this.#receive(account, internalMessage({ ...message, body, bounced }), { exitCode, logs });
  }

  /** Adds a wallet's transaction with an external message of this body. */
  acceptTransfer(wallet: Address, body: Cell): TransactionId {
    return this.#receive(wallet, external({ to: wallet, body }));
  }

  #receive(
    account: Address,
    inMessage: Message,
    { exitCode = 0, logs = [] }: { exitCode?: number | undefined; logs?: readonly Cell[] | undefined } = {},
  ): TransactionId {
    const history = this.#historyOf(account);
    const [lt, now] = [this.#lt += 1_000n, this.chainTime];
    const made = transactionOf({
      account,
      lt,
      now,
      exitCode,
      prev: history.at(-1)?.id ?? null,
      inMessage,
      outMessages: logs.map((log, i) => logMessage(account, lt + BigInt(i + 1), now, log)),
    });
    history.push(made);
    return made.id;
  }

  /** Removes an account's newest transactions, which were never on the chain. */
  removeNewest(account: Address, count: number): void {
    this.#historyOf(account).splice(-count);
  }

  /**
   * Returns a wallet that accepts its transfers at once, and sends nothing: `onSend` handles the messages. Its transfers
   * are valid for a minute.
   */
  wallet(address: Address, onSend: (messages: readonly OutgoingMessage[]) => void = () => {}): Wallet {
    return {
      address,
      format: () => "the wallet",
      balance: () => Promise.resolve(this.#account(address).balance),
      state: () => Promise.resolve({ now: this.chainTime }),
      send: (messages: readonly OutgoingMessage[]) => {
        const body = beginCell().storeUint(this.#lt, 64).endCell();
        const transfer = { hash: normalizedMessageHash(address, body), validUntil: this.chainTime + 60 };
        this.acceptTransfer(address, body);
        onSend(messages);
        return Promise.resolve(transfer);
      },
    } as unknown as Wallet;
  }

  #account(address: Address): AccountInfo {
    const last = this.#historyOf(address).at(-1)?.id;
    return {
      state: "active",
      balance: 0n,
      syncUtime: this.chainTime,
      ...last && { last },
      ...this.accounts[address.toRawString()],
    };
  }

  #historyOf(address: Address): ChainTransaction[] {
    const key = address.toRawString();
    const history = this.#accounts.get(key) ?? [];
    this.#accounts.set(key, history);
    return history;
  }
}
