/**
 * Measures every message and get method of both pools, from an empty to a full pool, at mainnet's prices. Writes the
 * snapshot that the tests compare with, and the tables of docs/gas.md.
 *
 * Usage: deno task gas [--check]     (`--check` fails when a figure differs from what is committed)
 */
import { tables } from "./report.ts";
import { SNAPSHOT_PATH, takeSnapshot } from "../../testkit/gas/snapshot.ts";
import { readArguments } from "../shared/arguments.ts";
import { writeGenerated } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";

const check = readArguments(["--check"]).has("--check");
const snapshot = await takeSnapshot();
await writeGenerated("gas", [
  { path: SNAPSHOT_PATH, content: JSON.stringify(snapshot, null, 2) + "\n" },
  await fillTables("docs/gas.md", tables(snapshot)),
], check);
