/** Creates the tables of docs/gas.md from a snapshot. */
import { formatUnits } from "../../src/core/protocol/units.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { chainPrices } from "../../testkit/chain/chain_prices.ts";
import type { PoolKind } from "../../testkit/gas/measured_pool.ts";
import { entryPoints } from "../../testkit/gas/entry_points.ts";
import { getters } from "../../testkit/gas/get_methods.ts";
import { fills } from "../../testkit/gas/fills.ts";
import { gasRatio, MAX_GAS_RATIO, ratioFills, targeted } from "../../testkit/gas/ratios.ts";
import { type GasSnapshot, TRACED_FILL } from "../../testkit/gas/snapshot.ts";
import type { GasFigures } from "../../testkit/gas/measure.ts";
import type { GasParts } from "../../testkit/gas/trace.ts";
import { type V2GetterFigures, v2GetterFills } from "../../testkit/gas/v2_get_methods.ts";
import { v2Targets, withShares } from "../../testkit/gas/v2_targets.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { runwayTable } from "./runway.ts";

const ACCOUNT_CELLS = 65_536;
const YEAR = 31_557_600n;

const prices = chainPrices(mainnetConfig());
const count = (n: number) => n.toLocaleString("en");
const percent = (part: number, whole: number) => `${(100 * part / whole).toFixed(1)}%`;
const native = (nano: bigint) => {
  const [whole, rest = ""] = formatUnits(nano).split(".");
  return `${whole}.${rest.padEnd(4, "0").slice(0, 4)}`;
};
const table = (head: readonly (string | number)[], rows: readonly (readonly (string | number)[])[]) =>
  markdownTable(head, rows, head.map((_, i) => i === 0 ? "---" : "--:"));
const names = fills.map(({ name }) => name);
const titles: Record<PoolKind, string> = { native: "native", jetton: "jetton" };

/** Gas of deposits and withdrawals relative to the verification that no contract can avoid. */
function ratioTable({ verification, gas, parts }: GasSnapshot): string[] {
  const rows = (Object.keys(parts) as PoolKind[]).flatMap((kind) =>
    Object.entries(parts[kind]).map(([name, { curve }]) => {
      const whole = gas[kind][TRACED_FILL].messages[name];
      const alone = verification[name.split(",")[0]];
      return [
        `${titles[kind]}: ${name}`,
        count(whole),
        count(alone),
        `${(whole / alone).toFixed(3)} x`,
        count(curve),
        `${(whole / curve).toFixed(3)} x`,
        native(prices.gas(BigInt(whole))),
      ];
    })
  );
  const head = [
    "message",
    "gas",
    "verification alone",
    "ratio",
    "curve's instructions",
    "ratio",
    "GRAM",
  ];
  return table(head, rows);
}

/** Ratios of the messages with a target, in bold where they miss it. */
function targetTable(snapshot: GasSnapshot): string[] {
  const shown = (times: number) => times < MAX_GAS_RATIO ? times.toFixed(3) : `**${times.toFixed(3)}**`;
  const rows = (Object.keys(snapshot.gas) as PoolKind[]).flatMap((kind) =>
    targeted.map((name) => [
      `${titles[kind]}: ${name}`,
      ...ratioFills.map((fill) => shown(gasRatio(snapshot, kind, name, fill))),
    ])
  );
  return table(["message", ...ratioFills], rows);
}

/** Gas of the parts of each message. */
function partsTable({ parts }: GasSnapshot): string[] {
  const columns = [
    "parse",
    "history",
    "set",
    "verify",
    "settle",
  ] as const satisfies readonly (keyof GasParts)[];
  const rows = (Object.keys(parts) as PoolKind[]).flatMap((kind) =>
    Object.entries(parts[kind]).map(([name, part]) => {
      const whole = columns.reduce((sum, column) => sum + part[column], 0);
      return [
        `${titles[kind]}: ${name}`,
        ...columns.map((column) => `${count(part[column])} (${percent(part[column], whole)})`),
      ];
    })
  );
  return table(["message", ...columns], rows);
}

