/** On-chain jetton metadata (TEP-64). URLs are not fetched: no denomination may depend on a web server. */
import { beginCell, type Cell, Dictionary, type Slice } from "@ton/core";
import { sha256 } from "@noble/hashes/sha2.js";

export interface JettonMetadata {
  readonly symbol?: string;
  readonly decimals?: number;
}

const ON_CHAIN_FORMAT = 0x00;
const SNAKE_FORMAT = 0x00;
const MAX_TEXT_LENGTH = 256;

/** Parses a master's content cell. Unreadable members are absent. */
export function parseJettonMetadata(content: Cell): JettonMetadata {
  const symbol = readText(content, "symbol");
  const decimals = readText(content, "decimals");
  return {
    ...symbol ? { symbol } : {},
    ...decimals !== undefined && /^(0|[1-9][0-9]?)$/.test(decimals) ? { decimals: Number(decimals) } : {},
  };
}

export function storeJettonMetadata(members: Readonly<Record<string, string>>): Cell {
  const values = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  for (const [name, text] of Object.entries(members)) {
    values.set(metadataKey(name), beginCell().storeUint(SNAKE_FORMAT, 8).storeStringTail(text).endCell());
  }
  return beginCell().storeUint(ON_CHAIN_FORMAT, 8).storeDict(values).endCell();
}

function readText(content: Cell, name: string): string | undefined {
  try {
    const slice = content.beginParse();
    if (slice.loadUint(8) !== ON_CHAIN_FORMAT) return undefined;
    const values = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
    const value: Slice | undefined = values.get(metadataKey(name))?.beginParse();
    if (value?.loadUint(8) !== SNAKE_FORMAT) return undefined;
    const text = value.loadStringTail();
    return text.length <= MAX_TEXT_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}

function metadataKey(name: string): Buffer {
  return Buffer.from(sha256(new TextEncoder().encode(name)));
}
