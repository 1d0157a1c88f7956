/**
 * A pool in TON's emulator: the real contract with test verification keys (trapdoor_keys.ts), so that tests
 * choose roots and notes freely. Addresses, amounts and outcomes come from the chain. This module implements
 * no rule of the contract.
 */
import {
  type Address,
  beginCell,
  Cell,
  contractAddress,
  type Message,
  type StateInit,
  type Transaction,
  type TupleItem,
  TupleReader,
} from "@ton/core";
import {
  Blockchain,
  createShardAccount,
  internal,
  type SandboxContract,
  type TreasuryContract,
} from "@ton/sandbox";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import {
  type DepositBody,
  loadPoolLog,
  storeDeposit,
  storeWithdraw,
  type WithdrawBody,
} from "../../src/core/protocol/messages/pool_messages.ts";
import { zeros } from "../../src/core/tree/zeros.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { nativePoolInit } from "../../src/ton/pool/state_init.ts";
import { emulator } from "./emulator.ts";
import { countCells } from "./pool_storage.ts";
import { forgeProof, trapdoorNativeCode } from "./trapdoor_keys.ts";

/** Network configurations: the sandbox's own, with six times today's prices, and mainnet's. */
export const priceLists = { old: "default", mainnet: mainnetConfig() } as const;
export type PriceList = keyof typeof priceLists;

let counter = 0n;
/** Returns a field element that this process has not used before. */
export function freshElement(): bigint {
  counter += 1n;
  return (counter * 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0d7n + 7n) % FIELD_MODULUS;
}

/** The outcome of a message to the pool. */
export interface Outcome {
  /** The pool's transaction. */
  readonly tx: Transaction;
  readonly exitCode: number;
  readonly gasUsed: bigint;
  /** The action phase's exit code, or undefined without an action phase. */
  readonly actionCode: number | undefined;
  /** The pool's internal messages, in order. */
  readonly sent: readonly Message[];
  /** The pool's decoded logs, in order. */
  readonly logs: readonly ReturnType<typeof loadPoolLog>[];
  readonly transactions: readonly Transaction[];
  /** The pool's balance before and after the message. */
  readonly balanceBefore: bigint;
  readonly balanceAfter: bigint;
}

/** The differences of a deposit from a valid one. */
export interface DepositChange extends Partial<DepositBody> {
  readonly value?: bigint;
  readonly bounce?: boolean;
  /** Public signals of the proof. */
  readonly signals?: readonly bigint[];
}

/** The differences of a withdrawal from a valid one. */
export interface WithdrawChange extends Partial<WithdrawBody> {
  readonly value?: bigint;
  readonly bounce?: boolean;
  readonly signals?: readonly bigint[];
  readonly from?: Address;
}

/** A blockchain with one pool. */
export class PoolSandbox {
  /** Roots of this pool, oldest first, without the empty root. */
  readonly roots: bigint[] = [];

  private constructor(
    readonly chain: Blockchain,
    readonly address: Address,
    readonly denomination: bigint,
    readonly owner: SandboxContract<TreasuryContract>,
    readonly user: SandboxContract<TreasuryContract>,
    readonly relayer: SandboxContract<TreasuryContract>,
  ) {}

  /** Deploys a pool of 10 GRAM with 2.5 of its own. */
  static async open(options: {
    prices?: PriceList;
    config?: Cell;
    denomination?: bigint;
    balance?: bigint;
    owner?: "burned";
    code?: Cell;
    /** The initial data. Default: that of a native pool. */
    data?: (owner: Address | null, denomination: bigint) => Cell;
    /** The generation in a native pool's initial data. */
    generation?: number;
    now?: number;
  } = {}): Promise<PoolSandbox> {
    const { prices = "mainnet", denomination = 10_000_000_000n, balance = 2_500_000_000n, generation } =
      options;
    const chain = await Blockchain.create({
      config: options.config ?? priceLists[prices],
      executor: emulator,
      autoDeployLibs: false,
    });
    chain.now = options.now ?? 1_800_000_000;
    const [owner, user, relayer] = await Promise.all(
      ["owner", "user", "relayer"].map((name) => chain.treasury(name)),
    );
    const admin = options.owner === "burned" ? null : owner.address;
    const init: StateInit = {
      code: options.code ?? await trapdoorNativeCode(),
      data: options.data?.(admin, denomination) ??
        nativePoolInit({ denomination, owner: admin, generation }).data,
    };
    const address = contractAddress(0, init);
    const pool = new PoolSandbox(chain, address, denomination, owner, user, relayer);
    await chain.sendMessage(internal({
      from: owner.address,
      to: address,
      value: 1_000_000_000n,
      bounce: false,
      stateInit: init,
      body: Cell.EMPTY,
    }));
    await pool.#setBalance(balance);
    return pool;
  }

  /** Replaces the given ones of the pool's data, code and balance. */
  async setState(state: { data?: Cell; code?: Cell; balance?: bigint }): Promise<void> {
    const account = (await this.chain.getContract(this.address)).accountState;
    if (account?.type !== "active") throw new Error("no pool here");
    const [code, data] = [state.code ?? account.state.code!, state.data ?? account.state.data!];
    const balance = state.balance ?? await this.balance();
    const shard = createShardAccount({ address: this.address, code, data, balance });
    // The chain stores this after a transaction. With the emulator's zeros, storage would be free.
    const { cells, bits } = countCells(code, data);
    const { storageStats } = shard.account!;
    storageStats.lastPaid = this.chain.now!;
    storageStats.used = { ...storageStats.used, cells: BigInt(cells + 1), bits: BigInt(bits) };
    await this.chain.setShardAccount(this.address, shard);
  }

