/**
 * Runs `deno task compile` with a runtime of another version than the compiler's. Skipped if DENORT_BIN is not set.
 */
import assert from "node:assert/strict";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { output } from "./binary.ts";

const denort = Deno.env.get("DENORT_BIN");
const VERSION = /Deno\/(\d+\.\d+\.\d+)/;
const runtime = denort && new TextDecoder("latin1").decode(await Deno.readFile(denort)).match(VERSION)?.[1];

Deno.test({
  name:
    "compiled: a runtime of another version than the compiler's builds and replaces no binary, and the error names both",
  ignore: denort === undefined || runtime === Deno.version.deno,
  fn: () =>
    withTempDirectory(async (dir) => {
      const sums = `${"0".repeat(64)}  tonado\n`;
      await Deno.writeTextFile(`${dir}/SHA256SUMS`, sums);
      await Deno.writeTextFile(`${dir}/tonado`, "an earlier binary");
      const root = new URL("../../", import.meta.url).pathname;
      const env = { ...Deno.env.toObject(), DENORT_BIN: denort!, TONADO_COMPILER: Deno.execPath() };
      const command = [Deno.execPath(), "task", "compile", "--output", `${dir}/tonado`];
      const { code, stderr } = await output(command, env, root);
      assert.equal(code, 1, stderr);
      for (const part of [denort!, runtime!, Deno.execPath(), Deno.version.deno, "TONADO_COMPILER"]) {
        assert.ok(stderr.includes(part), `${part} is in: ${stderr}`);
      }
      const left = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();
      assert.deepEqual(left, ["SHA256SUMS", "tonado"], "the broken binary is gone");
      assert.equal(await Deno.readTextFile(`${dir}/tonado`), "an earlier binary");
      assert.equal(await Deno.readTextFile(`${dir}/SHA256SUMS`), sums);
    }),
});
