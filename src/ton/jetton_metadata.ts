/**
 * The part of a jetton's metadata that lies on chain (TEP-64). What is kept elsewhere, behind a URL, is not fetched: a
 * denomination must not depend on a web server.
 */
import { beginCell, type Cell, Dictionary, type Slice } from "@ton/core";
import { sha256 } from "@noble/hashes/sha2.js";

/** Absent members are not on chain. */
export interface JettonMetadata {
  readonly symbol?: string;
  readonly decimals?: number;
}

const ON_CHAIN = 0x00;
const SNAKE = 0x00;
const LONGEST_TEXT = 256;

/** Reads the content cell of a master; what cannot be read counts as absent. */
export function parseMetadata(content: Cell): JettonMetadata {
  const symbol = readText(content, "symbol");
  const decimals = readText(content, "decimals");
  return {
    ...symbol ? { symbol } : {},
    ...decimals !== undefined && /^(0|[1-9][0-9]?)$/.test(decimals) ? { decimals: Number(decimals) } : {},
  };
}

/** Writes on-chain content. */
export function storeMetadata(members: Readonly<Record<string, string>>): Cell {
  const values = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  for (const [name, text] of Object.entries(members)) {
    values.set(keyOf(name), beginCell().storeUint(SNAKE, 8).storeStringTail(text).endCell());
  }
  return beginCell().storeUint(ON_CHAIN, 8).storeDict(values).endCell();
}

function readText(content: Cell, name: string): string | undefined {
  try {
    const slice = content.beginParse();
    if (slice.loadUint(8) !== ON_CHAIN) return undefined;
    const values = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
    const value: Slice | undefined = values.get(keyOf(name))?.beginParse();
    if (value?.loadUint(8) !== SNAKE) return undefined;
    const text = value.loadStringTail();
    return text.length <= LONGEST_TEXT ? text : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(name: string): Buffer {
  return Buffer.from(sha256(new TextEncoder().encode(name)));
}
