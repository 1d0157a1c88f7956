/** What a depositor's commands say of themselves, word for word; and the scripts that complete them, in a real shell. */
import assert from "node:assert/strict";
import { tonado } from "./support/in_process.ts";

const snapshot = new URL("fixtures/help/", import.meta.url);
const commands = [
  ["deposit"],
  ["withdraw"],
  ["note"],
  ...["create", "show", "check", "backup", "restore"].map((name) => ["note", name]),
  ["compliance"],
  ["compliance", "report"],
  ["compliance", "verify"],
  ["pool", "stats"],
  ["wallet"],
  ["wallet", "show"],
  ["wallet", "create"],
  ["status"],
  ["completions"],
];

for (const command of commands) {
  // To accept a change: TONADO_ACCEPT_HELP=1 deno task test tests/cli_help_test.ts
  Deno.test(`tonado ${command.join(" ")} --help is as it was accepted`, async () => {
    const { code, stdout } = await tonado([...command, "--help"]);
    assert.equal(code, 0);
    const file = new URL(`${command.join("-")}.txt`, snapshot);
    if (Deno.env.get("TONADO_ACCEPT_HELP") === "1") await Deno.writeTextFile(file, stdout);
    assert.equal(stdout, await Deno.readTextFile(file));
    assert.match(stdout, /Examples:\n {2}.*tonado/);
    assert.ok(!stdout.includes("\x1b["));
  });
}

const mistakes: [string[], RegExp][] = [
  [["depsit"], /Did you mean deposit\?/],
  [["note", "chek"], /Did you mean check\?/],
  [["compliance", "verfy"], /Did you mean verify\?/],
  [["pool", "stat"], /Did you mean stats\?/],
  [["withdraw", "--too", "x"], /Did you mean --to\?/],
  [["deposit", "native-1", "--from", "me"], /It must be a TON address/],
  [["completions", "csh"], /Allowed choices are bash, zsh, fish/],
  [["wallet", "show", "--network", "localnet", "--endpoint", "http://127.0.0.1:9"], /--ask-mnemonic/],
];
for (const [args, message] of mistakes) {
  Deno.test(`tonado ${args.join(" ")}: says what is wrong and ends with 2`, async () => {
    const { code, stdout, stderr } = await tonado(args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

Deno.test("completions bash completes commands, subcommands and flags in bash", async () => {
  const { stdout: script } = await tonado(["completions", "bash"]);
  const complete = async (...words: string[]) => {
    const code = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})\n` +
      `COMP_CWORD=${words.length - 1}\n_tonado\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await new Deno.Command("bash", { args: ["--norc", "-c", code] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    return new TextDecoder().decode(stdout).trim().split("\n");
  };
  assert.deepEqual(await complete("tonado", "dep"), ["deposit", "deploy"]);
  assert.deepEqual(await complete("tonado", "note", "re"), ["restore"]);
  assert.deepEqual(await complete("tonado", "withdraw", "--re"), [
    "--relayer",
    "--refund",
    "--restart",
    "--registry",
  ]);
  assert.deepEqual(await complete("tonado", "deposit", "native-1", "--res"), ["--resume"]);
});

Deno.test("completions of every shell know every command that the program has", async () => {
  const { stdout: help } = await tonado(["--help"]);
  const names = [...help.slice(help.indexOf("Commands:")).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) =>
    name
  );
  assert.ok(names.length > 10);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout, code } = await tonado(["completions", shell]);
    assert.equal(code, 0);
    for (const name of names.filter((name) => name !== "help")) {
      assert.ok(new RegExp(`\\b${name}\\b`).test(stdout), `${shell}: ${name}`);
    }
  }
});
