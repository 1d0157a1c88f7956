/** Creates as many claims of a jetton pool as a test needs. */
import { Address, beginCell, type BitString, type Cell } from "@ton/core";
import type { Claim } from "../../../src/ton/pool/pool_getters.ts";
import { decodeLedger, emptyV2PoolState, encodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";

/** Returns claims in order with different amounts and spread ids. */
export function manyClaims(count: number, amount: (i: number) => bigint = (i) => BigInt(i + 1)): Claim[] {
  return Array.from({ length: count }, (_, i) => ({
    id: BigInt(i + 1) * 1_000_003n,
    amount: amount(i),
    destination: new Address(0, Buffer.alloc(32, 5)),
  }));
}

/** Returns the data of a version 2 jetton pool with these claims in place of its own. */
export function withOpenClaims(data: Cell, claims: readonly Claim[]): Cell {
  const { generation, owner, master, wallet, roots } = decodeLedger(data.refs.at(-1)!);
  const settings = { denomination: 1n, owner, generation, jetton: { master, wallet, claims } };
  const { bits, refs: [, ...map] } = encodeV2PoolData(emptyV2PoolState(settings)).refs.at(-1)!;
  return withRefs(data.bits, [...data.refs.slice(0, -1), withRefs(bits, [roots, ...map])]);
}

function withRefs(bits: BitString, refs: readonly Cell[]): Cell {
  return refs.reduce((builder, ref) => builder.storeRef(ref), beginCell().storeBits(bits)).endCell();
}
