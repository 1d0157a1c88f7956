/**
 * Runs the test suite and ends with the plain line `N passed, N failed`. What could not run here is named as skipped
 * before; with `TONADO_REQUIRE_ALL=1` they count as failures: that is what CI sets.
 *
 * Usage: deno task test [files or filters passed on to `deno test`]
 */
import { v8Flags } from "./v8_flags.ts";

const report = await Deno.makeTempFile({ prefix: "tonado-test-", suffix: ".xml" });
const targets = Deno.args.some((arg) => !arg.startsWith("-")) ? [] : ["src", "tests", "tools"];
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--no-check", "--parallel", ...await v8Flags(), `--junit-path=${report}`],
    ...Deno.args,
    ...targets,
  ],
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? "2" },
  stdin: "null",
}).spawn().status;

const xml = await Deno.readTextFile(report).catch(() => "");
await Deno.remove(report).catch(() => {});

const cases = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
  .map(([, name, inner = ""]) => ({
    name: unescapeXml(name),
    skipped: /<skipped/.test(inner),
    failed: /<(failure|error)/.test(inner),
  }));
const skipped = cases.filter((test) => test.skipped);
const mustRun = Deno.env.get("TONADO_REQUIRE_ALL") === "1";
const refused = mustRun ? skipped.length : 0;
let failed = cases.filter((test) => test.failed).length + refused;
if (code !== 0 && failed === 0) failed = 1; // a module that did not load, or a run that was cut off
const passed = cases.filter((test) => !test.skipped && !test.failed).length;
if (passed === 0 && failed === 0) failed = 1; // no test is no success

for (const { name } of skipped) console.log(`${mustRun ? "required but skipped" : "skipped"}: ${name}`);
if (skipped.length > refused) console.log(`${skipped.length} skipped, named above`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
  return text.replace(/&(quot|apos|lt|gt|amp);/g, (_, name: string) => entities[name]);
}
