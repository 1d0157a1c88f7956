/** Files that are too large or malformed, and outputs that already exist, are reported before any work is done. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import { MAX_CONSTRAINTS, maxKeyBytes } from "../../../src/ops/ceremony/size_limits.ts";
import { memorySource, readSections } from "../../../src/ops/ceremony/section_file.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

/** Bytes of a sparse file. */
const HUGE = 10_000_000_000;

async function writeHugeFile(path: string): Promise<void> {
  await Deno.writeTextFile(path, "");
  await Deno.truncate(path, HUGE);
}

async function writePlan(ceremony: string, path: string): Promise<void> {
  const hash = async (circuit: string) =>
    bytesToHex(sha256(await Deno.readFile(`${ceremony}/${circuit}.0.zkey`)));
  const initialKeys = { withdraw: await hash("withdraw"), deposit: await hash("deposit") };
  await Deno.writeTextFile(path, JSON.stringify({ initialKeys, contributors: [] }));
}

/** Returns the content of every file below a folder, by path. */
async function readContents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) Object.assign(found, await readContents(path));
    else found[path] = new TextDecoder("latin1").decode(await Deno.readFile(path));
  }
  return found;
}

/** Begins a ceremony with one contribution. */
async function openScene(folder: string) {
  const at = (name: string) => `${folder}/${name}`;
  await Deno.writeFile(at("powers.ptau"), insecurePowersOfTau(TINY_POWER));
  for (const circuit of circuitsOfVersion[1]) await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
  const origin = ["--powers", at("powers.ptau"), "--circuits", folder];
  const ceremony = (name: string, ...args: string[]) => runCli(["ceremony", name, at("c"), ...args], {}, {});
  const succeed = async (name: string, ...args: string[]) => {
    const { code, stderr } = await ceremony(name, ...args);
    assert.equal(code, 0, stderr);
  };
  await Deno.writeTextFile(at("dice"), "6 2 5 1 3");
  await succeed("init", ...origin);
  await succeed("contribute", "--name", "Alice", "--entropy-file", at("dice"));
  return { at, origin, ceremony, folder, succeed };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado ceremony refuses files that are far too large, and does not replace existing files", (t) =>
  withTempDirectory(async (folder) => {
    const scene = await openScene(folder);
    await refusesHugeFiles(t, scene);
    await refusesOddPowers(t, scene);
    await refusesOddTranscripts(t, scene);
    await refusesExistingOutput(t, scene);
  }));

async function refusesHugeFiles(t: Deno.TestContext, { at, origin, ceremony }: Scene): Promise<void> {
  const alice = ["contribute", "--name", "Bob", "--entropy-file"];
  const huge: [what: string, file: string, args: string[]][] = [
    ["an initial key", "c/withdraw.0.zkey", ["verify"]],
    ["a current key", "c/deposit.1.zkey", ["verify"]],
    ["a key that is built on", "c/deposit.1.zkey", [...alice, at("dice")]],
    ["a key that is exported", "c/withdraw.1.zkey", ["export", "--output", at("none")]],
    ["a transcript", "c/transcript.json", ["verify"]],
    ["a constraint system", "deposit.r1cs", ["verify", ...origin]],
    ["a kept transcript", "kept.json", ["verify", "--since", at("kept.json")]],
    ["entropy", "entropy", [...alice, at("entropy")]],
  ];
  for (const [what, file, [command, ...args]] of huge) {
    await t.step(`${what} of 10 GB is not read`, async () => {
      const original = await Deno.readFile(at(file)).catch(() => undefined);
      await writeHugeFile(at(file));
      const { code, stderr } = await ceremony(command, ...args);
      assert.match(stderr, new RegExp(`${file} cannot be read: it has ${HUGE} bytes, more than [0-9]+`));
      assert.equal(code, 2, stderr);
      if (original) await Deno.writeFile(at(file), original);
      else await Deno.remove(at(file));
    });
  }
}

async function refusesOddPowers(t: Deno.TestContext, { at, folder, ceremony }: Scene): Promise<void> {
  await t.step("powers of tau of 10 GB, or of another size, are refused by their header", async () => {
    await writeHugeFile(at("other.ptau"));
    for (const command of ["verify", "init"]) {
      const args = ["--powers", at("other.ptau"), "--circuits", folder];
      const { code, stdout, stderr } = await runCli([
        "ceremony",
        command,
        at(command === "init" ? "d" : "c"),
        ...args,
      ]);
      assert.match(stdout + stderr, /powers of tau +is not a ptau file|powers of tau is not a ptau file/);
      assert.equal(code, 1, stderr);
    }
    await Deno.writeFile(at("other.ptau"), insecurePowersOfTau(TINY_POWER + 1));
    const { code, stdout } = await ceremony("verify", "--powers", at("other.ptau"), "--circuits", folder);
    assert.match(stdout, /FAILED powers of tau +powers of tau are another file .*: 2\^5 rows, not 2\^4/);
    assert.equal(code, 1);
  });

  const sections: [what: string, id: number, message: RegExp][] = [
    ["a section that no such file has", 99, /powers of tau have a section 99, which no such file has/],
    ["contributions without end", 7, /powers of tau have [0-9]+ bytes of contributions, more than [0-9]+/],
  ];
  for (const [what, id, message] of sections) {
    await t.step(`powers of tau with 10 GB of ${what} are refused before they are hashed`, async () => {
      const whole = insecurePowersOfTau(TINY_POWER);
      const seven = (await readSections(memorySource(whole), "ptau", "powers")).get(7)!;
      const powers = concatBytes(
        whole.subarray(0, seven.offset - 12),
        whole.subarray(seven.offset + seven.length),
      );
      await Deno.writeFile(at("long.ptau"), powers);
      const section = new DataView(new ArrayBuffer(12));
      section.setUint32(0, id, true);
      section.setBigUint64(4, BigInt(HUGE - powers.length - 12), true);
      await Deno.writeFile(at("long.ptau"), new Uint8Array(section.buffer), { append: true });
      await Deno.truncate(at("long.ptau"), HUGE);
      for (const [command, directory] of [["verify", "c"], ["init", "d"]]) {
        const args = ["--powers", at("long.ptau"), "--circuits", folder];
        const { code, stdout, stderr } = await runCli(["ceremony", command, at(directory), ...args]);
        assert.match(stdout + stderr, message);
        assert.doesNotMatch(stderr, /hashing/);
        assert.equal(code, 1, stderr);
      }
    });
  }
}

