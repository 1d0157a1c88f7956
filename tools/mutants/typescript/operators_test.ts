import assert from "node:assert/strict";
import { applyMutant } from "../operators.ts";
import { typeScriptMutants } from "./operators.ts";
import { folderOf, typeScriptTables } from "./page.ts";
import { type Coverage, coveringTests, parseLcov } from "./coverage.ts";
import { isNear, rankTestFiles, reach } from "./test_selection.ts";
import { maskTypeScript } from "./text.ts";

const SOURCE = `import { a } from "./a.ts";
// 1 + 1
export interface Limits {
  readonly isStrict: true;
}
export type Kind = "b" | "c";
const pattern = /2 + 2 && "/g;

export function spend(balance: bigint, limits?: Limits): bigint {
  if (balance >= 10n && !limits?.isStrict) throw new RangeError(\`\${balance > 3n ? "x" : "y"}\`);
  a.save(balance - 1n);
  log.info("4 + 4");
  const form = check(
    /6{1,7}/,
  );
  const version = (which: 8 | 9) => which;
  return balance > 5n ? balance ?? 0n : Math.max(7, 8);
}
`;

Deno.test("mutants are made of code, and not of types, comments, imports, strings or log lines", () => {
  const mutants = typeScriptMutants("src/a.ts", SOURCE);
  const shown = mutants.map(({ operator, shows }) => `${operator}: ${shows.split(" => ")[1]}`);
  for (
    const mutant of [
      'condition always false: if (false) throw new RangeError(`${balance > 3n ? "x" : "y"}`);',
      'comparison: if (balance > 10n && !limits?.isStrict) throw new RangeError(`${balance > 3n ? "x" : "y"}`);',
      'operand dropped: if (balance >= 10n) throw new RangeError(`${balance > 3n ? "x" : "y"}`);',
      'operand dropped: if (!limits?.isStrict) throw new RangeError(`${balance > 3n ? "x" : "y"}`);',
      'negation dropped: if (balance >= 10n && limits?.isStrict) throw new RangeError(`${balance > 3n ? "x" : "y"}`);',
      "arithmetic: a.save(balance + 1n);",
      "number: a.save(balance - 2n);",
      "statement dropped: ;",
      "choice always the first: return balance > 5n ? balance ?? 0n : balance ?? 0n;",
      "arithmetic: return balance > 5n ? balance && 0n : Math.max(7, 8);",
      "min and max: return balance > 5n ? balance ?? 0n : Math.min(7, 8);",
    ]
  ) assert.ok(shown.includes(mutant), `${mutant}\nin\n${shown.join("\n")}`);
  for (const { shows } of mutants) {
    assert.ok(
      !/isStrict: |1 \+ 1|2 \+ 2|4 \+ 4|import|"b"|> [24]n \? "x"/.test(shows.split(" => ")[0]),
      shows,
    );
  }
  for (const mutant of mutants) {
    assert.equal(applyMutant(SOURCE, mutant, SOURCE)!.split("\n").length, SOURCE.split("\n").length);
  }
});

Deno.test("log lines, yields to the event loop and conditions that only guard them are not mutated", () => {
  const source = `export async function run(failures: number, log: Log): Promise<void> {
  if (failures > 1 && isNew) log.warning("{n} failures", { n: failures + 1 });
  if (failures % 100 === 0) await yieldToEventLoop();
  if (failures > 2) log.info("many");
  else stop(3);
  retry(failures * 4);
  if (failures > 7) {
    log.info("many");
  }
  if (failures > 8) {
    log.info("many");
    stop(5);
  }
}
`;
  const changed = typeScriptMutants("src/a.ts", source).map(({ line }) => line);
  assert.deepEqual([...new Set(changed)], [4, 5, 6, 10, 12]);
});

