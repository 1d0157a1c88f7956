/** `tonado completions` in each shell that it supports. */
import assert from "node:assert/strict";
import { runCli } from "../support/cli/run_cli.ts";
import { hasProgram } from "../support/system/requirements.ts";
import { KILL_LINE, lacksTerminal, openTerminal } from "../support/cli/terminal.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const ways = {
  "sourced": (file: string) => `autoload -U compinit; compinit -u -D; source ${file}`,
  "found in fpath": (file: string) =>
    `fpath=(${file.replace(/\/[^/]*$/, "")} $fpath); autoload -U compinit; compinit -u -D`,
};
const shells = ["bash", "zsh", "fish"];
const networks = ["mainnet", "testnet", "localnet"];
/** Ends of command lines after which a file or folder follows. */
const filesDue = [
  "tonado note restore ",
  "tonado withdraw --mnemonic-file ",
  "tonado localnet --data-dir ",
  "tonado wallet create ",
];

Deno.test({
  name: "completions bash completes commands, subcommands and flags in bash",
  ignore: !await hasProgram("bash"),
  fn: async () => {
    const { stdout: script } = await runCli(["completions", "bash"]);
    const complete = async (...words: string[]) => {
      const code = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})\n` +
        `COMP_CWORD=${words.length - 1}\n_tonado\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = await childCommand("bash", { args: ["--norc", "-c", code] }).output();
      assert.equal(new TextDecoder().decode(stderr), "");
      return new TextDecoder().decode(stdout).trim().split("\n");
    };
    assert.deepEqual(await complete("tonado", "dep"), ["deposit", "deploy"]);
    assert.deepEqual(await complete("tonado", "note", "re"), ["restore", "recover"]);
    assert.deepEqual(await complete("tonado", "withdraw", "--re"), [
      "--relayer",
      "--refund",
      "--restart",
      "--requests-per-second",
      "--registry",
    ]);
    assert.deepEqual(await complete("tonado", "deposit", "native-1", "--res"), ["--resume"]);
    assert.deepEqual(await complete("tonado", "withdraw", "--network", ""), networks);
    assert.deepEqual(await complete("tonado", "withdraw", "--network", "=", "te"), ["testnet"]);
    assert.deepEqual(await complete("tonado", "withdraw", "--network", "="), networks);
    assert.deepEqual((await complete("tonado", "completions", "")).slice(0, 3), shells);
    assert.deepEqual(await complete("tonado", "help", "dep"), ["deposit", "deploy"]);
    assert.deepEqual(await complete("tonado", "note", "restore", "--he"), ["--help"]);
  },
});

for (const line of filesDue) {
  Deno.test({
    name: `completions bash offer files at \`${line}\` and Tab`,
    ignore: lacksTerminal || !await hasProgram("bash"),
    fn: () => offersFiles(["bash", "--norc", "-i"], "bash", (script) => `source ${script}`, line),
  });
  Deno.test({
    name: `completions zsh offer files at \`${line}\` and Tab`,
    ignore: lacksTerminal || !await hasProgram("zsh"),
    fn: () => offersFiles(["zsh", "-f", "-i"], "zsh", ways.sourced, line),
  });
}

/** Asserts that one Tab completes the only file and the only folder. */
async function offersFiles(command: string[], shell: string, load: (script: string) => string, line: string) {
  const dir = await Deno.makeTempDir({ prefix: `tonado-${shell}-` });
  try {
    await Deno.mkdir(`${dir}/here`);
    await Deno.writeTextFile(`${dir}/here/only-file.age`, "");
    await Deno.writeTextFile(`${dir}/_tonado`, (await runCli(["completions", shell])).stdout);
    const terminal = openTerminal(command, { cwd: `${dir}/here` });
    await terminal.type(`${load(`${dir}/_tonado`)}; echo loa''ded\r`);
    await terminal.waitFor("loaded");
    await terminal.type(`${line}\t`);
    await terminal.waitFor("only-file.age");
    await terminal.type(`${KILL_LINE}exit\r`);
    await terminal.waitForExit();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("completions of every shell contain every command", async () => {
  const { stdout: help } = await runCli(["--help"]);
  const names = [...help.slice(help.indexOf("Commands:")).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) =>
    name
  );
  assert.ok(names.length > 10);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout, code } = await runCli(["completions", shell]);
    assert.equal(code, 0);
    for (const name of names.filter((name) => name !== "help")) {
      assert.ok(new RegExp(`\\b${name}\\b`).test(stdout), `${shell}: ${name}`);
    }
  }
});

