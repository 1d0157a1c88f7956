/**
 * Reads cells by the constructors of a TL-B file, as far as `contracts/v1/types.tlb` uses TL-B. It is strict: it
 * only accepts cells that the file describes.
 */
import type { Cell, Slice } from "@ton/core";

/** A constructor: `name#tag field:type ... = Type;`. */
export interface Constructor {
  readonly name: string;
  /** undefined for `$_` */
  readonly tag: number | undefined;
  readonly fields: readonly (readonly [name: string, type: string])[];
  readonly type: string;
  /** The declaration without tag, semicolon, parentheses and line breaks. */
  readonly untagged: string;
}

const STATEMENT = /^(\w+)(#[0-9a-f]{8}|\$_)((?: [^=]+)?) = (\w+)$/;

/** Returns all constructors of a file. */
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

/** The fields of a cell. References whose type the file declares are nested records. */
export type TlbRecord = { [field: string]: bigint | string | boolean | Cell | TlbRecord };

/**
 * Reads a cell to its last bit and reference.
 *
 * @throws Error if the tag differs, or if bits or references are missing or left over
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
  if (type.startsWith("(HashmapE ")) return slice.loadMaybeRef() ?? "empty";
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
