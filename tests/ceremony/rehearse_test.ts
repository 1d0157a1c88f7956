/**
 * `tonado ceremony rehearse` runs every step, fails on any failed check, and leaves no files unless asked
 * to.
 */
import assert from "node:assert/strict";
import { openArithmeticPool } from "../../src/ops/ceremony/arithmetic/pool.ts";
import { parseCeremonyPlan } from "../../src/ops/ceremony/ceremony_plan.ts";
import { memoryFolder } from "../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { rehearseCeremony } from "../../src/ops/ceremony/rehearsal/rehearsal.ts";
import { REHEARSAL_LABEL } from "../../src/ops/keys/key_export.ts";
import { checkPinnedKeys } from "../../src/ops/keys/pinned_keys.ts";
import { openArtifacts } from "../../src/prover/artifacts.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const STEPS = "init keygen announce contribute contribute contribute beacon verify finalize".split(" ");
const rehearse = (...args: string[]) => runCli(["ceremony", "rehearse", ...args]);

Deno.test("rehearse plays every step without permission to write, and reports all checks", async () => {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await childCommand(Deno.execPath(), {
    args: ["run", "-A", "--deny-write", "--no-check", main, "ceremony", "rehearse", "--json"],
    cwd: new URL("../..", import.meta.url).pathname,
  }).output();
  const [printed, notices] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, notices);
  const { rehearsed, steps, checks, label, output } = JSON.parse(printed);
  assert.deepEqual([rehearsed, label, output], [true, REHEARSAL_LABEL, null]);
  assert.deepEqual(steps.map(({ name }: { name: string }) => name), STEPS);
  const names = checks.map(({ name, verdict }: { name: string; verdict: string }) => `${verdict} ${name}`);
  assert.deepEqual(names, [
    "ok transcript",
    "ok beacon",
    "ok contributors",
    "ok earlier transcript",
    "ok files",
    "ok initial keys",
    "ok powers of tau",
    "ok withdraw: initial key",
    "ok withdraw: key",
    "ok withdraw: delta",
    "ok deposit: initial key",
    "ok deposit: key",
    "ok deposit: delta",
  ]);
  assert.match(notices, /"contributing to withdraw"/);
});

Deno.test("rehearse --output keeps a folder that the other commands accept, with keys that no pool accepts", () =>
  withTempDirectory(async (folder) => {
    const output = `${folder}/rehearsal`;
    const { code, stdout, stderr } = await rehearse("--output", output);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.match(/^ {2}ok {5}(\w+)/gm)?.map((line) => line.trim().split(/ +/)[1]), STEPS);
    assert.match(
      stdout,
      /The rehearsal passed; kept in .*rehearsal\. Its keys are insecure: do not use them\.\n$/,
    );

    const verified = await runCli([
      ...["ceremony", "verify", `${output}/ceremony`, "--json", "--plan", `${output}/plan.json`],
      ...["--full", "--powers", `${output}/powers.ptau`, "--circuits", `${output}/circuits`],
    ]);
    assert.equal(verified.code, 0, verified.stderr);
    const notOk = JSON.parse(verified.stdout).checks.filter(({ verdict }: { verdict: string }) =>
      verdict !== "ok"
    );
    assert.deepEqual(notOk, [], "the plan pins the beacon");

    const base = new URL(`file://${output}/keys/artifacts/`);
    const artifacts = openArtifacts(base, JSON.parse(await Deno.readTextFile(new URL("pins.json", base))));
    const plan = parseCeremonyPlan(await Deno.readFile(`${output}/plan.json`));
    await assert.rejects(checkPinnedKeys(artifacts, 1, plan), /calls the keys "rehearsal keys, insecure"/);

    const again = await rehearse("--output", output);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /--output: .*ceremony already exists and is not replaced/);
  }));

Deno.test("rehearse fails if a key on the disk is not the one that was written", async () => {
  const arithmetic = openArithmeticPool(2);
  try {
    const folder = memoryFolder();
    const faulty = {
      ...folder,
      write: (name: string, content: Uint8Array) =>
        folder.write(name, name === "deposit.4.zkey" ? content.with(5000, content[5000] ^ 1) : content),
    };
    const keysFolder = memoryFolder();
    const programPins = { withdraw: "00".repeat(32), deposit: "00".repeat(32) };
    const steps: string[] = [];
    await assert.rejects(
      rehearseCeremony({
        folder: faulty,
        keysFolder,
        arithmetic,
        programPins,
        onStep: ({ name }) => steps.push(name),
      }),
      /files: deposit.4.zkey does not have the hash in the transcript/,
    );
    assert.deepEqual([steps, keysFolder.files.size], [STEPS.slice(0, 7), 0]);
  } finally {
    arithmetic.close();
  }
});

Deno.test("rehearse ends with 130 when it is interrupted, and prints only errors with --quiet", async () => {
  const interrupt = new AbortController();
  const { code, stdout, stderr } = await runCli(["ceremony", "rehearse"], {}, {
    interruptSignal: interrupt.signal,
    onStderr: (text) => text.includes("contributing to withdraw") && interrupt.abort(),
  });
  assert.equal(code, 130);
  assert.doesNotMatch(stdout, /beacon|passed/);
  assert.match(stderr, /\[cancelled\]/);
  const quiet = await rehearse("--quiet");
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);
});
