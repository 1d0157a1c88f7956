/**
 * Checks the contents of docs/reliability.md. The task writes no page that fails, and a test checks the committed
 * page.
 */
import { killPoints } from "../../testkit/chaos/kill_points.ts";
import { faultKinds } from "../../testkit/servers/endpoint_faults.ts";

/** The generated blocks, by mark. */
export const blocks = ["run", "settlers", "takeovers", "campaigns", "faults", "steps", "deaths"] as const;

/** Rows in which every figure must be 0. */
const ROWS_ALL_ZERO = ["Paid twice", "Accepted and lost", "5xx responses other than 503 with Retry-After"];
/** Rows in which no figure may be 0. */
const ROWS_ALL_POSITIVE = [
  "Deposits",
  "Withdrawals paid",
  "Processes killed with SIGKILL",
  "Faults of the endpoint and the network",
];
/** The page may keep figures of an earlier version of the task if it says so. */
const EARLIER_VERSION_NOTE = "by an earlier version of the task";

/** Returns what the page lacks. */
export function missingContent(text: string): string[] {
  const found = new Map(blocks.map((mark) => [mark, blockOf(text, mark)]));
  const empty = blocks.filter((mark) => !found.get(mark)).map((mark) => `nothing stands in ${mark}`);
  const run = found.get("run") ?? "";
  const campaigns = rowsOf(found.get("campaigns") ?? "");
  const wrong = [
    ...empty,
    ...(/\d+ minutes\s.*\sseed\s+\d+/s.test(run) ? [] : ["the run has no length or no seed"]),
    ...ROWS_ALL_ZERO.filter((row) => !campaigns.get(row)?.every((figure) => figure === 0)).map((row) =>
      `${row}: not 0 all along`
    ),
    ...ROWS_ALL_POSITIVE.filter((row) => !isAll(campaigns.get(row))).map((row) =>
      `${row}: nothing, or 0 somewhere`
    ),
  ];
  if (run.replaceAll(/\s+/g, " ").includes(EARLIER_VERSION_NOTE)) return wrong;
  const met = rowsOf(found.get("faults") ?? "");
  const held = rowsOf(found.get("steps") ?? "");
  return [
    ...wrong,
    ...Object.keys(faultKinds).filter((kind) => !isAll(met.get(kind))).map((kind) => `not met: ${kind}`),
    ...Object.keys(killPoints).filter((step) => !held.get(step)?.some((figure) => figure > 0)).map((step) =>
      `nobody died ${step}`
    ),
    ...[...met.keys()].filter((kind) => !(kind in faultKinds)).map((kind) => `no such fault: ${kind}`),
  ];
}

function isAll(figures: readonly number[] | undefined): boolean {
  return figures !== undefined && figures.length > 0 && figures.every((figure) => figure > 0);
}

/** Returns the text between two marks, or nothing for a table without rows. */
function blockOf(text: string, mark: string): string {
  const block = text.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0]?.trim() ?? "";
  return block.startsWith("|") && rowsOf(block).size === 0 ? "" : block;
}

/** Returns the figures of a table's rows by their first cell. */
function rowsOf(table: string): Map<string, number[]> {
  const rows = table.split("\n").filter((line) => line.startsWith("|")).slice(2);
  return new Map(rows.map((row) => {
    const [, name, ...cells] = row.split("|").map((cell) => cell.trim());
    return [name, cells.filter((cell) => /^\d+$/.test(cell)).map(Number)];
  }));
}