async function refusesOddTranscripts(t: Deno.TestContext, { at, ceremony }: Scene): Promise<void> {
  await t.step("a transcript with more constraints than the maximum is refused", async () => {
    const text = await Deno.readTextFile(at("c/transcript.json"));
    await Deno.writeTextFile(
      at("c/transcript.json"),
      text.replace(/"constraints": 9/, '"constraints": 65537'),
    );
    const { code, stderr } = await ceremony("verify");
    await Deno.writeTextFile(at("c/transcript.json"), text);
    assert.match(stderr, /transcript is malformed: \/circuits\/withdraw\/constraints/);
    assert.equal(code, 1);
  });

  await t.step("a transcript with a duplicate key is refused", async () => {
    const text = await Deno.readTextFile(at("c/transcript.json"));
    const twice = text.replace('"name": "Alice"', '"name": "Mallory", "name": "Alice"');
    assert.notEqual(twice, text);
    await Deno.writeTextFile(at("c/transcript.json"), twice);
    const { code, stderr } = await ceremony("verify");
    await Deno.writeTextFile(at("c/transcript.json"), text);
    assert.match(stderr, /transcript is malformed: an object in it has two members of one name/);
    assert.equal(code, 1);
  });
}

async function refusesExistingOutput(
  t: Deno.TestContext,
  { succeed, at, origin, ceremony }: Scene,
): Promise<void> {
  await succeed("announce", "--source", "a clock", "--round", "1", "--exponent", "10");
  await succeed("contribute", "--name", "Bob", "--entropy-file", at("dice"));
  await succeed("beacon", "--value", "ab".repeat(32));
  await writePlan(at("c"), at("plan.json"));
  const outputs = {
    finalize: [...origin, "--few-contributors", "--plan", at("plan.json"), "--output", at("keys")],
    export: ["--output", at("exported")],
  };
  for (const [command, args] of Object.entries(outputs)) {
    await t.step(`${command} refuses to replace a file before it computes`, async () => {
      const output = args.at(-1)!;
      await succeed(command, ...args);
      const first = await readContents(output);
      const again = await ceremony(command, ...args);
      assert.equal(again.code, 2, again.stderr);
      assert.match(
        again.stderr,
        /--output: .* already exists and is not replaced; name a new folder/,
      );
      assert.doesNotMatch(again.stderr, /checking/);
      assert.deepEqual(await readContents(output), first);
      for (const file of Object.keys(first)) {
        const elsewhere = file.replace(output, at(`one-${command}`));
        await Deno.mkdir(elsewhere.replace(/[^/]*$/, ""), { recursive: true });
        await Deno.symlink(at("nowhere"), elsewhere);
        const { code, stderr } = await ceremony(command, ...args.slice(0, -1), at(`one-${command}`));
        assert.deepEqual([code, stderr.includes(elsewhere)], [2, true], stderr);
        await Deno.remove(elsewhere);
      }
      assert.deepEqual(await readContents(at(`one-${command}`)), {});
    });

    await t.step(`${command} refuses an unwritable output before it computes`, async () => {
      const { code, stderr } = await ceremony(command, ...args.slice(0, -1), at("dice/keys"));
      assert.match(stderr, /dice\/keys cannot be written: .*\[write_failed\]/);
      assert.doesNotMatch(stderr, /checking/);
      assert.equal(code, 1);
    });
  }
}

Deno.test("the real circuits and their keys are well below the size limits", async () => {
  const circuits = { withdraw: 5_234, deposit: 9_540, withdraw2: 5_258, settle16: 14_862 };
  for (const [circuit, constraints] of Object.entries(circuits)) {
    const { size } = await Deno.stat(new URL(`../../../artifacts/${circuit}.zkey`, import.meta.url));
    assert.ok(2 * size < maxKeyBytes(constraints, 0), `${circuit} has ${size}`);
    assert.ok(constraints * 4 < MAX_CONSTRAINTS);
  }
});