Deno.test("text that is not code is replaced by blanks of the same length", () => {
  const masked = maskTypeScript(SOURCE);
  assert.equal(masked.length, SOURCE.length);
  assert.doesNotMatch(masked, /import|isStrict: true|Kind|2 \+ 2|"/);
  assert.match(masked, /if \(balance >= 10n && !limits\?\.isStrict\) throw new RangeError\( +\);/);
});

Deno.test("a test reaches what its imports import", () => {
  const imports = new Map([
    ["tests/a_test.ts", ["src/x.ts"]],
    ["src/x.ts", ["src/y.ts"]],
    ["src/y.ts", ["src/x.ts", "src/z.ts"]],
  ]);
  assert.deepEqual([...reach(imports, "tests/a_test.ts")], [["src/x.ts", 1], ["src/y.ts", 2], [
    "src/z.ts",
    3,
  ]]);
});

Deno.test("a mutant is put before the tests that execute its line, the fastest first, the source's own earlier", () => {
  const text = ["f();", "if (a) return;", "if (b) {", "  c();", "}"];
  const record = (path: string, counts: number[]) =>
    [`SF:/copy/${path}`, ...counts.map((count, i) => `DA:${i + 1},${count}`), "end_of_record"].join("\n");
  const report = [record("src/a/b.ts", [1, 0, 0, 0, 1]), record("tests/x.ts", [1])].join("\n");
  const lines = parseLcov(report, "/copy/", () => text);
  assert.deepEqual(lines, { "src/a/b.ts": [1, -2, -3, 5] }, "a branch that is not taken hides its line");
  const coverage: Coverage = new Map(
    ([["tests/slow_test.ts", 900], ["src/a/b_test.ts", 2_000], ["tests/fast_test.ts", 100]] as const)
      .map(([path, milliseconds]) => [path, { digest: "", passesUnchanged: true, milliseconds, lines }]),
  );
  coverage.set("tests/broken_test.ts", { digest: "", passesUnchanged: false, milliseconds: 1, lines });
  assert.deepEqual(coveringTests(coverage, { file: "src/a/b.ts", line: 3 }), [
    "src/a/b_test.ts",
    "tests/fast_test.ts",
    "tests/slow_test.ts",
  ]);
  assert.deepEqual(coveringTests(coverage, { file: "src/a/b.ts", line: 4 }), []);
  for (let i = 0; i < 6; i++) {
    coverage.set(`tests/other_${i}_test.ts`, { digest: "", passesUnchanged: true, milliseconds: 200, lines });
  }
  coverage.set("tests/far/slow_b_test.ts", { digest: "", passesUnchanged: true, milliseconds: 900, lines });
  for (const [path, line] of [["certain", 3], ["uncertain", -3]] as const) {
    coverage.set(`tests/${path}_test.ts`, {
      digest: "",
      passesUnchanged: true,
      milliseconds: 90,
      lines: { "src/a/b.ts": [line] },
    });
  }
  assert.equal(coveringTests(coverage, { file: "src/a/b.ts", line: 3 })[0], "tests/certain_test.ts");
  const chosen = coveringTests(coverage, { file: "src/a/b.ts", line: 3 });
  assert.ok(chosen.includes("tests/far/slow_b_test.ts"), "a test that is named like the source");
});

Deno.test("near tests are those of src/, and those of tests/ that are meant for the source", () => {
  const tests = [
    "src/relay/relayer_test.ts",
    "tests/integration/store/store_jobs_test.ts",
    "tests/integration/ops/store_export_test.ts",
    "tests/integration/ton/wallet_test.ts",
    "tests/ceremony/files/files_test.ts",
    "tests/integration/privacy_test.ts",
    "tests/cli/store/store_test.ts",
  ];
  const near = (source: string) => tests.filter((test) => isNear(test, source));
  assert.deepEqual(near("src/store/kv/codec.ts"), [...tests.slice(0, 3), tests[6]]);
  assert.deepEqual(near("src/ops/ceremony/files/a.ts"), [tests[0], tests[2], tests[4]]);
  assert.deepEqual(near("src/cli/commands/ceremony/steps.ts"), [tests[0], tests[4], tests[6]]);
  assert.deepEqual(near("src/core/time.ts"), tests.slice(0, 1));
});

Deno.test("a test file that killed mutants of the source comes first", () => {
  const test = (path: string, kills: number) => ({
    path,
    milliseconds: 500,
    passesUnchanged: true,
    kills: new Map([["src/a.ts", kills]]),
  });
  const ranked = rankTestFiles([test("near", 0), test("far", 4)], "src/a.ts").map(({ path }) => path);
  assert.deepEqual(ranked, ["far", "near"]);
});

Deno.test("scores are by folder, and the ceremony has its own", () => {
  assert.deepEqual(
    ["src/ops/ceremony/files/a.ts", "src/ops/deploy/a.ts", "src/core/time.ts", "src/mod.ts"].map(folderOf),
    ["src/ops/ceremony", "src/ops", "src/core", "src"],
  );
  const mutant = { operator: "o", at: 0, length: 0, text: "", line: 1, shows: "a | b => c" };
  const record = { source: "s", tests: "t", budget: null };
  const entry = (file: string, verdict: "killed" | "survived" | "refused", hung?: true) => ({
    ...mutant,
    ...record,
    file,
    key: `${file}${verdict}`,
    verdict,
    ...hung && { hung },
  });
  const core = "src/core/a.ts";
  const tables = typeScriptTables(
    [entry(core, "killed"), entry(core, "killed", true), entry(core, "survived"), entry(core, "refused")],
    [{ file: core }, { file: core }, { file: core }, { file: core }, { file: core }],
    "today",
  );
  assert.ok(tables["typescript-scores"].includes("| `src/core` | 5 | 4 | 2 | 1 | 0 | 1 | 66.7 % |"));
  assert.match(tables["typescript-survivors"].at(-1)!, /a \\\| b/);
});
