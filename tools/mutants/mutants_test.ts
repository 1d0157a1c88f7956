import assert from "node:assert/strict";
import { applyMutant, mutantsOf } from "./operators.ts";
import { KillingTests, testDigest } from "./killing_tests.ts";
import { isCurrent, type MutantRecord, nameMutants, sourceDigest } from "./results.ts";
import { scoreOf } from "./page.ts";
import { declarationAt } from "./tolk_text.ts";
import { poolEntries, poolKinds, readSources, testFiles } from "./trial/pools.ts";
import { rankTests } from "./trial/trial.ts";

const SOURCE = `tolk 1.3
import "other"
const FLOOR = ton("0.01") // 2 + 2

fun spend(balance: int, amount: int) {
    assert (amount <= balance) throw ERR_TOO_MUCH; // amount < balance
    val left = max(balance - amount, FLOOR);
    save(left);
    return left > 0 ? 1 : 2;
}
`;

Deno.test("mutants change code, and not comments, imports or strings", () => {
  const mutants = mutantsOf("a.tolk", SOURCE);
  const shown = mutants.map(({ operator, shows }) => `${operator}: ${shows.split(" => ")[1]}`);
  for (
    const fault of [
      'number: const FLOOR = ton("0.009999999")',
      'number: const FLOOR = ton("0.010000001")',
      "check dropped: ",
      "check negated: assert (!(amount <= balance)) throw ERR_TOO_MUCH;",
      "comparison: assert (amount < balance) throw ERR_TOO_MUCH;",
      "arithmetic: val left = max(balance + amount, FLOOR);",
      "min and max: val left = min(balance - amount, FLOOR);",
      "bound dropped: val left = (FLOOR);",
      "statement dropped: ",
      "choice always the first: return left > 0 ? 1 : 1;",
      "comparison: return left >= 0 ? 1 : 2;",
    ]
  ) assert.ok(shown.includes(fault), fault);
  for (const mutant of mutants) {
    assert.ok(!mutant.shows.includes("2 + 2") && !mutant.shows.includes("other"), mutant.shows);
    const mutated = applyMutant(SOURCE, mutant, SOURCE)!;
    assert.notEqual(mutated, SOURCE);
    assert.equal(mutated.split("\n").length, SOURCE.split("\n").length);
  }
  assert.equal(nameMutants(mutants).size, mutants.length, "each has a name of its own");
});

Deno.test("a mutant is applied to a substitute of its file only where the text is the same", () => {
  const [mutant] = mutantsOf("a.tolk", SOURCE).filter(({ operator }) => operator === "min and max");
  assert.ok(applyMutant(SOURCE.replace("amount)", "Amount)"), mutant, SOURCE)?.includes("min("));
  assert.equal(applyMutant(SOURCE.replace("max(", "abs("), mutant, SOURCE), undefined);
});

Deno.test("a survivor is tried again when tests change or more of them are wanted, a kill when its test changes", () => {
  const state = { source: "s", tests: "t", budget: null };
  const isValid = (entry: Partial<MutantRecord>) =>
    isCurrent({ key: "", verdict: "survived", ...state, ...entry }, state, (by) => `digest of ${by}`);
  const killed = { verdict: "killed", by: "a", test: "digest of a", tests: "u", budget: 5 } as const;
  assert.ok(isValid(killed));
  assert.ok(!isValid({ ...killed, source: "u" }));
  assert.ok(!isValid({ ...killed, test: "another" }));
  assert.ok(!isValid({ ...killed, test: undefined }));
  assert.ok(isValid({}));
  assert.ok(!isValid({ tests: "u" }));
  assert.ok(!isValid({ budget: 5 }));
  assert.ok(!isCurrent(undefined, state, () => undefined));
});

Deno.test("a killing test's digest is that of its statement: other tests and comments do not change it", () => {
  const source = `const x = 1;
Deno.test("one \\"quoted\\" name", () => {
  run(1);
});

for (const n of [1, 2]) {
  Deno.test(\`name \${n} of a loop\`, () => {
    run(n);
  });
}
`;
  const digest = (text: string, name = 'one "quoted" name') => testDigest(text, name);
  assert.ok(digest(source) !== undefined);
  assert.equal(
    digest(source.replace("  run(1);", "  // why\n  run(1);").replace("run(n)", "run(7)")),
    digest(source),
  );
  assert.notEqual(digest(source.replace("run(1)", "run(7)")), digest(source));
  assert.equal(digest(source, "another name"), undefined);
  assert.ok(digest(source, "name 2 of a loop") !== undefined);
  assert.notEqual(digest(source, "name 2 of a loop"), digest(source));
  assert.notEqual(
    digest(source.replace("[1, 2]", "[2]"), "name 2 of a loop"),
    digest(source, "name 2 of a loop"),
  );
});