  #setBalance(balance: bigint): Promise<void> {
    return this.setState({ balance });
  }

  async balance(): Promise<bigint> {
    return (await this.chain.getContract(this.address)).balance;
  }

  async data(): Promise<Cell> {
    const account = (await this.chain.getContract(this.address)).accountState;
    if (account?.type !== "active") throw new Error("no pool here");
    return account.state.data!;
  }

  get root(): bigint {
    return this.roots.at(-1) ?? zeros[20];
  }

  /** Sends a body from the user (or `from`) and returns the outcome. */
  async send(
    body: Cell,
    value: bigint,
    { from = this.user.address, bounce = true, bounced = false }: {
      from?: Address;
      bounce?: boolean;
      bounced?: boolean;
    } = {},
  ): Promise<Outcome> {
    return await this.deliver(internal({ from, to: this.address, value, bounce, bounced, body }));
  }

  /** Sends a message to any account and returns the outcome at the pool. */
  async deliver(message: Message): Promise<Outcome> {
    const before = await this.balance();
    const result = await this.chain.sendMessage(message);
    const account = BigInt(`0x${this.address.hash.toString("hex")}`);
    const tx = result.transactions.find(({ address }) => address === account);
    if (!tx) throw new Error("nothing came to the pool");
    if (tx.description.type !== "generic") throw new Error("no ordinary transaction");
    const { computePhase, actionPhase } = tx.description;
    const messages = tx.outMessages.values();
    return {
      tx,
      exitCode: computePhase.type === "vm" ? computePhase.exitCode : -1,
      gasUsed: computePhase.type === "vm" ? computePhase.gasUsed : 0n,
      actionCode: actionPhase?.resultCode,
      sent: messages.filter((message) => message.info.type === "internal"),
      logs: messages.filter((message) => message.info.type === "external-out")
        .map((message) => loadPoolLog(message.body)),
      transactions: result.transactions,
      balanceBefore: before,
      balanceAfter: await this.balance(),
    };
  }

  /** Returns the body of a valid deposit with changes. The proof is valid for the original signals. */
  async depositBody(change: DepositChange = {}): Promise<Cell> {
    const honest = {
      queryId: 0n,
      commitment: freshElement(),
      newRoot: freshElement(),
      leafIndex: await this.nextIndex(),
    };
    const body = { ...honest, ...change };
    const signals = change.signals ?? [this.root, body.newRoot, body.commitment, BigInt(body.leafIndex)];
    return storeDeposit({ ...body, proof: change.proof ?? forgeProof(signals) });
  }

  async deposit(change: DepositChange = {}): Promise<Outcome & { readonly newRoot: bigint }> {
    const newRoot = change.newRoot ?? freshElement();
    const body = await this.depositBody({ ...change, newRoot });
    const outcome = await this.send(body, change.value ?? this.denomination, { bounce: change.bounce });
    if (outcome.exitCode === 0) this.roots.push(newRoot);
    return { ...outcome, newRoot };
  }

  /** Returns the body of a valid withdrawal to the user through the relayer, changed after proving. */
  withdrawBody({ signals, ...change }: WithdrawChange = {}): Cell {
    const body = {
      queryId: 0n,
      root: this.root,
      nullifierHash: freshElement(),
      fee: 50_000_000n,
      refund: 0n,
      recipient: this.user.address,
      relayer: this.relayer.address,
      ...change,
    };
    const honest = [
      body.root,
      body.nullifierHash,
      addressToField(body.recipient),
      addressToField(body.relayer),
      body.fee,
      body.refund,
    ];
    return storeWithdraw({ ...body, proof: change.proof ?? forgeProof(signals ?? honest) });
  }

  async withdraw(change: WithdrawChange = {}): Promise<Outcome> {
    const value = change.value ?? await this.withdrawValue(change.refund ?? 0n);
    return await this.send(this.withdrawBody(change), value, {
      from: change.from ?? this.relayer.address,
      bounce: change.bounce,
    });
  }

  async get(method: string, ...args: bigint[]): Promise<TupleReader> {
    const stack: TupleItem[] = args.map((value) => ({ type: "int", value }));
    return new TupleReader((await this.chain.runGetMethod(this.address, method, stack)).stack);
  }

  async withdrawValue(refund = 0n): Promise<bigint> {
    return (await this.get("get_withdraw_value", refund)).readBigNumber();
  }

  async nextIndex(): Promise<number> {
    return (await this.get("getNextIndex")).readNumber();
  }

  async getPoolInfo() {
    const stack = await this.get("get_pool_info");
    return {
      kind: stack.readNumber(),
      owner: stack.readAddressOpt(),
      jettonMaster: stack.readAddressOpt(),
      jettonWallet: stack.readAddressOpt(),
      paused: stack.readBoolean(),
      deposits: stack.readNumber(),
      withdrawals: stack.readNumber(),
      capacity: stack.readNumber(),
      debt: stack.readBigNumber(),
      touched: stack.readNumber(),
      claims: stack.remaining > 0 ? stack.readNumber() : 0,
    };
  }
}

export const emptyBody = beginCell().endCell();