/** Gas of every message or get method of one kind of pool at every fill. */
function gasTable({ gas }: GasSnapshot, kind: PoolKind, what: "messages" | "getters"): string[] {
  const known = new Set(names.flatMap((name) => Object.keys(gas[kind][name][what])));
  const listed = (what === "getters" ? getters : entryPoints).map(({ name }) => name);
  const rows = listed.filter((name) => known.has(name)).map((entry) => [
    what === "getters" ? `\`${entry}\`` : entry,
    ...names.map((name) => {
      const figure = gas[kind][name][what][entry];
      return figure === undefined ? "" : count(figure);
    }),
  ]);
  return table([what === "getters" ? "get method" : "message", ...names], rows);
}

/** Cells, bits and storage fees of pools of each size. */
function sizeTable({ size }: GasSnapshot): string[] {
  const rows = (Object.keys(size) as PoolKind[]).flatMap((kind) =>
    names.map((name) => {
      const { cells, bits } = size[kind][name];
      const year = prices.storage({ cells: BigInt(cells), bits: BigInt(bits), seconds: YEAR });
      return [
        `${titles[kind]}: ${name}`,
        count(cells),
        percent(cells, ACCOUNT_CELLS),
        count(bits),
        native(year),
      ];
    })
  );
  const head = ["pool", "cells", `of ${count(ACCOUNT_CELLS)}`, "bits", "storage, GRAM a year"];
  return table(head, rows);
}

/** Gas that each rule which protects money adds to a message. */
function rulesTable({ rules, gas }: GasSnapshot): string[] {
  const rows = Object.entries(rules).map(([name, added]) => {
    const [kind, message, what] = name.split(": ");
    const whole = gas[kind as PoolKind][TRACED_FILL].messages[message];
    return [kind, message, what, count(added), percent(added, whole)];
  });
  const head = ["pool", "message", "rule", "gas", "of the message"];
  return markdownTable(head, rows, ["---", "---", "---", "--:", "--:"]);
}

/** Gas of a version 2 pool's messages, with the targets; a figure that misses its target is in bold. */
function version2Table(figures: GasFigures): string[] {
  const rows = Object.entries(withShares(figures)).map(([name, gas]) => {
    const target = v2Targets[name];
    const shown = target !== undefined && gas > target ? `**${count(gas)}**` : count(gas);
    return [name, shown, target === undefined ? "" : count(target), native(prices.gas(BigInt(gas)))];
  });
  return table(["message", "gas", "target", "GRAM"], rows);
}

/** Gas of the get methods of a version 2 pool in every measured state. */
function version2GetterTable(figures: V2GetterFigures): string[] {
  const rows = [...new Set(v2GetterFills.flatMap((fill) => Object.keys(figures[fill])))].map((name) => [
    `\`${name}\``,
    ...v2GetterFills.map((fill) => name in figures[fill] ? count(figures[fill][name]) : ""),
  ]);
  return table(["get method", ...v2GetterFills], rows);
}

/** Returns all tables of the page, by mark. */
export function tables(snapshot: GasSnapshot): Record<string, string[]> {
  return {
    ratios: ratioTable(snapshot),
    target: targetTable(snapshot),
    parts: partsTable(snapshot),
    "native-messages": gasTable(snapshot, "native", "messages"),
    "jetton-messages": gasTable(snapshot, "jetton", "messages"),
    "native-getters": gasTable(snapshot, "native", "getters"),
    "jetton-getters": gasTable(snapshot, "jetton", "getters"),
    rules: rulesTable(snapshot),
    size: sizeTable(snapshot),
    runway: runwayTable(prices),
    version2: version2Table(snapshot.version2),
    "version2-jetton": version2Table(snapshot.version2Jetton),
    "version2-getters": version2GetterTable(snapshot.version2Getters.native),
    "version2-jetton-getters": version2GetterTable(snapshot.version2Getters.jetton),
  };
}
