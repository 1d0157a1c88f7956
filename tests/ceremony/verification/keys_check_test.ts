/** `deno task keys:check`, in a copy of the repository whose keys have points at infinity. */
import assert from "node:assert/strict";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { sha256 } from "../../../testkit/toolchain/artifact_pins.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const root = new URL("../../../", import.meta.url).pathname;
const COPIED = [
  ...["deno.json", "deno.lock", "artifacts", "circuits", "src", "testkit", "tools"],
  ...["ceremony-wasm", "poseidon-wasm", "prover-wasm"],
];

const run = (command: string, args: readonly string[], cwd: string) =>
  childCommand(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  })
    .output();

Deno.test("keys:check passes on the committed keys, and names the point of a key that is at infinity", (t) =>
  withTempDirectory(async (folder) => {
    assert.ok((await run("cp", ["-r", ...COPIED, folder], root)).success);
    const check = async () => {
      const { code, stdout, stderr } = await run(Deno.execPath(), ["task", "keys:check"], folder);
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      return { code, out, err };
    };
    await t.step("the committed keys", async () => {
      const { code, out, err } = await check();
      assert.equal(code, 0, err);
      assert.match(out, /keys:check: \d+ artifacts match their pins/);
    });
    const file = `${folder}/artifacts/withdraw.vkey.json`;
    const committed = await Deno.readTextFile(file);
    const pins = await Deno.readTextFile(`${folder}/artifacts/pins.json`);
    const changes: [string, Record<string, unknown>][] = [
      ["vk_alpha_1", { vk_alpha_1: ["0", "1", "0"] }],
      ["vk_delta_2", { vk_delta_2: [["0", "0"], ["1", "0"], ["0", "0"]] }],
      ["IC/0", { IC: JSON.parse(committed).IC.with(0, ["0", "1", "0"]) }],
    ];
    for (const [point, change] of changes) {
      await t.step(`${point} at infinity, with a pin that matches`, async () => {
        const text = `${JSON.stringify({ ...JSON.parse(committed), ...change }, null, 2)}\n`;
        await Deno.writeTextFile(file, text);
        const [before, after] = [committed, text].map((content) => sha256(new TextEncoder().encode(content)));
        assert.ok(pins.includes(before));
        await Deno.writeTextFile(`${folder}/artifacts/pins.json`, pins.replace(before, after));
        const { code, err } = await check();
        assert.equal(code, 1);
        assert.ok(!err.includes("pinned SHA-256"), err);
        assert.ok(
          err.includes(`withdraw.vkey.json: ${point} is at infinity or no point of order r`),
          err,
        );
      });
    }
  }));
