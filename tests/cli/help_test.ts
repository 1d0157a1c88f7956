/** The exact help texts of commands, and their error messages. */
import assert from "node:assert/strict";
import { runCli } from "../support/cli/run_cli.ts";

const snapshot = new URL("../fixtures/help/", import.meta.url);
/** Returns every command that help lists, the program itself first. */
async function everyCommand(path: readonly string[] = []): Promise<(readonly string[])[]> {
  const { stdout } = await runCli([...path, "--help"]);
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
  // To accept a change: TONADO_ACCEPT_HELP=1 deno task test tests/cli/help_test.ts
  Deno.test(`${["tonado", ...command].join(" ")} --help equals the stored text, with examples and no colour`, async () => {
    const { code, stdout } = await runCli([...command, "--help"]);
    assert.equal(code, 0);
    const file = new URL(`${["tonado", ...command].join("-")}.txt`, snapshot);
    if (Deno.env.get("TONADO_ACCEPT_HELP") === "1") await Deno.writeTextFile(file, stdout);
    assert.equal(stdout, await Deno.readTextFile(file));
    assert.match(stdout, /Examples:\n {2}.*tonado/);
    assert.ok(!stdout.includes("\x1b["));
    const tooLong = stdout.split("\n").filter((line) => line.length > 80 && !line.startsWith("  "));
    assert.deepEqual(tooLong, [], "prose wider than a terminal");
  });
}

Deno.test("no help is stored for a removed command", async () => {
  const kept = (await Array.fromAsync(Deno.readDir(snapshot))).map(({ name }) => name).sort();
  assert.deepEqual(kept, commands.map((path) => `${["tonado", ...path].join("-")}.txt`).sort());
});

Deno.test("every command that acts accepts --json and --quiet; commands that move money accept --yes", async () => {
  const printsAScript = "completions";
  for (const command of commands) {
    const name = command.join(" ");
    if (groups.includes(command) || name === printsAScript) continue;
    const { stdout } = await runCli([...command, "--help"]);
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
  [
    ["pool", "list", "--network", "testent"],
    /Allowed choices are .*localnet\.\n\(Did you mean testnet\?\)\n/,
  ],
  [["completions", "bsh"], /Allowed choices are bash, zsh, fish\.\n\(Did you mean bash\?\)\n/],
  [["pool", "list", "--network", "x"], /Allowed choices are mainnet, testnet, localnet\.\n\(add --help/],
  [["pool", "inspect"], /'pool'\n\(like this: tonado pool inspect <pool>\)\n/],
  [["deposit", "native-1", "--manifest", "http://me"], /It must be an https address/],
  [["completions", "csh"], /Allowed choices are bash, zsh, fish/],
  [["wallet", "show", "--network", "localnet", "--endpoint", "http://127.0.0.1:9"], /--ask-mnemonic/],
];
for (const [args, message] of mistakes) {
  Deno.test(`tonado ${args.join(" ")}: reports the mistake and exits with 2`, async () => {
    const { code, stdout, stderr } = await runCli(args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

const noCommands: [string[], RegExp][] = [
  [["foo", "--help"], /unknown command 'foo'/],
  [["--help", "foo"], /unknown command 'foo'/],
  [["help", "foo"], /unknown command 'foo'/],
  [["depsit", "--help"], /unknown command 'depsit'\n\(Did you mean deposit\?\)/],
  [["help", "withdrow"], /Did you mean withdraw\?/],
  [["note", "chek", "--help"], /Did you mean check\?/],
  [["note", "help", "chek"], /Did you mean check\?/],
  [["help", "note", "chek"], /Did you mean check\?/],
  [["zeroes", "-h"], /Did you mean zeros\?/],
];
for (const [args, message] of noCommands) {
  Deno.test(`tonado ${args.join(" ")}: an unknown command has no help`, async () => {
    const { code, stdout, stderr } = await runCli(args);
    assert.match(stderr, message);
    assert.match(stderr, /--help/, "the next step");
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

Deno.test("--help works at every place in an existing command line", async () => {
  const { stdout } = await runCli(["note", "check", "--help"]);
  for (const args of [["help", "note", "check"], ["note", "help", "check"], ["note", "check", "foo", "-h"]]) {
    const { code, stdout: shown } = await runCli(args);
    assert.deepEqual([code, shown], [0, stdout], args.join(" "));
  }
});

const failing: [string[], number, Record<string, unknown>][] = [
  [["depsit", "--json"], 2, {
    code: "usage",
    message: "unknown command 'depsit'",
    hint: "Did you mean deposit?",
  }],
  [["withdraw", "--json", "--too", "x"], 2, { code: "usage", message: "unknown option '--too'" }],
  [["note", "--json"], 2, { code: "usage" }],
  [["completions", "csh", "--json"], 2, { code: "usage" }],
  [["pool", "list", "--json", "--registry", "/nowhere/x.json"], 2, { code: "invalid_registry" }],
  [["wallet", "show", "--json", "--network", "localnet", "--endpoint", "http://127.0.0.1:9"], 2, {
    code: "invalid_config",
  }],
  [["note", "show", "--json", "--notes", "/nowhere/notes.age"], 1, { code: "unknown_note" }],
  [["status", "--json", "--network", "localnet", "--endpoint", "http://127.0.0.1:9"], 3, {
    code: "chain_unavailable",
  }],
  [["config", "--json"], 2, { code: "invalid_config" }],
];
for (const [args, status, members] of failing) {
  Deno.test(`tonado ${args.join(" ")}: the error is JSON, alone on standard error`, async () => {
    const { code, stderr } = await runCli(args);
    const reported = stderr.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(reported.map((line) => Object.keys(line)), [["error"]]);
    const { error } = reported[0];
    assert.equal(code, status, stderr);
    for (const [name, value] of Object.entries(members)) assert.equal(error[name], value);
    assert.ok(error.message.length > 0 && error.hint.length > 0);
  });
}

Deno.test("with --json notices are JSON, too", async () => {
  const { stderr } = await runCli(["config", "--json"], { RELAYER_PROT: "1" });
  const reported = stderr.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(reported.map((line) => Object.keys(line)[0]), ["notice", "error"]);
  assert.match(reported[0].notice, /RELAYER_PROT/);
});
