/** Transactions that no chain has, put on top of a pool's real history by an endpoint that wants to be believed. */
import { Address, beginCell, type Cell } from "@ton/core";
import { opCodes } from "../../../src/core/messages.ts";
import type { Job } from "../../../src/store/store.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../../src/ton/chain.ts";
import { internalMessage, logMessage, transactionOf } from "./transactions.ts";

const somebody = new Address(0, Buffer.alloc(32, 1));

/** The log of a deposit that was never made. */
export function depositLog(commitment: bigint, leafIndex: number, now: number): Cell {
  return beginCell().storeUint(opCodes.deposit_log, 32).storeUint(commitment, 256).storeUint(leafIndex, 32)
    .storeUint(now, 32).endCell();
}

/** The log of a payment that was never made. */
export function withdrawalLog(
  { nullifierHash, fee, refund }: Pick<Job, "nullifierHash" | "fee" | "refund">,
): Cell {
  const parties = beginCell().storeAddress(somebody).storeAddress(somebody).endCell();
  return beginCell().storeUint(opCodes.withdrawal_log, 32).storeUint(nullifierHash, 256).storeCoins(fee)
    .storeCoins(refund).storeRef(parties).endCell();
}

/** A transaction after `tip` that emitted `log`; without one it did nothing. */
export function invent(pool: Address, tip: ChainTransaction, log: Cell | undefined): ChainTransaction {
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

/** `chain`, whose history of `pool` has invented transactions on top while `while` says so. */
export function inventing(chain: Chain, pool: Address, { while: lies, make }: {
  readonly while: () => boolean;
  /** Is asked once for each while, at the first lie of it: what the real tip is followed by, oldest first. */
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
