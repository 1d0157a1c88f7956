/** Every command accepts `--json` and `--quiet`; unknown commands, help and version accept `--json`. */
import assert from "node:assert/strict";
import { runCli } from "../../support/cli/run_cli.ts";

const { stdout: bash } = await runCli(["completions", "bash"]);
const lines = bash.matchAll(/^ {4}'([a-z ]*)'\) echo '(.*)' ;;$/gm);
const places = [...lines].map(([, path, words]) => ({ path, words: words.split(" ") }));

/** The commands that act. A group of commands accepts no flag but --help. */
const acting = places.filter(({ path, words }) =>
  path !== "" && words.some((word) => word.startsWith("--") && word !== "--help")
);

for (const { path, words } of acting) {
  Deno.test(`tonado ${path} accepts --json and --quiet`, () => {
    for (const flag of ["--json", "--quiet"]) assert.ok(words.includes(flag), flag);
  });
}

Deno.test("the list of commands is not empty", () => assert.ok(places.length > 30, String(places.length)));

for (const shell of ["bash", "zsh", "fish"]) {
  Deno.test(`completions ${shell}: JSON has the script, and quiet prints nothing else`, async () => {
    const { stdout: script } = await runCli(["completions", shell]);
    const { code, stdout, stderr } = await runCli(["completions", shell, "--json"]);
    assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { shell, script }, ""]);
    assert.deepEqual((await runCli(["completions", shell, "--quiet"])).stdout, script);
  });
}

const helps = [["help"], ["--help"], ["help", "withdraw"], ["note", "check", "--help"], [
  "help",
  "note",
  "check",
]];
for (const args of helps) {
  for (const given of [[...args, "--json"], ["--json", ...args]]) {
    if (given[0] === "--json" && args[0] === "note") continue; // flags follow their command
    Deno.test(`tonado ${given.join(" ")}: the help, as JSON`, async () => {
      const plain = await runCli(args);
      const { code, stdout, stderr } = await runCli(given);
      assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { help: plain.stdout }, ""]);
      assert.match(plain.stdout, /^Usage: tonado /);
    });
  }
}

for (const args of [["--version", "--json"], ["--json", "--version"]]) {
  Deno.test(`tonado ${args.join(" ")}: the version, as JSON`, async () => {
    const { code, stdout, stderr } = await runCli(args);
    assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { version: "0" }, ""]);
  });
}

Deno.test("tonado --version --verbose --json names every member", async () => {
  const { stdout: plain } = await runCli(["--version", "--verbose"]);
  const { code, stdout } = await runCli(["--version", "--verbose", "--json"]);
  const { version, ...facts } = JSON.parse(stdout);
  assert.deepEqual([code, version], [0, "0"]);
  const reported = plain.trim().split("\n").slice(1).map((
    line,
  ) => [line.slice(0, 12).trim(), line.slice(12)]);
  assert.deepEqual(facts, Object.fromEntries(reported));
  assert.ok("withdraw" in facts && "native" in facts, stdout);
});

Deno.test("a missing command is an error in JSON, without help", async () => {
  const { code, stdout, stderr } = await runCli(["--json"]);
  assert.deepEqual([code, stdout, JSON.parse(stderr).error.code], [2, "", "usage"]);
});
