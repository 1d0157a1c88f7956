import assert from "node:assert/strict";
import { readSnapshot } from "../../testkit/gas/snapshot.ts";
import { staleFiles } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import { tables } from "./report.ts";

Deno.test("docs/gas.md has the snapshot's tables", async () => {
  const { path, content } = await fillTables("docs/gas.md", tables(await readSnapshot()));
  assert.deepEqual(await staleFiles([{ path, content }]), []);
});
