/** The get methods and messages of a version 1 pool. It trusts the endpoint; callers verify against the transactions. */
import { type Address, type Cell, type Sender, SendMode } from "@ton/core";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { storeDeposit, storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import type { CallOptions } from "../chain.ts";
import { type JettonDepositArgs, PoolGetters, toProofCell } from "./pool_getters.ts";

/** A deposit to a native pool. `value` in nano; default: the value that the pool reports. */
export interface PoolDepositArgs {
  readonly commitment: bigint;
  readonly newRoot: bigint;
  readonly leafIndex: number;
  readonly proof: Groth16Proof;
  readonly value?: bigint;
}

/** A deposit to a jetton pool. */
export type PoolJettonDepositArgs = Omit<PoolDepositArgs, "value"> & JettonDepositArgs;

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
 * A pool of version 1. Getters throw as {@linkcode Chain.runGetMethod} does, or `chain_inconsistent`.
 * ```ts
 * const pool = new Pool(connect({ endpoint }), Address.parse("EQ..."));
 * const spent = await pool.getIsSpent(note.nullifierHash);
 * ```
 */
export class Pool extends PoolGetters {
  /** Returns the number of leaves of the tree. */
  getTreeSize(options?: CallOptions): Promise<number> {
    return this.getNextIndex(options);
  }

  getIsSpent(nullifierHash: bigint, options?: CallOptions): Promise<boolean> {
    return this.get("getIsSpent", (stack) => stack.readBoolean(), options, nullifierHash);
  }

  /** Compares only 114 bits. Collisions can be computed, so the result does not prove a deposit. */
  getIsDeposited(commitment: bigint, options?: CallOptions): Promise<boolean> {
    return this.get("getIsDeposited", (stack) => stack.readBoolean(), options, commitment);
  }

  /** The query id is 0, to avoid a fingerprint of the client. */
  buildDepositMessage({ value, ...args }: PoolDepositArgs & { value: bigint }) {
    return this.message(value, depositBody(args));
  }

  buildJettonDepositMessage({ commitment, newRoot, leafIndex, proof, ...transfer }: PoolJettonDepositArgs) {
    return this.jettonMessage(transfer, depositBody({ commitment, newRoot, leafIndex, proof }));
  }

  buildWithdrawMessage({ value, proof, queryId = 0n, ...args }: PoolWithdrawArgs & { value: bigint }) {
    return this.message(value, storeWithdraw({ ...args, queryId, proof: toProofCell(proof) }));
  }

  /** Sends a deposit. It may not be on chain yet when this returns. */
  async sendDeposit(sender: Sender, args: PoolDepositArgs): Promise<void> {
    const value = args.value ?? await this.getDepositValue();
    const message = this.buildDepositMessage({ ...args, value });
    await sender.send({ ...message, sendMode: SendMode.PAY_GAS_SEPARATELY });
  }

  async sendWithdraw(sender: Sender, args: PoolWithdrawArgs): Promise<void> {
    const value = args.value ?? await this.getWithdrawValue(args.refund);
    const message = this.buildWithdrawMessage({ ...args, value });
    await sender.send({ ...message, sendMode: SendMode.PAY_GAS_SEPARATELY });
  }
}

function depositBody({ proof, ...deposit }: Omit<PoolDepositArgs, "value">): Cell {
  return storeDeposit({ ...deposit, queryId: 0n, proof: proofToCell(proof) });
}
