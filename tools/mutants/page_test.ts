/** The committed results of the mutation runs are those of today's sources, and docs/mutation.md shows them. */
import assert from "node:assert/strict";
import { staleFiles } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import { mutationTables } from "./page.ts";
import type { MutationRun } from "./run.ts";
import { openTolkRun } from "./tolk/tolk_run.ts";
import { typeScriptTables } from "./typescript/page.ts";
import { openTypeScriptRun } from "./typescript/typescript_run.ts";

const { trials } = await openTolkRun();
const typeScriptTrials = await openTypeScriptRun();

function staleKeys(run: MutationRun): string[] {
  const current = new Set(run.current().map(({ key }) => key));
  return [...run.entries.keys()].filter((key) => !current.has(key));
}

Deno.test("every committed result is one of a mutant that today's contracts have", () => {
  assert.deepEqual(
    staleKeys(trials),
    [],
    "run `deno task mutants --write`, which removes results of old sources",
  );
});

Deno.test("every committed result of TypeScript is one of a mutant that src/ has today", () => {
  assert.deepEqual(
    staleKeys(typeScriptTrials),
    [],
    "run `deno task mutants --typescript --write`, which removes results of old sources",
  );
});

Deno.test("docs/mutation.md shows the committed results of the contracts", async () => {
  const tables = mutationTables(trials.current(), [...trials.all.values()]);
  const stale = await staleFiles([await fillTables("docs/mutation.md", tables)]);
  assert.deepEqual(stale, [], "run `deno task mutants --write`");
});

// The table of scores also counts the mutants that were not tried, which every change of src/ changes.
Deno.test("docs/mutation.md shows the committed survivors of TypeScript", async () => {
  const { "typescript-survivors": survivors } = typeScriptTables(typeScriptTrials.current(), [], "");
  const stale = await staleFiles([
    await fillTables("docs/mutation.md", { "typescript-survivors": survivors }),
  ]);
  assert.deepEqual(stale, [], "run `deno task mutants --typescript --write`");
});
