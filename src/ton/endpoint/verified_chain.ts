import { Problem } from "../../core/errors/problem.ts";
import type { Chain, TransactionId } from "../chain.ts";

/** The newest transaction is on this page unless the verifier is behind. */
const NEWEST_PAGE_SIZE = 20;

/** An attacker then needs both endpoints to invent a history. */
export function withVerifier(chain: Chain, verifier: Omit<Chain, "verifier">): Chain {
  return {
    ...chain,
    runGetMethod: (...args) => verifier.runGetMethod(...args),
    verifier: {
      endpoint: verifier,
      async hasTransaction(address, id, { signal } = {}) {
        const same = (known: TransactionId) => known.lt === id.lt && known.hash === id.hash;
        const newest = await verifier.transactions(address, { limit: NEWEST_PAGE_SIZE, signal });
        if (newest.some((transaction) => same(transaction.id))) return true;
        const oldest = newest.at(-1);
        if (oldest === undefined || oldest.id.lt <= id.lt) return false;
        try {
          return (await verifier.transactions(address, { from: id, limit: 1, signal })).length > 0;
        } catch (error) {
          // The endpoint has just responded, so it does not know the transaction.
          if (error instanceof Problem && /^chain_/.test(error.code)) return false;
          throw error;
        }
      },
    },
  };
}
