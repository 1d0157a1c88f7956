/**
 * A chain on virtual time: blocks; a mempool that delays, repeats and drops; messages that take blocks to
 * arrive and overtake each other; and all past states, so that an endpoint can answer from an earlier block.
 */
import { Address, beginCell, type Cell, external, type Message } from "@ton/core";
import {
  loadWithdraw,
  opCodes,
  storeDeposit,
  type WithdrawBody,
} from "../../src/core/protocol/messages/pool_messages.ts";
import type { WalletVersion } from "../../src/ton/wallet/wallet.ts";
import { type DecodedTransfer, externalBody, SimulatedPool, walletAccount } from "./accounts.ts";
import { type SeededRandom, shuffle } from "../random/seeded_random.ts";
import { type Account, type ChainFaults, type Flying, type Pending, spentKey } from "./world_state.ts";
import type { VirtualTime } from "./virtual_time.ts";
import { depositLog, internalMessage, logMessage, transactionOf, withdrawalLog } from "./transactions.ts";

const WALLET_FEE = 2_000_000n;
const FIRST_SEQNO = 7;
const stranger = new Address(0, Buffer.alloc(32, 0xee));

export class World {
  readonly wallet: Account;
  readonly walletCode: Cell;
  readonly pools = new Map<string, SimulatedPool>();
  readonly accounts = new Map<string, Account>();
  /** How often each of the relayer's withdrawals arrived at a pool, by query id. */
  readonly arrivals = new Map<bigint, number>();
  /** The query ids of the relayer's withdrawals that a pool rejected. */
  readonly refused = new Set<bigint>();
  /** The block in which a nullifier hash was spent, by pool and hash. */
  readonly spentAt = new Map<string, number>();
  block = 0;
  /** The Unix seconds of each block. */
  readonly times: number[] = [];
  balance = 50_000_000_000n;
  /** The cost of withdrawals to the wallet: coins that pools keep, and fees. */
  spentByWallet = 0n;
  seqno = FIRST_SEQNO;
  faults: ChainFaults;
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  readonly #walletData: (seqno: number) => Cell;
  readonly #readExternal: (body: Cell) => DecodedTransfer;
  #mempool: Pending[] = [];
  #flying: Flying[] = [];
  #lt = 1_000_000n;

  constructor(
    random: SeededRandom,
    time: VirtualTime,
    parts: {
      version: WalletVersion;
      publicKey: Buffer;
      pools: readonly SimulatedPool[];
      faults: ChainFaults;
    },
  ) {
    this.#random = random;
    this.#time = time;
    this.faults = parts.faults;
    const { address, code, data, read } = walletAccount(parts.version, parts.publicKey);
    this.walletCode = code;
    this.#walletData = data;
    this.#readExternal = read;
    this.wallet = this.#open(address);
    for (const pool of parts.pools) {
      this.pools.set(pool.address.toRawString(), pool);
      this.#open(pool.address);
    }
    this.times.push(this.now);
    for (const account of this.accounts.values()) this.#mark(account);
    this.#nextBlock();
  }

