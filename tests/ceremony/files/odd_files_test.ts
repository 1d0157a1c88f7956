/** What a ceremony's folder and flags may be made to hold, and what its output may lie on: told before any work is done. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { circuitNames } from "../../../src/core/crypto/groth16.ts";
import { MAX_CONSTRAINTS, maxKeyBytes } from "../../../src/ops/ceremony/size_limits.ts";
import { memorySource, readSections } from "../../../src/ops/ceremony/section_file.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

/** Bytes of a file that takes no place on the disk. */
const HUGE = 10_000_000_000;

async function sparse(path: string): Promise<void> {
  await Deno.writeTextFile(path, "");
  await Deno.truncate(path, HUGE);
}

async function writePlan(ceremony: string, path: string): Promise<void> {
  const hash = async (circuit: string) =>
    bytesToHex(sha256(await Deno.readFile(`${ceremony}/${circuit}.0.zkey`)));
  const initialKeys = { withdraw: await hash("withdraw"), deposit: await hash("deposit") };
  await Deno.writeTextFile(path, JSON.stringify({ initialKeys, contributors: [] }));
}

/** Every file below a folder, with its content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) Object.assign(found, await contents(path));
    else found[path] = new TextDecoder("latin1").decode(await Deno.readFile(path));
  }
  return found;
}

Deno.test("tonado ceremony over files that are far too large, and over files that are there", (t) =>
  withTempDirectory(async (folder) => {
    const at = (name: string) => `${folder}/${name}`;
    await Deno.writeFile(at("powers.ptau"), insecurePowersOfTau(TINY_POWER));
    for (const circuit of circuitNames) await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
    const origin = ["--powers", at("powers.ptau"), "--circuits", folder];
    const ceremony = (name: string, ...args: string[]) =>
      runCli(["ceremony", name, at("c"), ...args], {}, {});
    const done = async (name: string, ...args: string[]) => {
      const { code, stderr } = await ceremony(name, ...args);
      assert.equal(code, 0, stderr);
    };
    await Deno.writeTextFile(at("dice"), "6 2 5 1 3");
    await done("init", ...origin);
    await done("contribute", "--name", "Alice", "--entropy-file", at("dice"));

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
        const was = await Deno.readFile(at(file)).catch(() => undefined);
        await sparse(at(file));
        const { code, stderr } = await ceremony(command, ...args);
        assert.match(stderr, new RegExp(`${file} cannot be read: it has ${HUGE} bytes, more than [0-9]+`));
        assert.equal(code, 2, stderr);
        if (was) await Deno.writeFile(at(file), was);
        else await Deno.remove(at(file));
      });
    }

    await t.step("powers of tau of 10 GB, or of another size, are refused by their header", async () => {
      await sparse(at("other.ptau"));
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

    const sections: [what: string, id: number, says: RegExp][] = [
      ["a section that no such file has", 99, /powers of tau have a section 99, which no such file has/],
      ["contributions without end", 7, /powers of tau have [0-9]+ bytes of contributions, more than [0-9]+/],
    ];
    for (const [what, id, says] of sections) {
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
        for (const [command, folder_] of [["verify", "c"], ["init", "d"]]) {
          const args = ["--powers", at("long.ptau"), "--circuits", folder];
          const { code, stdout, stderr } = await runCli(["ceremony", command, at(folder_), ...args]);
          assert.match(stdout + stderr, says);
          assert.doesNotMatch(stderr, /hashing/);
          assert.equal(code, 1, stderr);
        }
      });
    }

    await t.step("a transcript of more constraints than a circuit here can have is refused", async () => {
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

    await t.step("a transcript that says a thing twice is refused", async () => {
      const text = await Deno.readTextFile(at("c/transcript.json"));
      const twice = text.replace('"name": "Alice"', '"name": "Mallory", "name": "Alice"');
      assert.notEqual(twice, text);
      await Deno.writeTextFile(at("c/transcript.json"), twice);
      const { code, stderr } = await ceremony("verify");
      await Deno.writeTextFile(at("c/transcript.json"), text);
      assert.match(stderr, /transcript is malformed: an object in it has two members of one name/);
      assert.equal(code, 1);
    });

    await done("announce", "--source", "a clock", "--round", "1", "--exponent", "10");
    await done("contribute", "--name", "Bob", "--entropy-file", at("dice"));
    await done("beacon", "--value", "ab".repeat(32));
    await writePlan(at("c"), at("plan.json"));
    const outputs = {
      finalize: [...origin, "--few-contributors", "--plan", at("plan.json"), "--output", at("keys")],
      export: ["--output", at("exported")],
    };
    for (const [command, args] of Object.entries(outputs)) {
      await t.step(`${command} refuses to replace a file before it computes`, async () => {
        const output = args.at(-1)!;
        await done(command, ...args);
        const first = await contents(output);
        const again = await ceremony(command, ...args);
        assert.equal(again.code, 2, again.stderr);
        assert.match(
          again.stderr,
          /--output: .* already exists and is not replaced; name a new folder/,
        );
        assert.doesNotMatch(again.stderr, /checking/);
        assert.deepEqual(await contents(output), first);
        for (const kept of Object.keys(first)) {
          const elsewhere = kept.replace(output, at(`one-${command}`));
          await Deno.mkdir(elsewhere.replace(/[^/]*$/, ""), { recursive: true });
          await Deno.symlink(at("nowhere"), elsewhere);
          const { code, stderr } = await ceremony(command, ...args.slice(0, -1), at(`one-${command}`));
          assert.deepEqual([code, stderr.includes(elsewhere)], [2, true], stderr);
          await Deno.remove(elsewhere);
        }
        assert.deepEqual(await contents(at(`one-${command}`)), {});
      });

      await t.step(`${command} refuses an unwritable output before it computes`, async () => {
        const { code, stderr } = await ceremony(command, ...args.slice(0, -1), at("dice/keys"));
        assert.match(stderr, /dice\/keys cannot be written: .*\[write_failed\]/);
        assert.doesNotMatch(stderr, /checking/);
        assert.equal(code, 1);
      });
    }
  }));

Deno.test("the real circuits and their keys are well below the size limits", async () => {
  const circuits = { withdraw: 5_234, deposit: 9_540, withdraw2: 5_258, settle16: 14_862 };
  for (const [circuit, constraints] of Object.entries(circuits)) {
    const { size } = await Deno.stat(new URL(`../../../artifacts/${circuit}.zkey`, import.meta.url));
    assert.ok(2 * size < maxKeyBytes(constraints, 0), `${circuit} has ${size}`);
    assert.ok(constraints * 4 < MAX_CONSTRAINTS);
  }
});
