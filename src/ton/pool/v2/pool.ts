/** The get methods and messages of a version 2 pool. It trusts the endpoint; callers verify against the transactions. */
import type { Cell } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import type { Groth16Proof } from "../../../core/crypto/groth16.ts";
import {
  storeDepositComment,
  storeEnqueue,
  storeSettle,
  storeWithdraw2,
  storeWithdrawMany,
  type WithdrawRequest,
} from "../../../core/protocol/v2/messages.ts";
import type { CallOptions } from "../../chain.ts";
import { type JettonDepositArgs, PoolGetters, toProofCell } from "../pool_getters.ts";
import { V2PoolLog } from "./pool_log.ts";

/** The result of `get_settle_info`. Times in Unix seconds, amounts in nano. */
export interface SettleInfo {
  /** Number of settled deposits. */
  readonly settled: number;
  /** Number of settlements. The newest root has the number `rootCount - 1`. */
  readonly rootCount: number;
  /** Gas of the deposits that wait. */
  readonly pending: bigint;
  /** Time of the last settlement; 0 if there was none. */
  readonly settledAt: number;
  /** When the wait began that the reward pays for: the last settlement, or the first deposit into an empty queue. */
  readonly waitingSince: number;
  /** Price of a lone settlement, from which the contract computes the reward. */
  readonly settlementCost: bigint;
}

/** A deposit. `value` in nano is the denomination exactly. */
export interface EnqueueArgs {
  readonly commitment: bigint;
  readonly value: bigint;
}

/** A deposit to a jetton pool. */
export interface EnqueueJettonArgs extends JettonDepositArgs {
  readonly commitment: bigint;
}

/** A settlement. `value` in nano pays for gas; the pool returns the rest with the reward. */
export interface SettleArgs {
  readonly newRoot: bigint;
  /** Number of settled deposits after this settlement. */
  readonly end: number;
  /** Proof of `settle16` that names the sending wallet. */
  readonly proof: Groth16Proof | Cell;
  readonly value: bigint;
  /** Default: 0. */
  readonly queryId?: bigint;
}

/** A withdrawal; the fee in the pool's smallest unit, the refund in nano. */
export interface PoolWithdraw2Args extends Omit<WithdrawRequest, "proof"> {
  readonly proof: Groth16Proof | Cell;
}

/** `value` in nano: what `getWithdrawValue` or `getWithdrawManyValue` returns. */
interface WithdrawMessageArgs {
  readonly value: bigint;
  readonly queryId?: bigint; // default: 0
}

/**
 * A pool of version 2. Getters throw as {@linkcode Chain.runGetMethod} does, or `chain_inconsistent`.
 * ```ts
 * const pool = new V2Pool(connect({ endpoint }), Address.parse("EQ..."));
 * const { settled } = await pool.getSettleInfo();
 * ```
 */
export class V2Pool extends PoolGetters {
  #log: V2PoolLog | undefined;

  /** Returns the pool's logs until now. Later calls read only what is new. */
  async readLog({ signal }: Pick<CallOptions, "signal"> = {}): Promise<V2PoolLog> {
    const log = this.#log ??= new V2PoolLog(this.chain, this.address);
    try {
      await log.update(signal);
    } catch (error) {
      const isContradiction = error instanceof Problem && error.code === "chain_inconsistent";
      if (isContradiction && this.#log === log) this.#log = undefined; // the next read begins anew
      throw error;
    }
    return log;
  }

  /** Returns whether a nullifier hash is spent, from the pool's logs: a get method would reveal its slot. */
  async getIsSpent(nullifierHash: bigint, options?: Pick<CallOptions, "signal">): Promise<boolean> {
    return (await this.readLog(options)).isSpent(nullifierHash);
  }

  /** Returns the number of leaves of the tree. */
  getTreeSize(options?: CallOptions): Promise<number> {
    return this.getSettled(options);
  }

  /** Returns the number of settled deposits. `getNextIndex` also counts those that wait. */
  getSettled(options?: CallOptions): Promise<number> {
    return this.get("getSettled", (stack) => stack.readNumber(), options);
  }

  getSettleInfo(options?: CallOptions): Promise<SettleInfo> {
    return this.get("get_settle_info", (stack) => ({
      settled: stack.readNumber(),
      rootCount: stack.readNumber(),
      pending: stack.readBigNumber(),
      settledAt: stack.readNumber(),
      waitingSince: stack.readNumber(),
      settlementCost: stack.readBigNumber(),
    }), options);
  }

  /** `carried`: the slot's path, null if empty. Throws `contract_refused` (211) for another path. */
  getIsSpentBy(nullifierHash: bigint, carried: Cell | null, options?: CallOptions): Promise<boolean> {
    // toncenter accepts no null argument; getIsSpent is the same query for an empty slot.
    return carried === null
      ? this.get("getIsSpent", (stack) => stack.readBoolean(), options, nullifierHash)
      : this.get("getIsSpentBy", (stack) => stack.readBoolean(), options, nullifierHash, {
        type: "cell",
        cell: carried,
      });
  }

  /** Returns the nano to attach to withdrawals whose refunds sum up to `refunds`. The excess is returned. */
  getWithdrawManyValue(count: number, refunds: bigint, options?: CallOptions): Promise<bigint> {
    return this.getBigInt("get_withdraw_many_value", options, BigInt(count), refunds);
  }

  buildDepositMessage({ commitment, value }: EnqueueArgs) {
    return this.message(value, storeEnqueue({ queryId: 0n, commitment }));
  }

  buildCommentDepositMessage({ commitment, value }: EnqueueArgs) {
    return this.message(value, storeDepositComment(commitment));
  }

  buildJettonDepositMessage({ commitment, ...transfer }: EnqueueJettonArgs) {
    return this.jettonMessage(transfer, storeEnqueue({ queryId: 0n, commitment }));
  }

  buildSettleMessage({ newRoot, end, proof, value, queryId = 0n }: SettleArgs) {
    return this.message(value, storeSettle({ queryId, newRoot, end, proof: toProofCell(proof) }));
  }

  buildWithdrawMessage({ value, queryId = 0n, ...args }: PoolWithdraw2Args & WithdrawMessageArgs) {
    return this.message(value, storeWithdraw2({ ...args, proof: toProofCell(args.proof) }, queryId));
  }

  /** Each path is that of the spent set after the earlier withdrawals. RangeError for no withdrawal. */
  buildWithdrawManyMessage(
    requests: readonly PoolWithdraw2Args[],
    { value, queryId = 0n }: WithdrawMessageArgs,
  ) {
    const items = requests.map((request) => ({ ...request, proof: toProofCell(request.proof) }));
    return this.message(value, storeWithdrawMany(items, queryId));
  }
}
