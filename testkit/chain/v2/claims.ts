/** Claims of a jetton pool, as many as a test needs. */
import { Address } from "@ton/core";
import type { Claim } from "../../../src/ton/pool/pool_getters.ts";

/** Returns claims in order, each with another amount; their ids are spread. */
export function manyClaims(count: number, amount: (i: number) => bigint = (i) => BigInt(i + 1)): Claim[] {
  return Array.from({ length: count }, (_, i) => ({
    id: BigInt(i + 1) * 1_000_003n,
    amount: amount(i),
    destination: new Address(0, Buffer.alloc(32, 5)),
  }));
}
