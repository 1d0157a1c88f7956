/** Two endpoints as one: what the first tells of history is held against the word of the second. */
import { Problem } from "../../core/errors/problem.ts";
import type { Chain, TransactionId } from "../chain.ts";

/** Transactions of the verifier that are asked for at once: a newest one is among them, unless the verifier is behind. */
const NEWEST_PAGE_SIZE = 20;

/**
 * `chain`, whose get methods `verifier` answers, and who vouches for transactions. Whoever would invent a history must own
 * both.
 */
export function withVerifier(chain: Chain, verifier: Pick<Chain, "runGetMethod" | "transactions">): Chain {
  return {
    ...chain,
    runGetMethod: (...args) => verifier.runGetMethod(...args),
    verifier: {
      async hasTransaction(address, id, { signal } = {}) {
        const same = (known: TransactionId) => known.lt === id.lt && known.hash === id.hash;
        const newest = await verifier.transactions(address, { limit: NEWEST_PAGE_SIZE, signal });
        if (newest.some((transaction) => same(transaction.id))) return true;
        const oldest = newest.at(-1);
        if (oldest === undefined || oldest.id.lt <= id.lt) return false;
        try {
          return (await verifier.transactions(address, { from: id, limit: 1, signal })).length > 0;
        } catch (error) {
          // It has just answered: this is how it says that there is no such transaction.
          if (error instanceof Problem && /^chain_/.test(error.code)) return false;
          throw error;
        }
      },
    },
  };
}
