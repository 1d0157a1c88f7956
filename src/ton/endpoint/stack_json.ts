/**
 * TVM stack values as toncenter's API v2 writes them: `["num", "0x2a"]` at the top, `tvm.stackEntry...` objects inside
 * tuples. Both directions, so that what asks and what answers cannot drift apart. Reading is strict; it throws plain
 * errors, which callers turn into problems of their own.
 */
import { Cell, type TupleItem } from "@ton/core";

/** The TVM's integers have 257 bits with their sign. */
const INTEGER_BOUND = 2n ** 256n;
/** Longer ones overflow the JavaScript stack where cells are made of them; get methods take a few. */
const MAX_STACK_LENGTH = 1_000;
/** Nested tuples deeper than this are refused: no get method of ours has more than two levels. */
const MAX_TUPLE_DEPTH = 16;

/** Writes a stack as an answer of runGetMethod. */
export function serializeStack(items: readonly TupleItem[]): unknown[] {
  return items.map((item) => {
    switch (item.type) {
      case "int":
        return ["num", hexInteger(item.value)];
      case "null":
        return ["list", { "@type": "tvm.list", elements: [] }];
      case "nan":
        return ["num", "NaN"];
      case "tuple":
        return ["tuple", { "@type": "tvm.tuple", elements: item.items.map(serializeEntry) }];
      default: // toncenter writes slices and builders as cells, too
        return ["cell", { bytes: item.cell.toBoc().toString("base64") }];
    }
  });
}

/** Writes arguments as runGetMethod takes them. @throws {TypeError} for what it cannot take. */
export function serializeArguments(items: readonly TupleItem[]): unknown[] {
  return items.map((item) => {
    if (item.type === "int") return ["num", item.value.toString()];
    if (item.type === "cell" || item.type === "slice") {
      return [item.type === "cell" ? "tvm.Cell" : "tvm.Slice", item.cell.toBoc().toString("base64")];
    }
    throw new TypeError(`a ${item.type} is no argument of a get method here`);
  });
}

/** Reads a stack: an answer of runGetMethod, or its arguments. @throws {Error} when it is ill-formed */
export function parseStack(json: unknown): TupleItem[] {
  if (!Array.isArray(json)) throw new Error("stack is no array");
  if (json.length > MAX_STACK_LENGTH) throw new Error(`stack is longer than ${MAX_STACK_LENGTH}`);
  return json.map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) throw new Error("stack entry is no pair");
    const [type, value] = entry as [unknown, unknown];
    switch (type) {
      case "num":
        return parseInteger(value);
      case "null":
        return { type: "null" };
      case "cell":
      case "tvm.Cell":
        return { type: "cell", cell: parseCell(value) };
      case "slice":
      case "tvm.Slice":
        return { type: "slice", cell: parseCell(value) };
      case "builder":
      case "tvm.Builder":
        return { type: "builder", cell: parseCell(value) };
      case "tuple":
      case "list":
      case "tvm.Tuple":
        return parseElements(value, type === "list", 0);
      default:
        throw new Error("unknown type of stack entry");
    }
  });
}

function serializeEntry(item: TupleItem): unknown {
  switch (item.type) {
    case "int":
      return {
        "@type": "tvm.stackEntryNumber",
        number: { "@type": "tvm.numberDecimal", number: item.value.toString() },
      };
    case "null":
      return { "@type": "tvm.stackEntryList", list: { "@type": "tvm.list", elements: [] } };
    case "nan":
      return { "@type": "tvm.stackEntryNumber", number: { "@type": "tvm.numberDecimal", number: "NaN" } };
    case "tuple":
      return {
        "@type": "tvm.stackEntryTuple",
        tuple: { "@type": "tvm.tuple", elements: item.items.map(serializeEntry) },
      };
    default:
      return {
        "@type": "tvm.stackEntryCell",
        cell: { "@type": "tvm.cell", bytes: item.cell.toBoc().toString("base64") },
      };
  }
}

function parseEntry(json: unknown, depth: number): TupleItem {
  const entry = asRecord(json);
  switch (entry["@type"]) {
    case "tvm.stackEntryNumber":
      return parseInteger(asRecord(entry.number).number);
    case "tvm.stackEntryCell":
      return { type: "cell", cell: parseCell(entry.cell) };
    case "tvm.stackEntrySlice":
      return { type: "slice", cell: parseCell(entry.slice) };
    case "tvm.stackEntryTuple":
      return parseElements(entry.tuple, false, depth + 1);
    case "tvm.stackEntryList":
      return parseElements(entry.list, true, depth + 1);
    default:
      throw new Error("unknown type of tuple entry");
  }
}

/** An empty list is TVM's null; a list of some is what older servers make of a Lisp list, read as a tuple. */
function parseElements(json: unknown, isList: boolean, depth: number): TupleItem {
  const { elements } = asRecord(json);
  if (!Array.isArray(elements)) throw new Error("tuple has no elements");
  if (depth > MAX_TUPLE_DEPTH) throw new Error("tuple is nested too deep");
  if (isList && elements.length === 0) return { type: "null" };
  return { type: "tuple", items: elements.map((element) => parseEntry(element, depth)) };
}

function parseInteger(value: unknown): TupleItem {
  const match = typeof value === "string" ? /^(-?)(0x[0-9a-fA-F]{1,65}|[0-9]{1,78})$/.exec(value) : null;
  if (!match) {
    if (value === "NaN") return { type: "nan" };
    throw new Error("number is no integer string");
  }
  const magnitude = BigInt(match[2]);
  const integer = match[1] === "-" ? -magnitude : magnitude;
  if (integer < -INTEGER_BOUND || integer >= INTEGER_BOUND) throw new Error("number has more than 257 bits");
  return { type: "int", value: integer };
}

function parseCell(value: unknown): Cell {
  const bytes = typeof value === "string" ? value : asRecord(value).bytes;
  if (typeof bytes !== "string") throw new Error("cell has no bytes");
  return Cell.fromBase64(bytes);
}

function hexInteger(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

function asRecord(json: unknown): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("not an object");
  return json as Record<string, unknown>;
}
