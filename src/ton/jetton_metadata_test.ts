import assert from "node:assert/strict";
import { beginCell, type Cell } from "@ton/core";
import { parseMetadata, storeMetadata } from "./jetton_metadata.ts";

const offChain = beginCell().storeUint(1, 8).storeStringTail("https://example.org/jetton.json").endCell();
const cases: [what: string, content: Cell, expected: object][] = [
  ["both", storeMetadata({ symbol: "JET", decimals: "6", name: "Jet" }), { symbol: "JET", decimals: 6 }],
  ["no decimals", storeMetadata({ symbol: "JET" }), { symbol: "JET" }],
  ["decimals of 0", storeMetadata({ decimals: "0" }), { decimals: 0 }],
  ["decimals that are none", storeMetadata({ decimals: "6.5", symbol: "" }), {}],
  ["decimals beyond reason", storeMetadata({ decimals: "255" }), {}],
  ["a symbol of many cells", storeMetadata({ symbol: "x".repeat(200) }), { symbol: "x".repeat(200) }],
  ["a symbol without end", storeMetadata({ symbol: "x".repeat(2000) }), {}],
  ["content behind a URL", offChain, {}],
  ["nothing", beginCell().endCell(), {}],
];
for (const [what, content, expected] of cases) {
  Deno.test(`a jetton's metadata on chain: ${what}`, () =>
    assert.deepEqual(parseMetadata(content), expected));
}
