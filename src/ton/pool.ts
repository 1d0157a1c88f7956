/**
 * A pool as a typed object, of the native coin or of a jetton: its get methods, and the messages that it takes. It holds no state and believes the
 * endpoint's getters; what must not be believed is checked elsewhere, against the pool's own transactions.
 */
import { type Address, Cell, type Message, type Sender, SendMode, type TupleReader } from "@ton/core";
import { isFieldElement } from "../core/field.ts";
import type { Groth16Proof } from "../core/groth16.ts";
import { type ExitCodeName, Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import {
  loadDepositRefused,
  loadTransferNotification,
  storeJettonTransfer,
} from "../core/jetton_messages.ts";
import { ROOT_HISTORY_SIZE } from "../core/merkle_tree.ts";
import { storeDeposit, storeWithdraw } from "../core/messages.ts";
import { proofToCell } from "../core/proof_codec.ts";
import type { CallOptions, Chain } from "./chain.ts";
import type { OutgoingMessage } from "./wallet.ts";

/** What `get_pool_info` says. Amounts in nano. */
export interface PoolInfo {
  readonly assetKind: "native" | "jetton";
  readonly owner: Address | null;
  readonly jettonMaster: Address | null;
  readonly jettonWallet: Address | null;
  readonly paused: boolean;
  readonly deposits: number;
  readonly withdrawals: number;
  /** Deposits that fit in all. */
  readonly capacity: number;
  /** Gas that deposits burned and withdrawals still have to pay back. */
  readonly debt: bigint;
  /** Unix time of the pool's last transaction. */
  readonly touched: number;
}

/** A deposit to a native pool; `value` in nano, by default what the pool asks for. */
export interface DepositArgs {
  readonly commitment: bigint;
  readonly newRoot: bigint;
  readonly leafIndex: number;
  readonly proof: Groth16Proof;
  readonly value?: bigint;
}

/** A deposit by transfer of jettons. Amounts in nano, the jettons' in their smallest unit. */
export interface JettonDepositArgs extends Omit<DepositArgs, "value"> {
  /** Exactly the pool's denomination. */
  readonly amount: bigint;
  /** Whose jettons they are: gets back what is left, and the jettons when the pool refuses. */
  readonly owner: Address;
  /** The owner's own jetton wallet. */
  readonly wallet: Address;
  /** What `get_deposit_value` says. */
  readonly forward: bigint;
}

/** A jetton pool gave a deposit back. */
export interface ReturnedDeposit {
  /** Why. */
  readonly refused: ExitCodeName;
  /** In the jetton's smallest unit. */
  readonly amount: bigint;
}

/** A withdrawal; fee in the pool's asset, refund and `value` in nano, `value` by default what the pool asks for. */
export interface WithdrawArgs {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly relayer: Address | null;
  /** Or its cell, where it is one already: points are not taken apart then. */
  readonly proof: Groth16Proof | Cell;
  readonly queryId?: bigint;
  readonly value?: bigint;
}

/**
 * One pool. Getters throw what {@linkcode Chain.get} throws, and `chain_inconsistent` for an answer of another shape.
 */
export class Pool {
  constructor(readonly chain: Chain, readonly address: Address) {}

  /** Accepted roots, newest first, 1 to 30 of them; unused slots are left out. */
  getRootHistory(options?: CallOptions): Promise<bigint[]> {
    return this.#get("get_root_history", (stack) => {
      const tuple = stack.readTuple();
      if (tuple.remaining !== ROOT_HISTORY_SIZE) throw new Error("not 30 slots");
      const roots = Array.from({ length: ROOT_HISTORY_SIZE }, () => tuple.readBigNumber());
      if (!roots.every(isFieldElement)) throw new Error("root out of range");
      return roots.filter((root) => root !== 0n);
    }, options);
  }

  getCurrentRoot(options?: CallOptions): Promise<bigint> {
    return this.#get("getCurrentRoot", (stack) => stack.readBigNumber(), options);
  }

  /** Index of the leaf that the next deposit takes. */
  getNextIndex(options?: CallOptions): Promise<number> {
    return this.#get("getNextIndex", (stack) => stack.readNumber(), options);
  }

  /** Nano, or the jetton's smallest unit. */
  getDenomination(options?: CallOptions): Promise<bigint> {
    return this.#get("getDenomination", (stack) => stack.readBigNumber(), options);
  }

  getIsSpent(nullifierHash: bigint, options?: CallOptions): Promise<boolean> {
    return this.#get("getIsSpent", (stack) => stack.readBoolean(), options, nullifierHash);
  }

  getIsDeposited(commitment: bigint, options?: CallOptions): Promise<boolean> {
    return this.#get("getIsDeposited", (stack) => stack.readBoolean(), options, commitment);
  }

  /** Nano to attach to a withdrawal that pays `refund` nano; the excess comes back. */
  getWithdrawValue(refund: bigint, options?: CallOptions): Promise<bigint> {
    return this.#get("get_withdraw_value", (stack) => stack.readBigNumber(), options, refund);
  }

  /** Nano to send with a deposit: of a native pool the denomination, exactly; of a jetton pool to forward with it. */
  getDepositValue(options?: CallOptions): Promise<bigint> {
    return this.#get("get_deposit_value", (stack) => stack.readBigNumber(), options);
  }

  getPoolInfo(options?: CallOptions): Promise<PoolInfo> {
    return this.#get("get_pool_info", (stack) => ({
      assetKind: stack.readNumber() === 0 ? "native" : "jetton",
      owner: stack.readAddressOpt(),
      jettonMaster: stack.readAddressOpt(),
      jettonWallet: stack.readAddressOpt(),
      paused: stack.readBoolean(),
      deposits: stack.readNumber(),
      withdrawals: stack.readNumber(),
      capacity: stack.readNumber(),
      debt: stack.readBigNumber(),
      touched: stack.readNumber(),
    }), options);
  }

  /** The message of a deposit. Its query id is 0, so that it does not tell clients apart. */
  depositMessage({ commitment, newRoot, leafIndex, proof, value }: DepositArgs & { value: bigint }) {
    const body = storeDeposit({ queryId: 0n, commitment, newRoot, leafIndex, proof: proofToCell(proof) });
    return { to: this.address, value, bounce: true, body } satisfies OutgoingMessage;
  }

  /**
   * The message of a deposit to a jetton pool, for the owner's jetton wallet. It carries twice what is forwarded: that
   * value pays a way back through two wallets at the chain's prices, so as much pays the way there. The rest comes back.
   */
  jettonDepositMessage({ commitment, newRoot, leafIndex, proof, ...args }: JettonDepositArgs) {
    const deposit = storeDeposit({
      queryId: 0n,
      commitment,
      newRoot,
      leafIndex,
      proof: proofToCell(proof),
    });
    const body = storeJettonTransfer({
      queryId: 0n,
      amount: args.amount,
      destination: this.address,
      responseDestination: args.owner,
      forwardAmount: args.forward,
      forwardPayload: deposit,
    });
    return { to: args.wallet, value: 2n * args.forward, bounce: true, body } satisfies OutgoingMessage;
  }

  /**
   * Whether `message`, which came to a depositor, says that this pool gave a deposit back; undefined for all others.
   *
   * @param wallet the depositor's own jetton wallet: nobody else's word counts
   */
  returnedDeposit({ info, body }: Message, wallet: Address): ReturnedDeposit | undefined {
    if (info.type !== "internal" || info.bounced || !info.src.equals(wallet)) return undefined;
    try {
      const { sender, amount, forwardPayload } = loadTransferNotification(body);
      if (!sender?.equals(this.address)) return undefined;
      return { refused: loadDepositRefused(forwardPayload), amount };
    } catch {
      return undefined; // some other message
    }
  }

  /** The message of a withdrawal. */
  withdrawMessage({ value, proof, queryId = 0n, ...args }: WithdrawArgs & { value: bigint }) {
    const body = storeWithdraw({
      ...args,
      queryId,
      proof: proof instanceof Cell ? proof : proofToCell(proof),
    });
    return { to: this.address, value, bounce: true, body } satisfies OutgoingMessage;
  }

  /** Sends a deposit from `sender`; it is on its way then, not on chain. */
  async sendDeposit(sender: Sender, args: DepositArgs): Promise<void> {
    const value = args.value ?? await this.getDepositValue();
    await sender.send({ ...this.depositMessage({ ...args, value }), sendMode: SendMode.PAY_GAS_SEPARATELY });
  }

  /** Sends a withdrawal from `sender`; it is on its way then, not on chain. */
  async sendWithdraw(sender: Sender, args: WithdrawArgs): Promise<void> {
    const value = args.value ?? await this.getWithdrawValue(args.refund);
    await sender.send({ ...this.withdrawMessage({ ...args, value }), sendMode: SendMode.PAY_GAS_SEPARATELY });
  }

  async #get<T>(
    method: string,
    read: (stack: TupleReader) => T,
    options?: CallOptions,
    ...args: bigint[]
  ): Promise<T> {
    const stack = await this.chain.get(
      this.address,
      method,
      args.map((value) => ({ type: "int", value })),
      options,
    );
    try {
      return read(stack);
    } catch (cause) {
      const shown = shownAddress(this.address, this.chain.network);
      throw new Problem("chain_inconsistent", `${method} of ${shown} gave another shape`, { cause });
    }
  }
}
