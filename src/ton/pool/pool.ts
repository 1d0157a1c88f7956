/** A pool's get methods and messages. It trusts the endpoint; callers verify against the transactions. */
import { type Address, Cell, type Message, type Sender, SendMode, type TupleReader } from "@ton/core";
import { isFieldElement } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { type ExitCodeName, Problem } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import {
  loadDepositRefusal,
  loadTransferNotification,
  storeJettonTransfer,
} from "../../core/protocol/jetton_messages.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import { storeDeposit, storeWithdraw } from "../../core/protocol/messages.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import type { CallOptions, Chain } from "../chain.ts";
import type { OutgoingMessage } from "../wallet/wallet.ts";

/** The result of `get_pool_info`. Amounts in nano. */
export interface PoolInfo {
  readonly assetKind: "native" | "jetton";
  readonly owner: Address | null;
  readonly jettonMaster: Address | null;
  readonly jettonWallet: Address | null;
  readonly paused: boolean;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly capacity: number;
  /** Gas that deposits used and withdrawals still have to repay. */
  readonly debt: bigint;
  /** Time of the pool's last transaction in Unix seconds. */
  readonly touched: number;
  readonly claims: number;
}

/** A payout that the jetton pool's wallet refused. Anyone may send a {@linkcode storeRetryPayout} for it. */
export interface Claim {
  readonly id: bigint;
  /** In the jetton's smallest unit. */
  readonly amount: bigint;
  readonly destination: Address;
}

/** A deposit to a native pool. `value` in nano; default: the value that the pool reports. */
export interface PoolDepositArgs {
  readonly commitment: bigint;
  readonly newRoot: bigint;
  readonly leafIndex: number;
  readonly proof: Groth16Proof;
  readonly value?: bigint;
}

/** A deposit to a jetton pool. Amounts in nano; `amount` in the jetton's smallest unit. */
export interface PoolJettonDepositArgs extends Omit<PoolDepositArgs, "value"> {
  readonly amount: bigint;
  /** Owner of the jettons. Receives unused value, and the jettons if the pool rejects the deposit. */
  readonly owner: Address;
  readonly jettonWallet: Address;
  /** The result of `get_deposit_value`, in nano. */
  readonly forwardAmount: bigint;
}

/** A deposit that a jetton pool returned. `amount` in the jetton's smallest unit. */
export interface ReturnedDeposit {
  readonly reason: ExitCodeName;
  readonly amount: bigint;
}

/** `fee` in the pool's smallest unit, `refund` and `value` in nano. Default value: what the pool reports. */
export interface PoolWithdrawArgs {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly relayer: Address | null;
  readonly proof: Groth16Proof | Cell;
  readonly queryId?: bigint;
  readonly value?: bigint;
}

/**
 * A pool. Getters throw as {@linkcode Chain.runGetMethod} does, or `chain_inconsistent`.
 * ```ts
 * const pool = new Pool(connect({ endpoint }), Address.parse("EQ..."));
 * const spent = await pool.getIsSpent(note.nullifierHash);
 * ```
 */
export class Pool {
  constructor(readonly chain: Chain, readonly address: Address) {}

  /** Returns the accepted roots, 1 to 30, newest first. */
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

  getNextIndex(options?: CallOptions): Promise<number> {
    return this.#get("getNextIndex", (stack) => stack.readNumber(), options);
  }

  /** Returns the denomination in nano, or in the jetton's smallest unit. */
  getDenomination(options?: CallOptions): Promise<bigint> {
    return this.#get("getDenomination", (stack) => stack.readBigNumber(), options);
  }

  getIsSpent(nullifierHash: bigint, options?: CallOptions): Promise<boolean> {
    return this.#get("getIsSpent", (stack) => stack.readBoolean(), options, nullifierHash);
  }

  /** Compares 114 bits, for which others can be found: no proof of a deposit. */
  getIsDeposited(commitment: bigint, options?: CallOptions): Promise<boolean> {
    return this.#get("getIsDeposited", (stack) => stack.readBoolean(), options, commitment);
  }

