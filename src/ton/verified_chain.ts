/** Two endpoints as one: what the first tells of history is held against the get methods of the second. */
import type { Chain } from "./chain.ts";

/** `chain`, whose get methods `verifier` answers. Whoever would invent a history must own both. */
export function gettersFrom(chain: Chain, verifier: Pick<Chain, "get">): Chain {
  return { ...chain, get: (...args) => verifier.get(...args) };
}
