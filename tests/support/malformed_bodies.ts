/** Bodies that are no deposit and no withdrawal though they begin like one. */
import { beginCell, type Builder, Cell, Dictionary } from "@ton/core";
import type { PoolSandbox } from "./pool_sandbox.ts";

const HEAD = 32 + 64;
const WORDS = HEAD + 256 + 256;

/** The same cell with other references, cut to `bits`, or with a tail. */
export function changed(
  cell: Cell,
  { refs = cell.refs, bits = cell.bits.length, tail }: {
    refs?: readonly Cell[];
    bits?: number;
    tail?: (builder: Builder) => Builder;
  },
): Cell {
  const builder = beginCell().storeBits(cell.bits.substring(0, bits));
  for (const ref of refs) builder.storeRef(ref);
  return (tail?.(builder) ?? builder).endCell();
}

/** A library reference: an exotic cell that stands for the one with this hash. */
export function library(cell: Cell): Cell {
  return beginCell().storeUint(2, 8).storeBuffer(cell.hash()).endCell({ exotic: true });
}

export const bit = (builder: Builder) => builder.storeBit(0);
export const empty = (builder: Builder) => builder.storeRef(Cell.EMPTY);

/** What can be wrong with a proof cell. */
export const proofs: Record<string, (proof: Cell) => Cell> = {
  "empty": () => Cell.EMPTY,
  "a bit too short": (proof) => changed(proof, { bits: 767 }),
  "a bit too long": (proof) => changed(proof, { tail: bit }),
  "without its second cell": (proof) => changed(proof, { refs: [] }),
  "with a third cell": (proof) => changed(proof, { tail: empty }),
  "with a second cell a bit too short": (proof) =>
    changed(proof, { refs: [changed(proof.refs[0], { bits: 767 })] }),
  "with a second cell a bit too long": (proof) =>
    changed(proof, { refs: [changed(proof.refs[0], { tail: bit })] }),
  "with a reference in its second cell": (proof) =>
    changed(proof, { refs: [changed(proof.refs[0], { tail: empty })] }),
  "behind a library reference": library,
  "with its second cell behind a library reference": (proof) =>
    changed(proof, { refs: [library(proof.refs[0])] }),
};

/** Addresses as they lie in a message; a party is one of them. */
export const std = (workchain = 0) => (builder: Builder) =>
  builder.storeUint(0b100, 3).storeInt(workchain, 8).storeUint(0x1234, 256);
export const none = (builder: Builder) => builder.storeUint(0, 2);
const external = (builder: Builder) => builder.storeUint(0b01, 2).storeUint(256, 9).storeUint(0x1234, 256);
const anycast = (builder: Builder) =>
  builder.storeUint(0b101, 3).storeUint(1, 5).storeBit(1).storeInt(0, 8).storeUint(0x1234, 256);
const variable = (builder: Builder) =>
  builder.storeUint(0b110, 3).storeUint(256, 9).storeInt(0, 32).storeUint(0x1234, 256);

/** What can be wrong with the parties of a withdrawal. */
export const parties: Record<string, (builder: Builder) => Builder> = {
  "empty": (builder) => builder,
  "no recipient": (builder) => std()(none(builder)),
  "nobody at all": (builder) => none(none(builder)),
  "an external address as the recipient": (builder) => std()(external(builder)),
  "an anycast recipient": (builder) => std()(anycast(builder)),
  "a recipient of variable length": (builder) => std()(variable(builder)),
  "no word of a relayer": std(),
  "an external address as the relayer": (builder) => external(std()(builder)),
  "an anycast relayer": (builder) => anycast(std()(builder)),
  "a relayer of variable length": (builder) => variable(std()(builder)),
  "half an external address as the relayer": (builder) => std()(builder).storeUint(0b01, 2),
  "a bit after the relayer": (builder) => std()(std()(builder)).storeBit(0),
  "a bit after no relayer": (builder) => none(std()(builder)).storeBit(0),
  "a cell after the relayer": (builder) => std()(std()(builder)).storeRef(Cell.EMPTY),
};

/** Bodies that begin like this deposit and are none, with what is wrong with each. */
export function malformedDeposits(body: Cell): [claim: string, body: Cell][] {
  return [
    ["the op alone", changed(body, { bits: 32, refs: [] })],
    ["a cut query_id", changed(body, { bits: HEAD - 1, refs: [] })],
    ["a cut leaf index", changed(body, { bits: WORDS + 31 })],
    ["a bit too much", changed(body, { tail: bit })],
    ["no proof", changed(body, { refs: [] })],
    ["a second reference", changed(body, { tail: empty })],
    ...Object.entries(proofs).map(([claim, spoil]): [string, Cell] => [
      `a proof ${claim}`,
      changed(body, { refs: [spoil(body.refs[0])] }),
    ]),
  ];
}

/** Bodies that begin like this withdrawal and are none, with what is wrong with each. */
export function malformedWithdrawals(body: Cell): [claim: string, body: Cell][] {
  const [paid, proof] = body.refs;
  return [
    ["the op alone", changed(body, { bits: 32, refs: [] })],
    ["a cut query_id", changed(body, { bits: HEAD - 1, refs: [] })],
    ["a cut nullifier hash", changed(body, { bits: WORDS - 1 })],
    ["no refund", changed(body, { bits: body.bits.length - 4 })],
    ["a bit too much", changed(body, { tail: bit })],
    ["no references", changed(body, { refs: [] })],
    ["no proof", changed(body, { refs: [paid] })],
    ["parties and proof in the wrong order", changed(body, { refs: [proof, paid] })],
    ["a third reference", changed(body, { tail: empty })],
    ["parties behind a library reference", changed(body, { refs: [library(paid), proof] })],
    ...Object.entries(proofs).map(([claim, spoil]): [string, Cell] => [
      `a proof ${claim}`,
      changed(body, { refs: [paid, spoil(proof)] }),
    ]),
    ...Object.entries(parties).map(([claim, store]): [string, Cell] => [
      `as parties: ${claim}`,
      changed(body, { refs: [store(beginCell()).endCell(), proof] }),
    ]),
  ];
}

/** Makes every cell of a body loadable by library references, so that not their absence is what refuses them. */
export function offerLibraries(pool: PoolSandbox, body: Cell): void {
  const libraries = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  for (const cell of [...body.refs, ...body.refs.flatMap(({ refs }) => refs)]) {
    libraries.set(cell.hash(), cell);
  }
  pool.chain.libs = beginCell().storeDictDirect(libraries).endCell();
}
