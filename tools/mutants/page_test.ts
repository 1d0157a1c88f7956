/** The committed results of the contracts' mutation run are those of today's sources, and docs/mutation.md shows them. */
import assert from "node:assert/strict";
import { staleFiles } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import { mutationTables } from "./page.ts";
import { openTolkRun } from "./tolk/tolk_run.ts";

const { trials } = await openTolkRun();

Deno.test("every committed result is one of a mutant that today's contracts have", () => {
  const current = new Set(trials.current().map(({ key }) => key));
  const stale = [...trials.entries.keys()].filter((key) => !current.has(key));
  assert.deepEqual(stale, [], "run `deno task mutants --write`, which removes results of old sources");
});

Deno.test("docs/mutation.md shows the committed results of the contracts", async () => {
  const tables = mutationTables(trials.current(), [...trials.all.values()]);
  const stale = await staleFiles([await fillTables("docs/mutation.md", tables)]);
  assert.deepEqual(stale, [], "run `deno task mutants --write`");
});
