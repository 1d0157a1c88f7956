/** Mistakes in the arguments of `tonado ceremony` exit with 2 and name the correction. */
import assert from "node:assert/strict";
import { runCli } from "../support/cli/run_cli.ts";

const mistakes: [string[], RegExp][] = [
  [["verfy", "c"], /Did you mean verify\?/],
  [["contribute", "c"], /required option '--name <name>'/],
  [["contribute", "c", "--name", "<b>"], /It must be 1 to 63 letters/],
  [["beacon", "c", "--value", "abc"], /It must be 8 to 255 bytes in hex/],
  [
    ["announce", "c", "--source", "s", "--round", "1", "--exponent", "9"],
    /It must be an integer from 10 to 30/,
  ],
  [
    ["announce", "c", "--source", "s", "--round", "1", "--exponent", "31"],
    /It must be an integer from 10 to 30/,
  ],
  [
    ["init", "c"],
    /^error: required options '--powers <file>', '--circuits <directory>' not specified\n\(like this: tonado ceremony init <directory> --powers <file> --circuits <directory>\)\n/,
  ],
  [["init", "c", "--circuits", "."], /^error: required option '--powers <file>' not specified\n/],
  [
    ["finalize", "c", "--powers", "x"],
    /^error: required options '--circuits <directory>', '--output <directory>' not specified\n/,
  ],
  [["verify", "c", "--powers", "x"], /--circuits: is missing/],
  [["init", "c", "--circuits", ".", "--powers", "x"], /has no withdraw.r1cs: `deno task circuits` makes it/],
];
for (const [args, message] of mistakes) {
  Deno.test(`tonado ceremony ${args.join(" ").slice(0, 60)}: reports the mistake and exits with 2`, async () => {
    const { code, stdout, stderr } = await runCli(["ceremony", ...args]);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

Deno.test("tonado ceremony in a folder without a ceremony exits with 1 and names the command that starts one", async () => {
  const { code, stderr } = await runCli(["ceremony", "verify", "/nonexistent/ceremony"]);
  assert.equal(code, 1);
  assert.match(stderr, /has no transcript.json: begin one with `tonado ceremony init`/);
});

Deno.test("tonado ceremony with --json names the missing flags and their places in one object", async () => {
  const { code, stderr } = await runCli(["ceremony", "init", "c", "--json"]);
  const { error } = JSON.parse(stderr);
  assert.deepEqual([code, error.code], [2, "usage"]);
  assert.equal(error.message, "required options '--powers <file>', '--circuits <directory>' not specified");
  assert.equal(
    error.hint,
    "like this: tonado ceremony init <directory> --powers <file> --circuits <directory>",
  );
});
