import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import vectors from "../../testkit/vectors/protocol.json" with { type: "json" };
import { staleFiles } from "./generated_files.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

Deno.test("a committed file that is missing, shorter, longer or one byte off is stale", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of [["same", "abc"], ["short", "ab"], ["long", "abcd"], ["off", "abd"]]) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const files = ["same", "short", "long", "off", "missing"].map((path) => ({ path, content: "abc" }));
    assert.deepEqual(await staleFiles(files, pathToFileURL(`${folder}/`)), [
      "short",
      "long",
      "off",
      "missing",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function run(tool: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  const { code, stdout } = await childCommand(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(`../generate/${tool}`, import.meta.url).href, ...args],
    stderr: "inherit",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout) };
}

for (const tool of ["zeros.ts", "poseidon_parameters.ts"]) {
  Deno.test(`the committed files are what tools/generate/${tool} generates`, async () => {
    assert.equal((await run(tool, "--check")).code, 0);
  });
}

Deno.test("deno task zeros --print writes the 21 published values, one a line, and nothing else", async () => {
  const { stdout } = await run("zeros.ts", "--print");
  assert.equal(stdout, vectors.zeros.map((zero) => `${zero}\n`).join(""));
});
