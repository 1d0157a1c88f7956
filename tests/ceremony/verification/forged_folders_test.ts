/** `tonado ceremony verify` refuses every forged folder with the name of its fault, and exits with 1. */
import assert from "node:assert/strict";
import { openArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
import { transcriptFaults } from "../../../src/ops/ceremony/faults.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import type { MemoryFolder } from "../../support/ceremony/ceremony_fixture.ts";
import { type ForgedCeremony, openForgedCeremony } from "../../support/ceremony/forged_ceremony.ts";
import {
  forgedBeacons,
  forgedEvidence,
  forgedFiles,
  type ForgedFolder,
  forgedOrder,
  forgedProofs,
  forgedSecrets,
  forgedSignatures,
} from "../../support/ceremony/forged_folders.ts";
import { runCli } from "../../support/cli/run_cli.ts";

Deno.test("tonado ceremony verify names the fault of every forged folder", (t) =>
  withTempDirectory(async (directory) => {
    const arithmetic = openArithmeticPool(2);
    try {
      const ceremony = await openForgedCeremony(directory, arithmetic);
      const forged = [
        forgedOrder,
        forgedSignatures,
        forgedBeacons,
        forgedProofs,
        forgedSecrets,
        forgedFiles,
        forgedEvidence,
      ].flatMap((folders) => folders(ceremony));
      const reported = new Set<string>();
      for (const [i, each] of forged.entries()) {
        await t.step(each[0], async () => {
          const fault = await verifyForged(ceremony, `${directory}/${i}`, each);
          if (fault !== undefined) reported.add(fault);
        });
      }
      await t.step("every documented fault was reported", async () => {
        assert.deepEqual([...reported].sort(), Object.keys(transcriptFaults).sort());
        const page = await Deno.readTextFile(new URL("../../../docs/ceremony.md", import.meta.url));
        const [, table] = page.split("### Faults of a transcript");
        const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, fault]) => fault);
        assert.deepEqual(documented, Object.keys(transcriptFaults));
      });
      await t.step(
        "an honest folder is accepted until its transcript is rewritten",
        () => verifyHonest(ceremony, `${directory}/honest`),
      );
    } finally {
      arithmetic.close();
    }
  }));

/** Verifies a forged folder and compares the fault. Returns the fault of the transcript, if it has one. */
async function verifyForged(
  { planFile }: ForgedCeremony,
  folder: string,
  [, forge, fault, args = []]: ForgedFolder,
): Promise<string | undefined> {
  await writeFolder(folder, await forge());
  const { code, stdout, stderr } = await runCli([
    ...["ceremony", "verify", folder, "--json", "--plan", planFile, ...args],
  ]);
  assert.equal(code, 1, stdout + stderr);
  if (fault.startsWith("malformed")) {
    assert.ok(stderr.includes(fault), stderr);
    return;
  }
  const { verified, checks } = JSON.parse(stdout);
  const failed = checks.filter(({ verdict }: { verdict: string }) => verdict === "failed");
  assert.equal(verified, false);
  const [first] = failed;
  if (first.fault) {
    assert.equal(`${first.name}: ${first.fault}`, fault);
    assert.match(first.detail, /(announcement|contribution|beacon) \d/, "names the entry");
  } else assert.equal(failed.map(({ name }: { name: string }) => name).join(", "), fault);
  return first.fault;
}

async function verifyHonest(ceremony: ForgedCeremony, folder: string): Promise<void> {
  const { honest, planFile, published, rewrite } = ceremony;
  await writeFolder(folder, honest);
  const args = ["ceremony", "verify", folder, "--plan", planFile, "--beacon-value", published];
  const { code, stdout } = await runCli(args);
  assert.deepEqual([code, stdout.match(/FAILED|note/g)], [0, null], stdout);
  await Deno.writeFile(
    `${folder}/transcript.json`,
    rewrite((all) => all.splice(2, 1)).files.get("transcript.json")!,
  );
  assert.match(
    (await runCli(args)).stdout,
    /FAILED transcript .* contribution 2 .*\[challenge_mismatch\]\n/,
  );
}

async function writeFolder(folder: string, { files }: MemoryFolder): Promise<void> {
  await Deno.mkdir(folder);
  for (const [name, content] of files) await Deno.writeFile(`${folder}/${name}`, content);
}
