/** The get methods and messages of a version 1 pool. It trusts the endpoint; callers verify against the transactions. */
import { type Address, Cell, type Sender, SendMode } from "@ton/core";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { storeJettonTransfer } from "../../core/protocol/messages/jetton_messages.ts";
import { storeDeposit, storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import type { CallOptions } from "../chain.ts";
import type { OutgoingMessage } from "../wallet/wallet.ts";
import { PoolGetters } from "./pool_getters.ts";

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

  /** Compares 114 bits, for which others can be found: no proof of a deposit. */
  getIsDeposited(commitment: bigint, options?: CallOptions): Promise<boolean> {
    return this.get("getIsDeposited", (stack) => stack.readBoolean(), options, commitment);
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
}
