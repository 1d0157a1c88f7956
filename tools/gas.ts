/**
 * Measures what every message and get method of both pools costs, from an empty pool to a full one, under mainnet's
 * prices: writes the snapshot that the tests compare with, and the tables of docs/gas.md.
 *
 * Usage: deno task gas [--check]     (`--check` fails when a figure differs from what is committed)
 */
import { tables } from "./gas/report.ts";
import { SNAPSHOT_PATH, takeSnapshot } from "./gas/snapshot.ts";
import { readArguments } from "./flags.ts";
import { writeGenerated } from "./generated_files.ts";
import { page } from "./generated_page.ts";

const check = readArguments(["--check"]).has("--check");
const snapshot = await takeSnapshot();
await writeGenerated("gas", [
  { path: SNAPSHOT_PATH, content: JSON.stringify(snapshot, null, 2) + "\n" },
  await page("docs/gas.md", tables(snapshot)),
], check);
