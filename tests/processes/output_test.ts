/**
 * Output that cannot be written or is not read: the error names the next step, and no partial file remains.
 */
import assert from "node:assert/strict";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const dir = await Deno.makeTempDir({ prefix: "tonado-output-" });
const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" };

/** Runs the program in a shell; `%` stands for the program. */
async function inShell(script: string) {
  const command = script.replaceAll("%", sourceCommand().join(" "));
  const { code, stdout, stderr } = await childCommand("bash", { args: ["-c", command], env, cwd: dir })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** No file may grow. A write then fails as on a full disk. */
const FULL = "trap '' XFSZ; ulimit -f 0;";

Deno.test("a full disk at standard output is reported, also in JSON", async () => {
  const { code, stderr } = await inShell("% zeros --json > /dev/full");
  assert.equal(code, 1, stderr);
  assert.equal(JSON.parse(stderr).error.code, "write_failed");
  assert.match(stderr, /standard output cannot be written/);
});

Deno.test("a reader that closes the pipe ends the program without a message", async () => {
  // The reader closes before the program writes anything.
  const { stdout, stderr } = await inShell("% zeros | true; echo ${PIPESTATUS[0]}");
  assert.deepEqual([stdout, stderr], ["141\n", ""]);
});

const files = async () => (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();

for (
  const [what, command, file] of [
    ["a wallet's words", "wallet create words.txt", "words.txt"],
    ["the note store", "note create native-1 --network localnet --registry pools.json", "notes.age"],
  ]
) {
  Deno.test(`${what} on a full disk names the file and the next step, and leaves no temporary file`, async () => {
    const pool = {
      address: `0:${"77".repeat(32)}`,
      asset: "native",
      amount: "1",
      denomination: "1000000000",
      deployedSeqno: 1,
      codeHash: "0".repeat(64),
      vkeyHash: "0".repeat(64),
      owner: null,
    };
    const registry = JSON.stringify({ network: "localnet", pools: { "native-1": pool } });
    await Deno.writeTextFile(`${dir}/pools.json`, registry);
    const { code, stdout, stderr } = await inShell(`${FULL} % ${command}`);
    assert.match(stderr, new RegExp(`${file} cannot be written: .*\\[write_failed\\]\nFree disk space`));
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.deepEqual(await files(), ["pools.json"]);
  });
}

for (const command of ["compliance verify /dev/zero", "compliance verify pipe", "ceremony verify folder"]) {
  Deno.test(`a file that never ends is refused: ${command}`, async () => {
    const { code, stderr } = await inShell(
      `mkdir -p folder; mkfifo pipe folder/transcript.json 2> /dev/null; timeout 30 % ${command}`,
    );
    assert.match(stderr, /cannot be read: it is not a regular file/);
    assert.equal(code, 2, stderr);
  });
}

Deno.test("the output's directory is removed", () => Deno.remove(dir, { recursive: true }));
