/** What docs/reliability.md must show. The task writes no page that lacks any of it, and a test reads the committed one. */
import { steps } from "../tests/reliability/chaos/journal_steps.ts";
import { faultKinds } from "../tests/support/faults.ts";

/** The generated blocks, by their marks. */
export const blocks = ["run", "takeovers", "campaigns", "faults", "steps", "deaths"] as const;

/** Rows whose every figure must be 0. */
const NOTHING = ["Paid twice", "Taken on and lost", "Answers of 5xx, other than 503 with Retry-After"];
/** Rows of which no figure may be 0. */
const SOMETHING = [
  "Deposits",
  "Withdrawals paid",
  "Processes killed with SIGKILL",
  "Faults of the endpoint and the network",
];
/** A page may keep figures of a task that showed less, as long as it says so where it tells of the run. */
const OF_BEFORE = "by an earlier version of the task";

/** What is wrong with the page; nothing when it shows all that it must. */
export function lacking(text: string): string[] {
  const found = new Map(blocks.map((mark) => [mark, blockOf(text, mark)]));
  const empty = blocks.filter((mark) => !found.get(mark)).map((mark) => `nothing stands in ${mark}`);
  const run = found.get("run") ?? "";
  const campaigns = rowsOf(found.get("campaigns") ?? "");
  const wrong = [
    ...empty,
    ...(/\d+ minutes\s.*\sseed\s+\d+/s.test(run) ? [] : ["the run has no length or no seed"]),
    ...NOTHING.filter((row) => !campaigns.get(row)?.every((figure) => figure === 0)).map((row) =>
      `${row}: not 0 all along`
    ),
    ...SOMETHING.filter((row) => !isAll(campaigns.get(row))).map((row) => `${row}: nothing, or 0 somewhere`),
  ];
  if (run.replaceAll(/\s+/g, " ").includes(OF_BEFORE)) return wrong;
  const met = rowsOf(found.get("faults") ?? "");
  const held = rowsOf(found.get("steps") ?? "");
  return [
    ...wrong,
    ...Object.keys(faultKinds).filter((kind) => !isAll(met.get(kind))).map((kind) => `not met: ${kind}`),
    ...Object.keys(steps).filter((step) => !held.get(step)?.some((figure) => figure > 0)).map((step) =>
      `nobody died ${step}`
    ),
    ...[...met.keys()].filter((kind) => !(kind in faultKinds)).map((kind) => `no such fault: ${kind}`),
  ];
}

function isAll(figures: readonly number[] | undefined): boolean {
  return figures !== undefined && figures.length > 0 && figures.every((figure) => figure > 0);
}

/** What stands between the two marks; of a table nothing but its head is nothing. */
function blockOf(text: string, mark: string): string {
  const block = text.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0]?.trim() ?? "";
  return block.startsWith("|") && rowsOf(block).size === 0 ? "" : block;
}

/** The rows of a table by their first cell, with the figures of the others. */
function rowsOf(table: string): Map<string, number[]> {
  const rows = table.split("\n").filter((line) => line.startsWith("|")).slice(2);
  return new Map(rows.map((row) => {
    const [, name, ...cells] = row.split("|").map((cell) => cell.trim());
    return [name, cells.filter((cell) => /^\d+$/.test(cell)).map(Number)];
  }));
}
