/** The tables of docs/gas.md, from a snapshot. */
import { formatUnits } from "../../src/core/units.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_prices.ts";
import { chainPrices } from "../../tests/support/chain_prices.ts";
import type { Kind } from "./bench.ts";
import { entryPoints, getters } from "./entry_points.ts";
import { fills } from "./fills.ts";
import { DISSECTED_FILL, type Snapshot } from "./snapshot.ts";
import type { Parts } from "./trace.ts";

const ACCOUNT_CELLS = 65_536;
/** What a lite server gives a get method. */
export const GETTER_LIMIT = 300_000;
const YEAR = 31_557_600n;

const prices = chainPrices(mainnetConfig());
const count = (n: number) => n.toLocaleString("en");
const percent = (part: number, whole: number) => `${(100 * part / whole).toFixed(1)}%`;
const native = (nano: bigint) => {
  const [whole, rest = ""] = formatUnits(nano).split(".");
  return `${whole}.${rest.padEnd(4, "0").slice(0, 4)}`;
};
const row = (...cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
const rule = (columns: number) => row("---", ...Array(columns - 1).fill("--:"));
const names = fills.map(({ name }) => name);
const titles: Record<Kind, string> = { native: "native", jetton: "jetton" };

/** Deposits and withdrawals beside what no contract can do without. */
function ratioTable({ verification, gas, parts }: Snapshot): string[] {
  const rows = (Object.keys(parts) as Kind[]).flatMap((kind) =>
    Object.entries(parts[kind]).map(([name, { curve }]) => {
      const whole = gas[kind][DISSECTED_FILL].messages[name];
      const alone = verification[name.split(",")[0]];
      return row(
        `${titles[kind]}: ${name}`,
        count(whole),
        count(alone),
        `${(whole / alone).toFixed(3)} x`,
        count(curve),
        `${(whole / curve).toFixed(3)} x`,
        native(prices.gas(BigInt(whole))),
      );
    })
  );
  const head = [
    "message",
    "gas",
    "verification alone",
    "ratio",
    "curve's instructions",
    "ratio",
    "native units",
  ];
  return [row(...head), rule(head.length), ...rows];
}

/** How many times the gas of its verification a message takes at most: a target, which not every one meets. */
export const TARGET = 1.2;
/** Fills that have notes to withdraw, and messages that are measured against the target. */
export const ratioFills = names.filter((name) => fills.find((fill) => fill.name === name)!.deposits > 0);
export const targeted = ["deposit", "withdraw, newest root"] as const;

/** A message beside its verification alone. */
export function ratio({ gas, verification }: Snapshot, kind: Kind, name: string, fill: string): number {
  return gas[kind][fill].messages[name] / verification[name.split(",")[0]];
}

/** Where the target is met and where it is not, in bold. */
function targetTable(snapshot: Snapshot): string[] {
  const shown = (times: number) => times < TARGET ? times.toFixed(3) : `**${times.toFixed(3)}**`;
  const rows = (Object.keys(snapshot.gas) as Kind[]).flatMap((kind) =>
    targeted.map((name) =>
      row(`${titles[kind]}: ${name}`, ...ratioFills.map((fill) => shown(ratio(snapshot, kind, name, fill))))
    )
  );
  return [row("message", ...ratioFills), rule(ratioFills.length + 1), ...rows];
}

/** Where the gas goes. */
function partsTable({ parts }: Snapshot): string[] {
  const columns = ["parse", "history", "set", "verify", "settle"] as const satisfies readonly (keyof Parts)[];
  const rows = (Object.keys(parts) as Kind[]).flatMap((kind) =>
    Object.entries(parts[kind]).map(([name, part]) => {
      const whole = columns.reduce((sum, column) => sum + part[column], 0);
      return row(
        `${titles[kind]}: ${name}`,
        ...columns.map((column) => `${count(part[column])} (${percent(part[column], whole)})`),
      );
    })
  );
  return [row("message", ...columns), rule(columns.length + 1), ...rows];
}

/** Gas of every message, or get method, of one kind of pool at every fill. */
function gasTable({ gas }: Snapshot, kind: Kind, what: "messages" | "getters"): string[] {
  const known = new Set(names.flatMap((name) => Object.keys(gas[kind][name][what])));
  const listed = (what === "getters" ? getters : entryPoints).map(({ name }) => name);
  const rows = listed.filter((name) => known.has(name)).map((entry) =>
    row(
      what === "getters" ? `\`${entry}\`` : entry,
      ...names.map((name) => {
        const figure = gas[kind][name][what][entry];
        return figure === undefined ? "" : count(figure);
      }),
    )
  );
  return [row(what === "getters" ? "get method" : "message", ...names), rule(names.length + 1), ...rows];
}

/** What pools of each size are to the chain. */
function sizeTable({ size }: Snapshot): string[] {
  const rows = (Object.keys(size) as Kind[]).flatMap((kind) =>
    names.map((name) => {
      const { cells, bits } = size[kind][name];
      const year = prices.storage({ cells: BigInt(cells), bits: BigInt(bits), seconds: YEAR });
      return row(
        `${titles[kind]}: ${name}`,
        count(cells),
        percent(cells, ACCOUNT_CELLS),
        count(bits),
        native(year),
      );
    })
  );
  const head = ["pool", "cells", `of ${count(ACCOUNT_CELLS)}`, "bits", "storage, native units a year"];
  return [row(...head), rule(head.length), ...rows];
}

/** Every table of the page, by its mark. */
export function tables(snapshot: Snapshot): Record<string, string[]> {
  return {
    ratios: ratioTable(snapshot),
    target: targetTable(snapshot),
    parts: partsTable(snapshot),
    "native-messages": gasTable(snapshot, "native", "messages"),
    "jetton-messages": gasTable(snapshot, "jetton", "messages"),
    "native-getters": gasTable(snapshot, "native", "getters"),
    "jetton-getters": gasTable(snapshot, "jetton", "getters"),
    size: sizeTable(snapshot),
  };
}