  /** Returns the nano to attach to a withdrawal that pays `refund` nano. The excess is returned. */
  getWithdrawValue(refund: bigint, options?: CallOptions): Promise<bigint> {
    return this.#get("get_withdraw_value", (stack) => stack.readBigNumber(), options, refund);
  }

  /** Returns the nano to send: a native pool's denomination, or what a jetton transfer must forward. */
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
      claims: stack.remaining > 0 ? stack.readNumber() : 0,
    }), options);
  }

  /** Returns claims of a jetton pool with ids above `after`, in order, at most `max` (up to 64). */
  getClaims(after = 0n, max = 64, options?: CallOptions): Promise<Claim[]> {
    return this.#get(
      "get_claims",
      (stack) => {
        const list = stack.readTuple();
        return Array.from({ length: list.remaining }, () => {
          const claim = list.readTuple();
          return {
            id: claim.readBigNumber(),
            amount: claim.readBigNumber(),
            destination: claim.readAddress(),
          };
        });
      },
      options,
      after,
      BigInt(max),
    );
  }

  /** The query id is 0, to avoid a fingerprint of the client. */
  buildDepositMessage({ commitment, newRoot, leafIndex, proof, value }: PoolDepositArgs & { value: bigint }) {
    const body = storeDeposit({ queryId: 0n, commitment, newRoot, leafIndex, proof: proofToCell(proof) });
    return { to: this.address, value, bounce: true, body } satisfies OutgoingMessage;
  }

  /** Carries twice the forwarded value, to pay the gas of two wallets. The rest is returned. */
  buildJettonDepositMessage({ commitment, newRoot, leafIndex, proof, ...args }: PoolJettonDepositArgs) {
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
      forwardAmount: args.forwardAmount,
      forwardPayload: deposit,
    });
    return {
      to: args.jettonWallet,
      value: 2n * args.forwardAmount,
      bounce: true,
      body,
    } satisfies OutgoingMessage;
  }

  parseReturnedDeposit({ info, body }: Message, wallet: Address): ReturnedDeposit | undefined {
    if (info.type !== "internal" || info.bounced || !info.src.equals(wallet)) return undefined;
    try {
      const { sender, amount, forwardPayload } = loadTransferNotification(body);
      if (!sender?.equals(this.address)) return undefined;
      return { reason: loadDepositRefusal(forwardPayload), amount };
    } catch {
      return undefined; // any other message
    }
  }

  buildWithdrawMessage({ value, proof, queryId = 0n, ...args }: PoolWithdrawArgs & { value: bigint }) {
    const body = storeWithdraw({
      ...args,
      queryId,
      proof: proof instanceof Cell ? proof : proofToCell(proof),
    });
    return { to: this.address, value, bounce: true, body } satisfies OutgoingMessage;
  }

  /** Sends a deposit. It may not be on chain yet when this returns. */
  async sendDeposit(sender: Sender, args: PoolDepositArgs): Promise<void> {
    const value = args.value ?? await this.getDepositValue();
    await sender.send({
      ...this.buildDepositMessage({ ...args, value }),
      sendMode: SendMode.PAY_GAS_SEPARATELY,
    });
  }

  async sendWithdraw(sender: Sender, args: PoolWithdrawArgs): Promise<void> {
    const value = args.value ?? await this.getWithdrawValue(args.refund);
    await sender.send({
      ...this.buildWithdrawMessage({ ...args, value }),
      sendMode: SendMode.PAY_GAS_SEPARATELY,
    });
  }

  async #get<T>(
    method: string,
    read: (stack: TupleReader) => T,
    options?: CallOptions,
    ...args: bigint[]
  ): Promise<T> {
    const stack = await this.chain.runGetMethod(
      this.address,
      method,
      args.map((value) => ({ type: "int", value })),
      options,
    );
    try {
      return read(stack);
    } catch (cause) {
      const shown = formatAddress(this.address, this.chain.network);
      throw new Problem("chain_inconsistent", `${method} of ${shown} returned a malformed result`, { cause });
    }
  }
}
