/**
 * Reads cells by the constructors of a TL-B file: as much of TL-B as `contracts/types.tlb` uses. What the file says is
 * taken at its word, so a cell that parses is one that the file describes.
 */
import type { Cell, Slice } from "@ton/core";

/** A constructor: `name#tag field:type ... = Type;`. */
export interface Constructor {
  readonly name: string;
  /** undefined for `$_`. */
  readonly tag: number | undefined;
  readonly fields: readonly (readonly [name: string, type: string])[];
  readonly type: string;
  /** The line without its tag, semicolon, parentheses and breaks. */
  readonly untagged: string;
}

const STATEMENT = /^(\w+)(#[0-9a-f]{8}|\$_)((?: [^=]+)?) = (\w+)$/;

/** All constructors of a file. */
export function parseTlb(source: string): Constructor[] {
  const statements = source.replace(/\/\/.*$/gm, "").split(";").map((text) =>
    text.trim().replace(/\s+/g, " ")
  );
  return statements.filter((text) => text !== "").map((text) => {
    const match = STATEMENT.exec(text);
    if (!match) throw new Error(`no TL-B that is understood here: ${text}`);
    const [, name, tag, body, type] = match;
    return {
      name,
      tag: tag === "$_" ? undefined : parseInt(tag.slice(1), 16),
      fields: parseFields(body.trim()),
      type,
      untagged: text.replace(tag, "").replaceAll(/[()]/g, ""),
    };
  });
}

function parseFields(body: string): [string, string][] {
  const fields = [...body.matchAll(/(\w+):(\^\[ [^\]]+ \]|\([^)]+\)|\S+)/g)];
  return fields.map(([, name, type]) => [name, type]);
}

/** Values of a cell by field; nested records for references whose type the file has. */
export type TlbRecord = { [field: string]: bigint | string | boolean | Cell | TlbRecord };

/**
 * Reads a cell to its last bit and reference.
 *
 * @throws Error when it has another tag, or more or less in it
 */
export function readTlb(all: readonly Constructor[], { tag, fields }: Constructor, cell: Cell): TlbRecord {
  const slice = cell.beginParse();
  if (tag !== undefined && slice.loadUint(32) !== tag) throw new Error("another tag");
  const record: TlbRecord = {};
  for (const [name, type] of fields) record[name] = readField(all, type, slice);
  slice.endParse();
  return record;
}

function readField(all: readonly Constructor[], type: string, slice: Slice): TlbRecord[string] {
  const number = /^(uint|bits)(\d+)$/.exec(type);
  if (number) return slice.loadUintBig(Number(number[2]));
  if (type === "Coins") return slice.loadCoins();
  if (type === "(VarUInteger 16)") return slice.loadCoins();
  if (type === "(Maybe ^Cell)" || type === "(Maybe ^MsgAddress)") return slice.loadMaybeRef() ?? "nothing";
  if (type === "(Either Cell ^Cell)") return slice.loadBit() ? slice.loadRef() : restOf(slice);
  if (type === "Bool") return slice.loadBit();
  if (type === "MsgAddressInt") return slice.loadAddress().toRawString();
  if (type === "MsgAddress") return slice.loadMaybeAddress()?.toRawString() ?? "none";
  if (type.startsWith("^[")) {
    const fields = parseFields(type.slice(3, -2));
    return readTlb(all, { name: "", tag: undefined, fields, type, untagged: "" }, slice.loadRef());
  }
  if (!type.startsWith("^")) throw new Error(`no type that is understood here: ${type}`);
  const cell = slice.loadRef();
  const known = all.find((each) => each.type === type.slice(1));
  return known ? readTlb(all, known, cell) : cell;
}

function restOf(slice: Slice): Cell {
  const rest = slice.asCell();
  slice.skip(slice.remainingBits);
  while (slice.remainingRefs > 0) slice.loadRef();
  return rest;
}
