import assert from "node:assert/strict";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const module = new URL("../../../src/config/files/bounded_file.ts", import.meta.url).href;
const script = `
  import { readBoundedTextFile } from ${JSON.stringify(module)};
  try {
    console.log(readBoundedTextFile(Deno.args[0], 1000));
  } catch (error) {
    console.log(error.message);
  }
`;

/** Returns the outcome of reading `file`, a word of bash. */
async function read(script: string, file: string): Promise<string> {
  const { stdout } = await childCommand("timeout", {
    args: ["-s", "KILL", "60", "bash", "-c", `'${Deno.execPath()}' run -A --no-check '${script}' ${file}`],
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("a finite pipe that a shell opens is read to its end; any other pipe is refused", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/script.ts`, script);
    const of = (file: string) => read(`${dir}/script.ts`, file);
    assert.equal(await of("<(echo one; sleep 0.1; echo two)"), "one\ntwo");
    assert.equal(await of("<(true)"), "");
    assert.match(await of("<(yes)"), /^it has more than \d+ bytes, more than 1000$/);
    await childCommand("mkfifo", { args: [`${dir}/pipe`] }).output();
    assert.equal(await of(`${dir}/pipe`), "it is not a regular file");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
