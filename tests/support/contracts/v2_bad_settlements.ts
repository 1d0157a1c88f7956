/** Settlements of version 2 pools that both kinds refuse. */
import { beginCell, Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import type { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";

/**
 * Returns public signals that differ in one point from those of the next settlement. The pool has settled 20 of 30
 * deposits, and knows an older root.
 */
export function falseSettlements(sandbox: V2Sandbox, end: number, newRoot: bigint): Record<string, bigint[]> {
  const from = sandbox.pool.relayer.address;
  const honest = sandbox.settleSignals(end, newRoot, from);
  const change = (at: number, value: bigint) => honest.map((signal, i) => i === at ? value : signal);
  return {
    "an older root": change(0, sandbox.roots.at(-2)!),
    "the empty root": change(0, zeros[20]),
    "another new root": change(1, freshElement()),
    "one slot more": change(2, honest[2] + 1n),
    "one slot less": change(2, honest[2] - 1n),
    "one slot later": change(2, honest[2] + 512n),
    "another chunk": change(2, honest[2] + 16n * 512n),
    "another settler": change(3, honest[3] + 1n),
    "the settler unshifted": change(3, BigInt(`0x${from.hash.toString("hex")}`) % FIELD_MODULUS),
    "one commitment in an older slot": change(4 + 3, freshElement()),
    "one commitment in a later slot": change(4 + 14, freshElement()),
    "no commitments": [...honest.slice(0, 4), ...Array(16).fill(0n)],
    "two commitments swapped": change(4 + 4, honest[4 + 5]).map((signal, i) => i === 9 ? honest[8] : signal),
    "one commitment twice": change(4 + 5, honest[4 + 4]),
    ...Object.fromEntries(
      Array.from(
        { length: 10 },
        (_, i) => [`another commitment in slot ${4 + i}`, change(8 + i, freshElement())],
      ),
    ),
  };
}

/** Returns bodies that differ in layout from this one of a settlement. */
export function malformedSettlements(body: Cell): Record<string, Cell> {
  const proof = body.refs[0];
  return {
    "a bit too much": beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    "a reference too much": beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell(),
    "no proof": beginCell().storeBits(body.bits).endCell(),
    "the op alone": beginCell().storeBits(body.bits.substring(0, 32)).endCell(),
    "an empty proof": beginCell().storeBits(body.bits).storeRef(Cell.EMPTY).endCell(),
    "a long proof": beginCell().storeBits(body.bits).storeRef(
      beginCell().storeSlice(proof.beginParse()).storeBit(0).endCell(),
    ).endCell(),
    "a proof without b": beginCell().storeBits(body.bits).storeRef(
      beginCell().storeBits(proof.bits).endCell(),
    )
      .endCell(),
  };
}
