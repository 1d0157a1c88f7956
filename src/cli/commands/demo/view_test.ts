import { deepEqual } from "node:assert/strict";
import type { CliContext } from "../../context.ts";
import type { DemoEvent } from "./events.ts";
import { textPrinter } from "./view.ts";

/** Returns the lines that a demo prints to a file, without the indented facts. */
function titlesOf(events: readonly DemoEvent[]): string[] {
  let text = "";
  const stdout = { isTerminal: false, columns: 80, write: (part: string) => void (text += part) };
  const show = textPrinter({ stdout, env: {} } as unknown as CliContext);
  for (const event of events) show(event);
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("  "));
}

const started = {
  event: "started",
  indexer: "http://127.0.0.1:1",
  pool: "EQpool",
  decimals: 9,
  denomination: 10n,
  keys: "insecure",
} as const;
const root = "0x1234567890abcdef";
const finished = { event: "finished", milliseconds: 1500 } as const;
const done = "Done in 1.5 s. Every step ran on the local network above.";

Deno.test("the demo with a relayer names its steps: deposits, one relayed withdrawal, balances, double spends", () => {
  deepEqual(
    titlesOf([
      { ...started, asset: "native", relayer: "http://127.0.0.1:2" },
      { event: "deposited", leafIndex: 0, commitment: root, tx: root, milliseconds: 1 },
      { event: "tree_rebuilt", leaves: 3, root, knownToPool: true },
      { event: "balances", accounts: [] },
      finished,
    ]),
    [
      "A local network, a pool and a relayer",
      "Three deposits",
      "One withdrawal, to a fresh address, through the relayer",
      "Balances, to the nano",
      "Double-spend attempts with the same note",
      done,
    ],
  );
});

Deno.test("the demo of version 2 names its steps: deposits by transfer, a settlement, two withdrawals in one message", () => {
  deepEqual(
    titlesOf([
      { ...started, asset: "jet" },
      { event: "settled", leaves: 3, root, tx: root, cost: 5n, milliseconds: 1 },
      { event: "balances", accounts: [] },
      finished,
    ]),
    [
      "A local network and a version 2 pool",
      "Three deposits, each a plain transfer without a proof",
      "One settlement, by anyone, puts them into the tree",
      "Two withdrawals in one message, to a fresh address",
      "Balances, to the smallest unit",
      "Double-spend attempts with the same note",
      done,
    ],
  );
});
