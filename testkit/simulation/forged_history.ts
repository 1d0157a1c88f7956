/** Transactions that are not on the chain, which a malicious endpoint adds to a pool's history. */
import { Address, beginCell, type Cell } from "@ton/core";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import type { Job } from "../../src/store/store.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../src/ton/chain.ts";
import { internalMessage, logMessage, transactionOf } from "./transactions.ts";

const somebody = new Address(0, Buffer.alloc(32, 1));

/** Returns the log of a deposit that never happened. */
export function forgeDepositLog(commitment: bigint, leafIndex: number, now: number): Cell {
  return beginCell().storeUint(opCodes.deposit_log, 32).storeUint(commitment, 256).storeUint(leafIndex, 32)
    .storeUint(now, 32).endCell();
}

/** Returns the log of a payment that never happened. */
export function forgeWithdrawalLog(
  { nullifierHash, fee, refund }: Pick<Job, "nullifierHash" | "fee" | "refund">,
): Cell {
  const parties = beginCell().storeAddress(somebody).storeAddress(somebody).endCell();
  return beginCell().storeUint(opCodes.withdrawal_log, 32).storeUint(nullifierHash, 256).storeCoins(fee)
    .storeCoins(refund).storeRef(parties).endCell();
}

/** Returns a transaction after `tip` that emits `log`, or nothing. */
export function forgeTransaction(
  pool: Address,
  tip: ChainTransaction,
  log: Cell | undefined,
): ChainTransaction {
  const lt = tip.id.lt + 1_000n;
  const now = tip.now + 5;
  const body = beginCell().endCell();
  return transactionOf({
    account: pool,
    lt,
    prev: tip.id,
    now,
    exitCode: 0,
    inMessage: internalMessage({ src: somebody, dest: pool, value: 1n, lt: lt - 1n, now, body }),
    outMessages: log === undefined ? [] : [logMessage(pool, lt + 1n, now, log)],
  });
}

/** Returns `chain` with forged transactions at the end of the history of `pool`, as long as `while` returns true. */
export function withForgedHistory(chain: Chain, pool: Address, { while: lies, make }: {
  readonly while: () => boolean;
  /** Called once per period, at the first forgery: returns the transactions after the real tip, oldest first. */
  readonly make: (tip: ChainTransaction) => readonly ChainTransaction[];
}): Chain {
  let made: readonly ChainTransaction[] | undefined;
  const same = (a: TransactionId, b: TransactionId) => a.lt === b.lt && a.hash === b.hash;
  return {
    ...chain,
    async transactions(address, options) {
      const { from, limit } = options;
      if (!address.equals(pool)) return await chain.transactions(address, options);
      if (!lies()) {
        made = undefined;
        return await chain.transactions(address, options);
      }
      made ??= make((await chain.transactions(address, { limit: 1 }))[0]).toReversed();
      const start = from === undefined ? 0 : made.findIndex(({ id }) => same(id, from));
      if (start < 0) return await chain.transactions(address, options);
      const top = made.slice(start, start + limit);
      const below = made.at(-1)!.prev!;
      return top.length < limit
        ? [
          ...top,
          ...await chain.transactions(address, { ...options, from: below, limit: limit - top.length }),
        ]
        : top;
    },
  };
}