for (const [way, load] of Object.entries(ways)) {
  Deno.test({
    name: `completions zsh, ${way}, complete at the first Tab`,
    ignore: lacksTerminal || !await hasProgram("zsh"),
    fn: async () => {
      const dir = await Deno.makeTempDir({ prefix: "tonado-zsh-" });
      try {
        await Deno.writeTextFile(`${dir}/_tonado`, (await runCli(["completions", "zsh"])).stdout);
        const terminal = openTerminal(["zsh", "-f", "-i"], { cwd: dir });
        await terminal.type(`${load(`${dir}/_tonado`)}; echo loa''ded\r`);
        await terminal.waitFor("loaded");
        await terminal.type("echo tonado; tonado note res\t");
        await terminal.waitFor(/tore/);
        await terminal.type(`${KILL_LINE}tonado withdraw --re\t`);
        for (const flag of ["--refund", "--registry", "--relayer", "--restart"]) await terminal.waitFor(flag);
        await terminal.type(`${KILL_LINE}tonado withdraw --network \t`);
        for (const network of networks.toSorted()) await terminal.waitFor(network);
        await terminal.type(`${KILL_LINE}tonado withdraw --network=tes\t`);
        await terminal.waitFor("--network=testnet");
        await terminal.type(`${KILL_LINE}tonado help compl\t`);
        await terminal.waitFor("completions");
        await terminal.type(`${KILL_LINE}exit\r`);
        await terminal.waitForExit();
        assert.ok(!terminal.screen.includes("command not found: _"), terminal.screen);
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}

Deno.test({
  name: "completions fish complete commands, subcommands and flags in fish",
  ignore: !await hasProgram("fish"),
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "tonado-fish-" });
    try {
      await Deno.writeTextFile(`${dir}/tonado.fish`, (await runCli(["completions", "fish"])).stdout);
      const complete = async (line: string) => {
        const code = `source ${dir}/tonado.fish; complete -C '${line}'`;
        const { stdout, stderr } = await childCommand("fish", {
          args: ["--no-config", "-c", code],
          cwd: dir,
          env: { HOME: dir },
        }).output();
        assert.equal(new TextDecoder().decode(stderr), "");
        return new TextDecoder().decode(stdout).trim().split("\n").map((each) => each.split("\t")[0]).sort();
      };
      assert.deepEqual(await complete("tonado dep"), ["deploy", "deposit"]);
      assert.deepEqual(await complete("tonado note re"), ["recover", "restore"]);
      assert.deepEqual(await complete("tonado withdraw --re"), [
        "--refund",
        "--registry",
        "--relayer",
        "--requests-per-second",
        "--restart",
      ]);
      assert.deepEqual(await complete("tonado withdraw --network "), networks.toSorted());
      assert.deepEqual(await complete("tonado withdraw --network=te"), ["--network=testnet"]);
      assert.deepEqual(await complete("tonado completions "), shells.toSorted());
      assert.deepEqual(await complete("tonado help dep"), ["deploy", "deposit"]);
      for (const line of filesDue) assert.ok((await complete(line)).includes("tonado.fish"), line);
      for (const line of ["tonado ", "tonado withdraw --to "]) {
        assert.ok(!(await complete(line)).includes("tonado.fish"), line);
      }
      assert.deepEqual(await complete("tonado pool stats --lat"), ["--latest"]);
      assert.deepEqual(await complete("tonado compliance report --p"), ["--page"]);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
