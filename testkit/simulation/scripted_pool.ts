/** A pool on a scripted chain: its get methods answer from the deposits that a test adds to its history. */
import { Address, beginCell, type Cell, type TupleItem } from "@ton/core";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../src/core/tree/merkle_tree.ts";
import type { Prover } from "../../src/prover/prover.ts";
import { baseProof } from "./requests.ts";
import { int, ScriptedChain, slice } from "./scripted_chain.ts";
import { depositLog, settlementLog } from "./transactions.ts";

export const testAddress = (byte: number) => new Address(0, Buffer.alloc(32, byte));
export const poolAddress = testAddress(0x70);
export const jettonMaster = testAddress(0x6a);
const stranger = testAddress(0x5a);
export const NO_ADDRESS: TupleItem = { type: "null" };

const flag = (value: boolean) => int(value ? -1 : 0);
const valueOf = (item: TupleItem) => item.type === "int" ? item.value : 0n;

/** Returns the jetton wallet that the scripted master reports for an owner. */
export function jettonWalletOf(owner: Address): Address {
  return new Address(0, Buffer.concat([owner.hash.subarray(0, 31), Buffer.of(0xff)]));
}

export interface ScriptedPoolOptions {
  /**
   * The kind as `get_pool_info` numbers it: 0 and 2 hold coins, 1 and 3 jettons; 2 and 3 are of version 2.
   */
  readonly kind: 0 | 1 | 2 | 3;
  readonly denomination: bigint;
  readonly depositValue?: bigint;
  readonly withdrawValue?: bigint;
  /** The pool's own jetton wallet. Default: the one that the master reports; null: not set yet. */
  readonly jettonWallet?: Address | null;
}

export class ScriptedPool extends ScriptedChain {
  tree = new MerkleTree();
  #roots: bigint[] = [];
  #settlements = 0;
  readonly spent = new Set<bigint>();

  constructor(
    { kind, denomination, depositValue = denomination, withdrawValue = 0n, ...options }: ScriptedPoolOptions,
  ) {
    super();
    const isJetton = kind === 1 || kind === 3;
    const { jettonWallet = jettonWalletOf(poolAddress) } = options;
    Object.assign(this.getters, {
      get_pool_info: () => [
        ...[int(kind), NO_ADDRESS, isJetton ? slice(jettonMaster) : NO_ADDRESS],
        ...[isJetton && jettonWallet ? slice(jettonWallet) : NO_ADDRESS, int(0)],
        ...[int(this.tree.size), int(this.spent.size), int(1 << 20), int(0), int(0)],
      ],
      getDenomination: () => [int(denomination)],
      get_deposit_value: () => [int(depositValue)],
      get_withdraw_value: () => [int(withdrawValue)],
      getNextIndex: () => [int(this.tree.size)],
      getSettled: () => [int(this.tree.size)],
      get_root_history: () => [{ type: "tuple", items: this.#rootHistory() }],
      getIsSpent: ([hash]: readonly TupleItem[]) => [flag(hasKey([...this.spent], valueOf(hash)))],
      getIsSpentBy: ([hash]: readonly TupleItem[]) => [flag(this.spent.has(valueOf(hash)))],
      getIsDeposited: ([leaf]: readonly TupleItem[]) => {
        const leaves = Array.from({ length: this.tree.size }, (_, i) => this.tree.leaf(i));
        return [flag(hasKey(leaves, valueOf(leaf)))];
      },
      get_wallet_address: ([owner]: readonly TupleItem[]) => [
        slice(jettonWalletOf((owner as { cell: Cell }).cell.beginParse().loadAddress())),
      ],
    });
    this.add(poolAddress, { from: stranger }); // the pool's deployment
  }

  /** Adds a deposit that the pool accepts. A jetton pool receives it from its jetton wallet. */
  deposit(commitment: bigint, { from = stranger, body }: { from?: Address; body?: Cell } = {}): void {
    this.#roots.unshift(this.tree.root);
    this.tree.append(commitment);
    this.add(poolAddress, {
      from,
      ...body && { body },
      logs: [depositLog(commitment, this.tree.size - 1, this.chainTime)],
    });
  }

  /** Removes the newest `count` transactions, all of them deposits. */
  revertDeposits(count: number): void {
    this.removeNewest(poolAddress, count);
    const leaves = Array.from({ length: this.tree.size - count }, (_, i) => this.tree.leaf(i));
    this.tree = new MerkleTree();
    this.tree.appendMany(leaves);
    this.#roots = this.#roots.slice(count);
  }

  /** Settles all deposits of a version 2 pool. */
  settle(): void {
    const log = settlementLog(this.#settlements++, this.tree.root, this.tree.size, this.chainTime);
    this.add(poolAddress, { from: stranger, logs: [log] });
  }

  #rootHistory(): TupleItem[] {
    const roots = [this.tree.root, ...this.#roots].slice(0, ROOT_HISTORY_SIZE);
    return Array.from({ length: ROOT_HISTORY_SIZE }, (_, i) => int(roots[i] ?? 0n));
  }
}

/**
 * Returns whether a key is present as version 1 pools compare keys: by the lowest 114 bits
 * (contracts/v1/SPEC.md, Exactness).
 */
function hasKey(keys: readonly bigint[], key: bigint): boolean {
  return keys.some((other) => BigInt.asUintN(114, other) === BigInt.asUintN(114, key));
}

/** Returns the body by which a jetton wallet reports incoming jettons. */
export function transferNotification(sender: Address, amount: bigint, payload: Cell): Cell {
  return beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(amount)
    .storeAddress(sender).storeMaybeRef(payload).endCell();
}

/** Returns the payload of jettons that a pool returns. */
export function depositRefusal(exitCode: number): Cell {
  return beginCell().storeUint(opCodes.deposit_refused, 32).storeUint(exitCode, 16).endCell();
}

const prove = (inputs: Record<string, unknown>) => {
  const publicSignals = ["root", "nullifierHash"].map((name) => String(inputs[name]));
  return Promise.resolve({ proof: baseProof, publicSignals });
};

/**
 * Returns a prover for pools of this version that accepts everything. Its proofs are points of the curves and
 * prove nothing.
 */
export const emptyProverOf = (version: 1 | 2) =>
  (version === 1
    ? { proveDeposit: prove, proveWithdraw: prove }
    : { proveWithdraw2: prove }) as unknown as Prover;

export const emptyProver = emptyProverOf(1);
