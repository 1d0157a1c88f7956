/** The get methods that pools of both versions have. */
import { type Address, Cell, type Message, type TupleItem, type TupleReader } from "@ton/core";
import { isFieldElement } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import type { ExitCodeName } from "../../core/errors/problem.ts";
import {
  loadDepositRefusal,
  loadTransferNotification,
  storeJettonTransfer,
} from "../../core/protocol/messages/jetton_messages.ts";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { CallOptions, Chain } from "../chain.ts";
import { callGetter } from "../getter.ts";
import type { OutgoingMessage } from "../wallet/wallet.ts";

/** The result of `get_pool_info`. Amounts in nano. */
export interface PoolInfo {
  readonly assetKind: "native" | "jetton";
  readonly version: PoolVersion;
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

/** The transfer of a jetton deposit. */
export interface JettonDepositArgs {
  /** The denomination exactly, in the jetton's smallest unit. */
  readonly amount: bigint;
  /** Owner of the jettons. Receives unused value, and the jettons if the pool refuses the deposit. */
  readonly owner: Address;
  readonly jettonWallet: Address;
  readonly forwardAmount: bigint; // the result of `get_deposit_value`, in nano
}

/** A payout that the jetton pool's wallet refused. Anyone may send a {@linkcode storeRetryPayout} for it. */
export interface Claim {
  readonly id: bigint;
  readonly amount: bigint; // in the jetton's smallest unit
  readonly destination: Address;
}

/** A deposit that a jetton pool returned. `amount` in the jetton's smallest unit. */
export interface ReturnedDeposit {
  readonly reason: ExitCodeName;
  readonly amount: bigint;
}

/** Reads a pool. It trusts the endpoint; callers verify against the transactions. */
export class PoolGetters {
  constructor(readonly chain: Chain, readonly address: Address) {}

  /** Returns the accepted roots, 1 to 30, newest first. */
  getRootHistory(options?: CallOptions): Promise<bigint[]> {
    return this.get("get_root_history", (stack) => {
      const tuple = stack.readTuple();
      if (tuple.remaining !== ROOT_HISTORY_SIZE) throw new Error("not 30 slots");
      const roots = Array.from({ length: ROOT_HISTORY_SIZE }, () => tuple.readBigNumber());
      if (!roots.every(isFieldElement)) throw new Error("root out of range");
      return roots.filter((root) => root !== 0n);
    }, options);
  }

  getCurrentRoot(options?: CallOptions): Promise<bigint> {
    return this.getBigInt("getCurrentRoot", options);
  }

  getNextIndex(options?: CallOptions): Promise<number> {
    return this.get("getNextIndex", (stack) => stack.readNumber(), options);
  }

  /** Returns the denomination in nano, or in the jetton's smallest unit. */
  getDenomination(options?: CallOptions): Promise<bigint> {
    return this.getBigInt("getDenomination", options);
  }

  /** Returns the nano to attach to a withdrawal that pays `refund` nano. The excess is returned. */
  getWithdrawValue(refund: bigint, options?: CallOptions): Promise<bigint> {
    return this.getBigInt("get_withdraw_value", options, refund);
  }

  /** Returns the nano to send: a native pool's denomination, or what a jetton transfer must forward. */
  getDepositValue(options?: CallOptions): Promise<bigint> {
    return this.getBigInt("get_deposit_value", options);
  }

  getPoolInfo(options?: CallOptions): Promise<PoolInfo> {
    return this.get("get_pool_info", (stack) => ({
      ...readPoolKind(stack.readNumber()),
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
    const read = (stack: TupleReader) => {
      const list = stack.readTuple();
      return Array.from({ length: list.remaining }, () => {
        const claim = list.readTuple();
        return { id: claim.readBigNumber(), amount: claim.readBigNumber(), destination: claim.readAddress() };
      });
    };
    return this.get("get_claims", read, options, after, BigInt(max));
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

  protected message(value: bigint, body: Cell) {
    return { to: this.address, value, bounce: true, body } satisfies OutgoingMessage;
  }

  /** Carries twice the forwarded value, to pay the gas of two wallets. The rest is returned. */
  protected jettonMessage({ owner, jettonWallet, ...transfer }: JettonDepositArgs, forwardPayload: Cell) {
    const parties = { queryId: 0n, destination: this.address, responseDestination: owner };
    const body = storeJettonTransfer({ ...transfer, ...parties, forwardPayload });
    return { ...this.message(2n * transfer.forwardAmount, body), to: jettonWallet };
  }

  protected getBigInt(method: string, options?: CallOptions, ...args: bigint[]): Promise<bigint> {
    return this.get(method, (stack) => stack.readBigNumber(), options, ...args);
  }

  protected get<T>(
    method: string,
    read: (stack: TupleReader) => T,
    options?: CallOptions,
    ...args: (bigint | TupleItem)[]
  ): Promise<T> {
    const items = args.map((value): TupleItem => typeof value === "bigint" ? { type: "int", value } : value);
    return callGetter(this.chain, this.address, method, read, options, items);
  }
}

export function toProofCell(proof: Groth16Proof | Cell): Cell {
  return proof instanceof Cell ? proof : proofToCell(proof);
}

function readPoolKind(kind: number): Pick<PoolInfo, "assetKind" | "version"> {
  if (kind < 0 || kind > 3) throw new Error(`unknown kind ${kind}`);
  return { assetKind: kind % 2 === 0 ? "native" : "jetton", version: kind < 2 ? 1 : 2 };
}
