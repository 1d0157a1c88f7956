/** Refuses files that are not a report's own JSON or page. */
import assert from "node:assert/strict";
import { runCli } from "../../support/cli/run_cli.ts";
import { type ComplianceScene, type ReportedScene } from "./scene.ts";

/** Refuses a page whose text differs from its data, and every other file. */
export async function refuseFalseFiles(
  { dir, out, page, verify }: ComplianceScene,
  { report, statement }: ReportedScene,
): Promise<void> {
  const html = await Deno.readTextFile(page);
  const files: [string, string, number, RegExp][] = [
    ["page.html", html.replace("0.95 GRAM", "9.95 GRAM"), 1, /invalid_report/],
    ["data.html", html.replace("950000000", "9950000000"), 1, /invalid_report/],
    ["some.txt", "hello", 1, /neither a report's JSON nor its page/],
    [
      "twice.json",
      JSON.stringify(report).replace('"purpose":', '"purpose":"a charity","purpose":'),
      1,
      /an object in it has two members of one name \[invalid_report\]/,
    ],
    ["half.json", JSON.stringify({ ...report, proof: undefined }), 1, /\/proof/],
    [
      "lie.json",
      JSON.stringify({ ...report, statement: { ...statement, purpose: "y" } }),
      1,
      /the report fails: proof \[report_verification_failed\]/,
    ],
  ];
  const jq = `${dir}/jq.json`; // the same JSON in another form
  await Deno.writeTextFile(jq, JSON.stringify(report, null, "\t").replaceAll("/", "\\/"));
  assert.equal((await verify(jq)).code, 0);
  for (const [name, text, status, message] of files) {
    assert.notEqual(text, html);
    await Deno.writeTextFile(`${dir}/${name}`, text);
    const { code, stderr } = await verify(`${dir}/${name}`);
    assert.match(stderr, message);
    assert.equal(code, status);
  }
  const { code, stderr } = await runCli(["compliance", "verify", out, "--network", "mainnet"]);
  assert.deepEqual([code, /the report is for localnet/.test(stderr)], [2, true], stderr);
}
