/** Bodies that begin like a deposit or a withdrawal but are malformed. */
import { beginCell, type Builder, Cell, Dictionary } from "@ton/core";
import type { PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

const HEADER_BITS = 32 + 64;
const FIXED_FIELD_BITS = HEADER_BITS + 256 + 256;

/** Returns the cell with other references, cut to `bits`, or with a tail. */
export function alterCell(
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

/** Returns a library reference: an exotic cell that stands for the cell with this hash. */
export function libraryReference(cell: Cell): Cell {
  return beginCell().storeUint(2, 8).storeBuffer(cell.hash()).endCell({ exotic: true });
}

export const appendBit = (builder: Builder) => builder.storeBit(0);
export const appendEmptyRef = (builder: Builder) => builder.storeRef(Cell.EMPTY);

/** Ways to malform a proof cell. */
export const malformedProofs: Record<string, (proof: Cell) => Cell> = {
  "empty": () => Cell.EMPTY,
  "a bit too short": (proof) => alterCell(proof, { bits: 767 }),
  "a bit too long": (proof) => alterCell(proof, { tail: appendBit }),
  "without its second cell": (proof) => alterCell(proof, { refs: [] }),
  "with a third cell": (proof) => alterCell(proof, { tail: appendEmptyRef }),
  "with a second cell a bit too short": (proof) =>
    alterCell(proof, { refs: [alterCell(proof.refs[0], { bits: 767 })] }),
  "with a second cell a bit too long": (proof) =>
    alterCell(proof, { refs: [alterCell(proof.refs[0], { tail: appendBit })] }),
  "with a reference in its second cell": (proof) =>
    alterCell(proof, { refs: [alterCell(proof.refs[0], { tail: appendEmptyRef })] }),
  "behind a library reference": libraryReference,
  "with its second cell behind a library reference": (proof) =>
    alterCell(proof, { refs: [libraryReference(proof.refs[0])] }),
};

/** Stores valid and invalid addresses in a message. */
export const storeStdAddress = (workchain = 0) => (builder: Builder) =>
  builder.storeUint(0b100, 3).storeInt(workchain, 8).storeUint(0x1234, 256);
export const storeNoAddress = (builder: Builder) => builder.storeUint(0, 2);
const external = (builder: Builder) => builder.storeUint(0b01, 2).storeUint(256, 9).storeUint(0x1234, 256);
const anycast = (builder: Builder) =>
  builder.storeUint(0b101, 3).storeUint(1, 5).storeBit(1).storeInt(0, 8).storeUint(0x1234, 256);
const variable = (builder: Builder) =>
  builder.storeUint(0b110, 3).storeUint(256, 9).storeInt(0, 32).storeUint(0x1234, 256);

/** Ways to malform the parties of a withdrawal. */
export const malformedParties: Record<string, (builder: Builder) => Builder> = {
  "empty": (builder) => builder,
  "no recipient": (builder) => storeStdAddress()(storeNoAddress(builder)),
  "nobody at all": (builder) => storeNoAddress(storeNoAddress(builder)),
  "an external address as the recipient": (builder) => storeStdAddress()(external(builder)),
  "an anycast recipient": (builder) => storeStdAddress()(anycast(builder)),
  "a recipient of variable length": (builder) => storeStdAddress()(variable(builder)),
  "no word of a relayer": storeStdAddress(),
  "an external address as the relayer": (builder) => external(storeStdAddress()(builder)),
  "an anycast relayer": (builder) => anycast(storeStdAddress()(builder)),
  "a relayer of variable length": (builder) => variable(storeStdAddress()(builder)),
  "half an external address as the relayer": (builder) => storeStdAddress()(builder).storeUint(0b01, 2),
  "a bit after the relayer": (builder) => storeStdAddress()(storeStdAddress()(builder)).storeBit(0),
  "a bit after no relayer": (builder) => storeNoAddress(storeStdAddress()(builder)).storeBit(0),
  "a cell after the relayer": (builder) => storeStdAddress()(storeStdAddress()(builder)).storeRef(Cell.EMPTY),
};

/** Returns malformed variants of a deposit, with the fault of each. */
export function malformedDeposits(body: Cell): [claim: string, body: Cell][] {
  return [
    ["the op alone", alterCell(body, { bits: 32, refs: [] })],
    ["a cut query_id", alterCell(body, { bits: HEADER_BITS - 1, refs: [] })],
    ["a cut leaf index", alterCell(body, { bits: FIXED_FIELD_BITS + 31 })],
    ["a bit too much", alterCell(body, { tail: appendBit })],
    ["no proof", alterCell(body, { refs: [] })],
    ["a second reference", alterCell(body, { tail: appendEmptyRef })],
    ...Object.entries(malformedProofs).map(([claim, spoil]): [string, Cell] => [
      `a proof ${claim}`,
      alterCell(body, { refs: [spoil(body.refs[0])] }),
    ]),
  ];
}

/** Returns malformed variants of a withdrawal, with the fault of each. */
export function malformedWithdrawals(body: Cell): [claim: string, body: Cell][] {
  const [paid, proof] = body.refs;
  return [
    ["the op alone", alterCell(body, { bits: 32, refs: [] })],
    ["a cut query_id", alterCell(body, { bits: HEADER_BITS - 1, refs: [] })],
    ["a cut nullifier hash", alterCell(body, { bits: FIXED_FIELD_BITS - 1 })],
    ["no refund", alterCell(body, { bits: body.bits.length - 4 })],
    ["a bit too much", alterCell(body, { tail: appendBit })],
    ["no references", alterCell(body, { refs: [] })],
    ["no proof", alterCell(body, { refs: [paid] })],
    ["parties and proof in the wrong order", alterCell(body, { refs: [proof, paid] })],
    ["a third reference", alterCell(body, { tail: appendEmptyRef })],
    ["parties behind a library reference", alterCell(body, { refs: [libraryReference(paid), proof] })],
    ...Object.entries(malformedProofs).map(([claim, spoil]): [string, Cell] => [
      `a proof ${claim}`,
      alterCell(body, { refs: [paid, spoil(proof)] }),
    ]),
    ...Object.entries(malformedParties).map(([claim, store]): [string, Cell] => [
      `as parties: ${claim}`,
      alterCell(body, { refs: [store(beginCell()).endCell(), proof] }),
    ]),
  ];
}

/** Makes every cell of a body available as a library, so that a missing library is not the reason of a rejection. */
export function offerLibraries(pool: PoolSandbox, body: Cell): void {
  const libraries = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  for (const cell of [...body.refs, ...body.refs.flatMap(({ refs }) => refs)]) {
    libraries.set(cell.hash(), cell);
  }
  pool.chain.libs = beginCell().storeDictDirect(libraries).endCell();
}
