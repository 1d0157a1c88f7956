/** docs/mutation.md has the figures of a full run, and each explained survivor is a mutant of today's contracts. */
import assert from "node:assert/strict";
import { equivalentMutants } from "./equivalent_mutants.ts";
import { mutationTables } from "./page.ts";
import { MutationRun } from "./run.ts";

const page = await Deno.readTextFile(new URL("../../docs/mutation.md", import.meta.url));

Deno.test("every explanation of equivalent mutants is one of a mutant of today's contracts, and on the page", async () => {
  const mutants = [...(await MutationRun.open()).all.values()];
  const text = page.replaceAll(/\s+/g, " ");
  for (const { file, shows, reason } of equivalentMutants) {
    const found = mutants.filter((mutant) => mutant.file.endsWith(file) && shows.test(mutant.shows));
    assert.ok(found.length > 0, `no mutant of ${file} matches ${shows}`);
    assert.ok(text.includes(`- ${reason}`), `docs/mutation.md lacks: ${reason}`);
  }
});

Deno.test("docs/mutation.md states the date, the commit and the command of its run, and no test misses a mutant", () => {
  const block = (mark: string) => page.split(`<!-- ${mark} -->`)[1].split(`<!-- /${mark} -->`)[0];
  assert.match(block("run"), /^\s*\d{4}-\d\d-\d\d, commit [0-9a-f]{7,}/);
  assert.match(block("run"), /`deno task mutants`/);
  const all = block("contracts").split("\n").find((line) => line.startsWith("| all"))!;
  const [, mutants, killed, equivalent, missed] = all.split("|").slice(1).map((cell) => Number(cell));
  assert.equal(killed + equivalent + missed, mutants);
  assert.equal(missed, 0);
});

Deno.test("the page scores a mutant with its source's first contract and its kind of fault, and groups survivors by reason", () => {
  const mutant = { file: "contracts/v1/history.tolk", operator: "number", shows: "a => b" };
  const explained = {
    ...mutant,
    operator: "operand dropped",
    shows: "while ((left > 0) & !found); => while ((left > 0));",
  };
  const { run, contracts, faults, survivors } = mutationTables(
    [
      { ...mutant, verdict: "killed" },
      { ...mutant, verdict: "survived" },
      { ...mutant, verdict: "same" },
      { ...explained, verdict: "survived" },
    ],
    "today, commit 1a2b3c4",
    () => ["jetton", "native-v2"],
  );
  assert.match(run[0], /^today, commit 1a2b3c4, .* 4 mutants were tried; 3 of them/);
  const row = "| 3 | 1 | 1 | 1 | 50.0 % |";
  assert.deepEqual(contracts.filter((line) => line.endsWith(row)), [`| \`jetton\` ${row}`, `| all ${row}`]);
  assert.deepEqual(faults.slice(2), [
    "| number | 2 | 1 | 0 | 1 | 50.0 % |",
    "| operand dropped | 1 | 0 | 1 | 0 | - % |",
  ]);
  assert.deepEqual(survivors, [
    "- a gap: no test detects it",
    "  - `contracts/v1/history.tolk`: `a => b`",
    "- a root that was found stays found; the search only ends later",
    `  - \`contracts/v1/history.tolk\`: \`${explained.shows}\``,
  ]);
});
