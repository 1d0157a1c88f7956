import assert from "node:assert/strict";
import { beginCell, type Cell } from "@ton/core";
import { parseJettonMetadata, storeJettonMetadata } from "./jetton_metadata.ts";

const offChain = beginCell().storeUint(1, 8).storeStringTail("https://example.org/jetton.json").endCell();
const cases: [what: string, content: Cell, expected: object][] = [
  ["both", storeJettonMetadata({ symbol: "JET", decimals: "6", name: "Jet" }), {
    symbol: "JET",
    decimals: 6,
  }],
  ["no decimals", storeJettonMetadata({ symbol: "JET" }), { symbol: "JET" }],
  ["decimals of 0", storeJettonMetadata({ decimals: "0" }), { decimals: 0 }],
  ["decimals that are none", storeJettonMetadata({ decimals: "6.5", symbol: "" }), {}],
  ["decimals beyond reason", storeJettonMetadata({ decimals: "255" }), {}],
  ["a symbol of many cells", storeJettonMetadata({ symbol: "x".repeat(200) }), { symbol: "x".repeat(200) }],
  ["a symbol without end", storeJettonMetadata({ symbol: "x".repeat(2000) }), {}],
  ["content behind a URL", offChain, {}],
  ["nothing", beginCell().endCell(), {}],
];
for (const [what, content, expected] of cases) {
  Deno.test(`a jetton's metadata on chain: ${what}`, () =>
    assert.deepEqual(parseJettonMetadata(content), expected));
}
