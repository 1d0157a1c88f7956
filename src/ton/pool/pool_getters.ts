/** The get methods that pools of both versions have. */
import type { Address, Message, TupleItem, TupleReader } from "@ton/core";
import { isFieldElement } from "../../core/crypto/field.ts";
import { type ExitCodeName, Problem } from "../../core/errors/problem.ts";
import {
  loadDepositRefusal,
  loadTransferNotification,
} from "../../core/protocol/messages/jetton_messages.ts";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { CallOptions, Chain } from "../chain.ts";

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

/** A payout that the jetton pool's wallet refused. Anyone may send a {@linkcode storeRetryPayout} for it. */
export interface Claim {
  readonly id: bigint;
  /** In the jetton's smallest unit. */
  readonly amount: bigint;
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
    return this.get("getCurrentRoot", (stack) => stack.readBigNumber(), options);
  }

  getNextIndex(options?: CallOptions): Promise<number> {
    return this.get("getNextIndex", (stack) => stack.readNumber(), options);
  }

  /** Returns the denomination in nano, or in the jetton's smallest unit. */
  getDenomination(options?: CallOptions): Promise<bigint> {
    return this.get("getDenomination", (stack) => stack.readBigNumber(), options);
  }

  /** Returns the nano to attach to a withdrawal that pays `refund` nano. The excess is returned. */
  getWithdrawValue(refund: bigint, options?: CallOptions): Promise<bigint> {
    return this.get("get_withdraw_value", (stack) => stack.readBigNumber(), options, refund);
  }

  /** Returns the nano to send: a native pool's denomination, or what a jetton transfer must forward. */
  getDepositValue(options?: CallOptions): Promise<bigint> {
    return this.get("get_deposit_value", (stack) => stack.readBigNumber(), options);
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
    return this.get(
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

  protected async get<T>(
    method: string,
    read: (stack: TupleReader) => T,
    options?: CallOptions,
    ...args: (bigint | TupleItem)[]
  ): Promise<T> {
    const stack = await this.chain.runGetMethod(
      this.address,
      method,
      args.map((value) => typeof value === "bigint" ? { type: "int", value } : value),
      options,
    );
    try {
      return read(stack);
    } catch (cause) {
      const addressText = formatAddress(this.address, this.chain.network);
      throw new Problem("chain_inconsistent", `${method} of ${addressText} returned a malformed result`, {
        cause,
      });
    }
  }
}

function readPoolKind(kind: number): Pick<PoolInfo, "assetKind" | "version"> {
  if (kind === 0) return { assetKind: "native", version: 1 };
  if (kind === 1) return { assetKind: "jetton", version: 1 };
  if (kind === 2) return { assetKind: "native", version: 2 };
  if (kind === 3) return { assetKind: "jetton", version: 2 };
  throw new Error(`unknown kind ${kind}`);
}
