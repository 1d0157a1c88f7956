/** What commands say of themselves, word for word, and of mistakes. */
import assert from "node:assert/strict";
import { tonado } from "./support/in_process.ts";

const snapshot = new URL("fixtures/help/", import.meta.url);
/** Every command that help lists, the program itself first. */
async function everyCommand(path: readonly string[] = []): Promise<(readonly string[])[]> {
  const { stdout } = await tonado([...path, "--help"]);
  const listed = stdout.split("Commands:\n")[1]?.split("\n\n")[0] ?? "";
  const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name).filter((name) =>
    name !== "help"
  );
  return [path, ...(await Promise.all(names.map((name) => everyCommand([...path, name])))).flat()];
}
const commands = await everyCommand();
const groups = commands.filter((path) =>
  commands.some((each) => each.length === path.length + 1 && each.join(" ").startsWith(path.join(" ")))
);

for (const command of commands) {
  // To accept a change: TONADO_ACCEPT_HELP=1 deno task test tests/cli_help_test.ts
  Deno.test(`${["tonado", ...command].join(" ")} --help is as it was accepted, with examples and no colour`, async () => {
    const { code, stdout } = await tonado([...command, "--help"]);
    assert.equal(code, 0);
    const file = new URL(`${["tonado", ...command].join("-")}.txt`, snapshot);
    if (Deno.env.get("TONADO_ACCEPT_HELP") === "1") await Deno.writeTextFile(file, stdout);
    assert.equal(stdout, await Deno.readTextFile(file));
    assert.match(stdout, /Examples:\n {2}.*tonado/);
    assert.ok(!stdout.includes("\x1b["));
  });
}

Deno.test("no help is kept of a command that is gone", async () => {
  const kept = (await Array.fromAsync(Deno.readDir(snapshot))).map(({ name }) => name).sort();
  assert.deepEqual(kept, commands.map((path) => `${["tonado", ...path].join("-")}.txt`).sort());
});

Deno.test("every command that does something takes --json and --quiet; what moves money takes --yes", async () => {
  const printsAScript = "completions";
  for (const command of commands) {
    const name = command.join(" ");
    if (groups.includes(command) || name === printsAScript) continue;
    const { stdout } = await tonado([...command, "--help"]);
    for (const flag of ["--json", "--quiet"]) assert.ok(stdout.includes(`  ${flag} `), `${name}: ${flag}`);
    if (["deposit", "withdraw", "deploy"].includes(name)) assert.ok(stdout.includes("  --yes "), name);
  }
});

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
