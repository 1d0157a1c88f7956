/** Creates reports: their output, the content of their files, and which files they replace. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { type ComplianceScene } from "./scene.ts";

type Test = Deno.TestContext;

/** Makes a report and checks its output and the content of its files. */
export async function makeReports(t: Test, scene: ComplianceScene): Promise<void> {
  await t.step("a note that is not withdrawn gets no report", () => refusesUnspent(scene));
  await t.step(
    "a report says what the chain says, and verifies, as JSON and as a page",
    () => reportMatchesChain(scene),
  );
  await t.step(
    "both files are written or neither, and existing files are reported first",
    () => keepsExistingFiles(scene),
  );
  await t.step(
    "neither JSON nor page holds a secret, or anything of another note",
    () => holdsNoSecret(scene),
  );
  await t.step("the page runs nothing, loads nothing, and escapes the purpose", () => pageIsInert(scene));
  await t.step("a backup page leaves out notes that are withdrawn", async () => {
    const { dir, env } = scene;
    const args = ["note", "backup", `${dir}/notes.html`, "--page", "--json"];
    assert.equal(JSON.parse((await runCli(args, env)).stdout).notes, 1);
  });
}

async function refusesUnspent({ unspent, at, env }: ComplianceScene): Promise<void> {
  const { code, stderr, stdout } = await runCli(
    ["compliance", "report", unspent, "--for", "x", ...at],
    env,
  );
  assert.deepEqual([code, /note_unspent/.test(stderr), stdout], [1, true, ""], stderr);
}

async function reportMatchesChain(
  { net, relayed, recipient, at, env, out, page, verify }: ComplianceScene,
): Promise<void> {
  const files = ["--out", out, "--page", page, "--json"];
  const purpose = 'bank "of" <b>&amp;</b> `x`';
  const made = await runCli(["compliance", "report", relayed, "--for", purpose, ...files, ...at], env);
  assert.equal(made.code, 0, made.stderr);
  const { statement } = JSON.parse(made.stdout);
  assert.deepEqual(statement, JSON.parse(await Deno.readTextFile(out)).statement);
  assert.ok(Address.parse(statement.deposit.depositor).equals(net.user.address));
  assert.ok(Address.parse(statement.withdrawal.recipient).equals(Address.parse(recipient)));
  assert.ok(Address.parse(statement.withdrawal.relayer).equals(net.relayerAddress));
  const { fee, paid } = statement.withdrawal;
  assert.deepEqual([statement.deposit.leafIndex, fee, paid], [0, "50000000", "950000000"]);
  for (const file of [out, page]) {
    const { code, stdout, stderr } = await verify(file, "--json");
    assert.equal(code, 0, stderr);
    const { holds, checks } = JSON.parse(stdout);
    assert.deepEqual(
      checks.map(({ name, verdict }: Record<string, string>) => [name, verdict]),
      [["proof", "warning"], ["pool", "ok"], ["deposit", "ok"], ["withdrawal", "ok"], ["spent", "ok"]],
    );
    assert.ok(holds);
  }
  const text = await verify(out);
  assert.match(text.stdout, /paid +0\.95 GRAM\n/);
  assert.match(
    (await verify(out, "--quiet")).stdout,
    /^ {2}warning +proof .*was made with development keys.*development keys, insecure\n$/,
  );
}

async function keepsExistingFiles({ dir, relayed, at, env, out, page }: ComplianceScene): Promise<void> {
  const fresh = `${dir}/fresh.json`;
  const targets: [string[], number, RegExp][] = [
    [["--out", fresh, "--page", page], 2, /--page: \S+report\.html already exists and is not replaced/],
    [["--out", out, "--page", fresh], 2, /--out: \S+report\.json already exists and is not replaced/],
    [["--out", fresh, "--page", `${dir}/./fresh.json`], 2, /--page: names the same file as --out/],
    [
      ["--out", fresh, "--page", `${out}/page.html`],
      1,
      /--page: \S+ cannot be written: .*\[write_failed\]/,
    ],
  ];
  for (const [files, status, says] of targets) {
    const args = ["compliance", "report", relayed, "--for", "x", ...files, ...at];
    const { code, stdout, stderr } = await runCli(args, env);
    assert.match(stderr, says);
    assert.deepEqual([code, stdout], [status, ""]);
    await assert.rejects(Deno.lstat(fresh), Deno.errors.NotFound);
  }
}

async function holdsNoSecret({ notes, out, page }: ComplianceScene): Promise<void> {
  for (const file of [out, page]) {
    const text = await Deno.readTextFile(file);
    for (const note of notes) {
      for (const secret of [note.nullifier, note.secret]) {
        assert.ok(!text.includes(String(secret)) && !text.includes(secret.toString(16)));
      }
      if (note === notes[0]) continue;
      for (const each of [note.commitment, note.nullifierHash]) assert.ok(!text.includes(fieldToHex(each)));
    }
  }
}

async function pageIsInert({ page }: ComplianceScene): Promise<void> {
  const html = await Deno.readTextFile(page);
  assert.doesNotMatch(html, /<script|<link|<img|<iframe|src=|href=|url\(|https?:/i);
  assert.match(html, /class="warning">This report was made with development keys/);
  assert.match(html, /@page \{ margin: [\d.]+cm; \}/);
  assert.ok(!html.includes("<b>") && html.includes("&#60;b&#62;"));
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
}