Deno.test("the digest of a test that no longer exists is undefined", () => {
  const tests = new KillingTests(new URL("../../", import.meta.url));
  const path = "tools/mutants/mutants_test.ts";
  assert.ok(tests.digestOf(`${path}: a comment changes no digest of a source, and code does`) !== undefined);
  assert.equal(tests.digestOf(`${path}: no such ${"test"}`), undefined);
  assert.equal(tests.digestOf("tools/mutants/no_such_test.ts: name"), undefined);
});

Deno.test("a comment changes no digest of a source, and code does", () => {
  const digests = [SOURCE, `// head\n${SOURCE.replace("// 2 + 2", "// 3")}\n`, SOURCE.replace("2;", "3;")];
  const [plain, commented, changed] = digests.map(sourceDigest);
  assert.equal(plain, commented);
  assert.notEqual(plain, changed);
});

Deno.test("a result stays valid while the mutated declaration is unchanged", () => {
  const at = (text: string) => declarationAt(SOURCE, SOURCE.indexOf(text));
  assert.equal(at("0.01"), SOURCE.split("\n")[2]);
  assert.equal(at("save(left)"), SOURCE.slice(SOURCE.indexOf("fun spend")).trimEnd());
  assert.equal(at("fun spend"), at("return left"));
});

Deno.test("mutants that compile to the same code or do not compile are not part of the score", () => {
  const entry = { file: "a.tolk", shows: "a => b" };
  const verdicts = ["killed", "killed", "killed", "survived", "same", "refused"] as const;
  const score = scoreOf(verdicts.map((verdict) => ({ ...entry, verdict })));
  assert.deepEqual(score, { counted: 4, killed: 3, equivalent: 0, percent: "75.0" });
});

Deno.test("the test that killed a mutant before comes first, then the test with most kills per second", () => {
  const record = (name: string, milliseconds: number, kills: number) => ({
    index: 0,
    file: "t.ts",
    name,
    milliseconds,
    passesUnchanged: true,
    kills: new Map([["a.tolk", kills]]),
  });
  const tests = [record("slow", 9_000, 3), record("cheap", 100, 2), record("hinted", 9_000, 0)];
  assert.deepEqual(rankTests(tests, { file: "a.tolk", hint: "hinted" }).map(({ name }) => name), [
    "hinted",
    "cheap",
    "slow",
  ]);
});

Deno.test("a source is tested with each pool that is compiled from it", () => {
  const sources = readSources(new URL("../../", import.meta.url));
  for (const pool of poolKinds) assert.ok(sources.get(poolEntries[pool])?.includes(pool), pool);
  const poolsOf = (name: string) =>
    sources.entries().filter(([path]) => path.endsWith(`/${name}.tolk`)).map(([, pools]) => pools).toArray();
  assert.deepEqual(poolsOf("errors"), [poolKinds]);
  assert.deepEqual(poolsOf("rescue"), [["rescue"]]);
  assert.deepEqual(poolsOf("payouts_jetton"), [["jetton", "jetton-v2"]]);
  assert.deepEqual(poolsOf("settlement"), [["native-v2", "jetton-v2"]]);
  assert.deepEqual(poolsOf("claims_jetton"), [["jetton-v2"]]);
});

Deno.test("a pool's tests are those of its version and kind, in all folders of contract tests", () => {
  const files = new Map(poolKinds.map((pool) => [pool, testFiles(new URL("../../", import.meta.url), pool)]));
  const poolsOf = (file: string) => poolKinds.filter((pool) => files.get(pool)!.includes(file));
  assert.deepEqual(poolsOf("tests/contracts/order_test.ts"), ["native"]);
  assert.deepEqual(poolsOf("tests/contracts/rescue_test.ts"), ["rescue"]);
  assert.deepEqual(poolsOf("tests/contracts/jetton/claims_test.ts"), ["jetton"]);
  assert.deepEqual(poolsOf("tests/contracts/messages/types_test.ts"), ["native", "jetton"]);
  assert.deepEqual(poolsOf("tests/contracts/v2/payouts_test.ts"), ["native-v2"]);
  assert.deepEqual(poolsOf("tests/contracts/v2/jetton/claims_test.ts"), ["jetton-v2"]);
  assert.deepEqual(poolsOf("tests/contracts/v2/types_test.ts"), ["native-v2", "jetton-v2"]);
  assert.deepEqual(poolsOf("tests/models/contracts/v2_jetton_model_test.ts"), ["jetton-v2"]);
});
