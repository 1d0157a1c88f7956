/** Transactions that are not on the chain, which a malicious endpoint adds to a pool's history. */
import { Address, beginCell, type Cell } from "@ton/core";
import type { Job } from "../../src/store/store.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../src/ton/chain.ts";
import { depositLog, internalMessage, logMessage, transactionOf, withdrawalLog } from "./transactions.ts";

const stranger = new Address(0, Buffer.alloc(32, 1));

/** Returns the log of a deposit that never happened. */
export const forgeDepositLog = depositLog;

/** Returns the log of a payment that never happened. */
export function forgeWithdrawalLog(job: Pick<Job, "nullifierHash" | "fee" | "refund">): Cell {
  return withdrawalLog({ ...job, recipient: stranger, relayer: stranger });
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
    inMessage: internalMessage({ src: stranger, dest: pool, value: 1n, lt: lt - 1n, now, body }),
    outMessages: log === undefined ? [] : [logMessage(pool, lt + 1n, now, log)],
  });
}

/** Returns `chain` with forged transactions at the end of the history of `pool`, as long as `while` returns true. */
export function withForgedHistory(chain: Chain, pool: Address, { while: lies, make }: {
  readonly while: () => boolean;
  /**
   * Returns the transactions after the real tip, oldest first. Called once per period, at the first forgery.
   */
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
