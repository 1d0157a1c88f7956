/** The JSON of toncenter's API v2: `["num", "0x2a"]`, and `tvm.stackEntry...` objects inside tuples. */
import { Cell, type TupleItem } from "@ton/core";

const INTEGER_BOUND = 2n ** 256n; // integers have 257 bits with their sign
/** Longer stacks overflow the JavaScript stack when cells are made of them. */
const MAX_STACK_LENGTH = 1_000;
const MAX_TUPLE_DEPTH = 16; // get methods of pools nest two levels

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

export function serializeArguments(items: readonly TupleItem[]): unknown[] {
  return items.map((item) => {
    if (item.type === "int") return ["num", item.value.toString()];
    if (item.type === "cell" || item.type === "slice") {
      return [item.type === "cell" ? "tvm.Cell" : "tvm.Slice", item.cell.toBoc().toString("base64")];
    }
    throw new TypeError(`a ${item.type} is not supported as an argument`);
  });
}

export function parseStack(json: unknown): TupleItem[] {
  if (!Array.isArray(json)) throw new Error("stack is not an array");
  if (json.length > MAX_STACK_LENGTH) throw new Error(`stack is longer than ${MAX_STACK_LENGTH}`);
  return json.map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) throw new Error("stack entry is not a pair");
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
        throw new Error("unknown stack entry type");
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
      throw new Error("unknown tuple entry type");
  }
}

/** An empty list is TVM's null. Older servers report Lisp lists this way, which are read as tuples. */
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
    throw new Error("number is not an integer string");
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