  /** Returns the Unix seconds of the newest block. */
  get now(): number {
    return Math.floor(this.#time.now() / 1000);
  }

  walletData(seqno: number): Cell {
    return this.#walletData(seqno);
  }

  /** Adds an external message to the mempool. Returns false if the wallet would reject it now. */
  submit(message: Cell): boolean {
    const body = externalBody(message);
    const orders = this.#readExternal(body);
    if (!this.#accepts(orders)) return false;
    if (this.#random.chance(this.faults.forget)) return true;
    const copies = this.#random.chance(this.faults.repeat) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      this.#mempool.push({ included: this.block + this.#random.int(1, 4), body, orders });
    }
    return true;
  }

  /** Sends a message from any account to a pool. */
  send(src: Address, dest: Address, value: bigint, body: Cell): void {
    const message = internalMessage({ src, dest, value, lt: this.#nextLt(), now: this.now, body });
    const arrives = this.block + this.#random.int(1, 2);
    this.#flying.push({ arrives, message: message as Flying["message"] });
  }

  /** Sends a transfer of `value` from the same mnemonic outside this relayer, which does not know of it. */
  useWalletElsewhere(value: bigint): void {
    this.seqno++;
    this.balance -= value;
    const body = beginCell().storeUint(this.#random.int(0, 0x7fffffff), 32).endCell();
    this.#record(this.wallet, external({ to: this.wallet.address, body }), [], 0);
    this.#mark(this.wallet);
  }

  topUp(value: bigint): void {
    this.balance += value;
    this.#receive(stranger, value);
  }

  deposit(pool: SimulatedPool, commitment: bigint): void {
    const account = this.accounts.get(pool.address.toRawString())!;
    const leafIndex = pool.tree.size;
    pool.deposit(commitment);
    const body = storeDeposit({
      queryId: 0n,
      commitment,
      newRoot: pool.tree.root,
      leafIndex,
      proof: beginCell().endCell(),
    });
    const lt = this.#nextLt();
    const { address } = account;
    const parts = { src: stranger, dest: address, value: pool.denomination, now: this.now };
    const message = internalMessage({ ...parts, lt, body });
    this.#record(account, message, [
      logMessage(address, lt, this.now, depositLog(commitment, leafIndex, this.now)),
    ], 0);
    this.#mark(account);
  }

  /** Sends a message without an event: a donation, or a rejected deposit. */
  disturb(pool: SimulatedPool): void {
    const account = this.accounts.get(pool.address.toRawString())!;
    const op = this.#random.pick([opCodes.deposit, 0x01020304]);
    const body = beginCell().storeUint(op, 32).storeUint(this.#random.int(0, 9), 64).endCell();
    const parts = { src: stranger, dest: account.address, value: 1n, now: this.now };
    const message = internalMessage({ ...parts, lt: this.#nextLt(), body });
    this.#record(account, message, [], op === opCodes.deposit ? 101 : 0);
    this.#mark(account);
  }

  /** Returns the visible withdrawals on their way to a pool, including the relayer's own. */
  visible(): WithdrawBody[] {
    const bodies = [
      ...this.#mempool.flatMap(({ orders }) => orders.messages.map(({ body }) => body)),
      ...this.#flying.map(({ message }) => message.body),
    ];
    return bodies.map(loadWithdraw);
  }

  /** Whether no message is on its way. */
  get quiet(): boolean {
    return this.#mempool.length === 0 && this.#flying.length === 0;
  }

  #open(address: Address): Account {
    const account = { address, transactions: [], versions: [] };
    this.accounts.set(address.toRawString(), account);
    return account;
  }

  #nextBlock(): void {
    this.#time.after(this.#random.int(1_500, 6_000), () => {
      this.block++;
      this.times.push(this.now);
      const due = (at: number) => at <= this.block;
      const included = shuffle(this.#random, this.#mempool.filter((entry) => due(entry.included)));
      this.#mempool = this.#mempool.filter((entry) => !due(entry.included));
      const arrived = shuffle(this.#random, this.#flying.filter((entry) => due(entry.arrives)));
      this.#flying = this.#flying.filter((entry) => !due(entry.arrives));
      for (const { message } of arrived) this.#deliver(message);
      for (const entry of included) this.#include(entry);
      for (const account of this.accounts.values()) this.#mark(account);
      this.#nextBlock();
    });
  }

  #accepts({ seqno, validUntil }: DecodedTransfer): boolean {
    return seqno === this.seqno && validUntil > this.now;
  }

  #include({ body, orders }: Pending): void {
    if (!this.#accepts(orders)) return;
    this.seqno++;
    this.#pay(WALLET_FEE);
    const out: Message[] = [];
    for (const { to, value, body } of orders.messages) {
      if (this.balance < value + WALLET_FEE) continue; // mode 2 skips messages that cannot be sent
      this.balance -= value;
      const message = internalMessage({
        src: this.wallet.address,
        dest: to,
        value,
        lt: this.#nextLt(),
        now: this.now,
        body,
      });
      this.#flying.push({
        arrives: this.block + this.#random.int(1, 3),
        message: message as Flying["message"],
      });
      out.push(message);
    }
    this.#record(this.wallet, external({ to: this.wallet.address, body }), out, 0, WALLET_FEE);
  }

  #deliver(message: Flying["message"]): void {
    if (message.info.type !== "internal") return;
    const { src, dest, value } = message.info;
    const pool = this.pools.get(dest.toRawString())!;
    const account = this.accounts.get(dest.toRawString())!;
    const { exitCode, request } = pool.withdraw(message.body, value.coins, src);
    const ours = src.equals(this.wallet.address);
    if (ours && request) {
      this.arrivals.set(request.queryId, (this.arrivals.get(request.queryId) ?? 0) + 1);
      if (exitCode !== 0) this.refused.add(request.queryId);
    }
    const out: Message[] = [];
    let back = value.coins - WALLET_FEE;
    if (exitCode === 0 && request) {
      back = value.coins - pool.options.withdrawCost - request.refund;
      this.spentAt.set(spentKey(dest, request.nullifierHash), this.block);
      out.push(logMessage(dest, this.#nextLt(), this.now, withdrawalLog(request)));
      const isPaid = request.relayer?.equals(this.wallet.address) && pool.options.isNative;
      if (isPaid) out.push(this.#receive(dest, request.fee));
    }
    if (ours) {
      this.spentByWallet += value.coins - back;
      out.push(this.#receive(dest, back));
    }
    this.#record(account, message, out, exitCode);
  }

  /** Adds coins to the wallet in a transaction. Returns the message that brought them. */
  #receive(src: Address, value: bigint): Message {
    this.balance += value;
    const lt = this.#nextLt();
    const body = beginCell().storeUint(opCodes.excesses, 32).storeUint(0, 64).endCell();
    const dest = this.wallet.address;
    const message = internalMessage({ src, dest, value, lt, now: this.now, body });
    this.#record(this.wallet, message, [], 0);
    return message;
  }

  #pay(fee: bigint): void {
    this.balance -= fee;
    this.spentByWallet += fee;
  }

  #record(account: Account, inMessage: Message, outMessages: Message[], exitCode: number, fees = 0n): void {
    const { address, transactions } = account;
    const prev = transactions.at(-1)?.id ?? null;
    const parts = {
      account: address,
      lt: this.#nextLt(),
      prev,
      now: this.now,
      inMessage,
      outMessages,
      exitCode,
      fees,
    };
    transactions.push(transactionOf(parts));
  }

  #mark(account: Account): void {
    const pool = this.pools.get(account.address.toRawString());
    const last = account.versions.at(-1);
    const version = {
      block: this.block,
      balance: this.balance,
      seqno: this.seqno,
      roots: pool?.roots ?? [],
      deposits: pool?.tree.size ?? 0,
      withdrawals: pool?.spent.size ?? 0,
      length: account.transactions.length,
    };
    if (last?.block === this.block) account.versions.pop();
    else if (last?.length === version.length && last.balance === version.balance) return;
    account.versions.push(version);
  }

  #nextLt(): bigint {
    return this.#lt += BigInt(this.#random.int(1, 1_000));
  }
}
