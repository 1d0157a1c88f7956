/** Commands, flags, files, tests and tasks that the documentation names exist. */
import assert from "node:assert/strict";
import { runCli } from "../../src/cli/program.ts";
import type { CliContext } from "../../src/cli/context.ts";
import { assertNamesGram } from "../support/system/coin_name.ts";
import { documentationPages, readCodeBlocks } from "../support/docs/code_blocks.ts";

const root = new URL("../../", import.meta.url);

Deno.test("every command that the documentation shows exists, with every flag that it shows", async () => {
  const help = async (command: readonly string[]) => {
    let text = "";
    const silent = { isTerminal: false, columns: 80, write: (more: string) => void (text += more) };
    await runCli(
      [...command, "--help"],
      "0",
      { env: {}, stdout: silent, stderr: silent } as unknown as CliContext,
    );
    return text;
  };
  const groups = ["pool", "note", "wallet", "store", "ceremony", "compliance"];
  let shown = 0;
  const shell = (await readCodeBlocks(await documentationPages())).filter(({ info }) => /^sh\b/.test(info));
  for (const { page, text } of shell) {
    const commands = text.replaceAll("\\\n", " ").matchAll(
      /(?:^|[$(]|until ) *(?:[A-Z_]+=\S+ )*tonado ([^|;&)>\n]+)/gm,
    );
    for (const [, line] of commands) {
      const words = line.trim().split(/ +/);
      const command = words.slice(0, groups.includes(words[0]) ? 2 : 1);
      const usage = await help(command);
      assert.match(usage, new RegExp(`^Usage: tonado ${command.join(" ")}`), `${page}: tonado ${line}`);
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        assert.match(usage, new RegExp(`${flag}\\b`), `${page}: tonado ${line}`);
      }
      shown++;
    }
  }
  assert.ok(shown >= 50, String(shown));
});

Deno.test("no page names an amount in the coin's former ticker", async () => {
  for (const page of await documentationPages()) {
    assertNamesGram(await Deno.readTextFile(new URL(page, root)), page);
  }
});

Deno.test("no text in the sources names an amount in the coin's former ticker", async () => {
  for (const path of ["main.ts", ...await sources("src/")]) {
    assertNamesGram(await Deno.readTextFile(new URL(path, root)), path);
  }
});

Deno.test("an amount in the coin's former ticker is recognised in every form", () => {
  const former = [
    "10 TON",
    "10\u00a0TON",
    "10\u202fTON",
    "10TON",
    "10&nbsp;TON",
    "**10** TON",
    "TON 10",
    "TON\u00a010",
  ];
  for (
    const text of [...former, "${amount} TON", "{amount} TON", "TON ${amount}", "<amount> TON", "1.5 Toncoin"]
  ) {
    assert.throws(() => assertNamesGram(text, "the text"), text);
  }
  for (
    const text of [
      "10 GRAM on TON",
      "2 TON Connect links",
      "until 2026: TON. 10 GRAM",
      "5 TONADO_NOTES",
      "1 KTON",
    ]
  ) {
    assertNamesGram(text, "the text");
  }
});

Deno.test("README.md and docs/ link to files that exist", async () => {
  const pages = ["README.md", "SECURITY.md", "CHANGELOG.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", root))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  for (const page of pages) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      await assert.doesNotReject(
        Deno.stat(new URL(target, new URL(page, root))),
        `${page} links to ${target}`,
      );
    }
  }
});

Deno.test("the sidebar of the site lists every page of docs/ and the contracts' specifications", async () => {
  const pages = ["/contracts/v1/SPEC", "/contracts/v2/SPEC"];
  for await (const { name } of Deno.readDir(new URL("docs/", root))) {
    if (name.endsWith(".md")) pages.push(`/docs/${name.slice(0, -".md".length)}`);
  }
  const config = await Deno.readTextFile(new URL("tools/docs/site/config.js", root));
  const listed = [...config.matchAll(/\["[^"]+", "(\/(?:docs|contracts)\/[^"]+)"\]/g)].map(([, page]) =>
    page
  );
  assert.deepEqual(listed.sort(), pages.sort());
});

Deno.test("every test that the documentation names exists, and has the title that it quotes", async () => {
  let named = 0;
  for await (const { name: page } of Deno.readDir(new URL("docs/", root))) {
    if (!page.endsWith(".md")) continue;
    const text = (await Deno.readTextFile(new URL(`docs/${page}`, root))).replaceAll(/\s+/g, " ");
    for (
      const [, file, title] of text.matchAll(/`((?:src|tests|tools)\/[\w/]+_test\.ts)`(?:: "([^"]+)")?/g)
    ) {
      const source = await Deno.readTextFile(new URL(file, root));
      if (title) assert.ok(source.includes(title), `docs/${page}: ${file} has no "${title}"`);
      named++;
    }
  }
  assert.ok(named > 30);
});

Deno.test("every task that the documentation names exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  for (const page of await documentationPages()) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, task] of text.matchAll(/deno(?:@[\d.]+)? task ([a-z][a-z:-]*)/g)) {
      assert.ok(task in tasks, `${page} names the task ${task}`);
    }
  }
});

Deno.test("every task is in the tables of docs/development.md", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const text = await Deno.readTextFile(new URL("docs/development.md", root));
  const rows = text.split("\n").filter((line) => line.startsWith("|")).join("\n");
  const reported = new Set([...rows.matchAll(/`deno task ([a-z][a-z:-]*)`/g)].map(([, task]) => task));
  assert.deepEqual(Object.keys(tasks).filter((task) => !reported.has(task)), []);
});

Deno.test("every variable that the program reads by its name is in the table of variables", async () => {
  const page = await Deno.readTextFile(new URL("docs/commands.md", root));
  const table = page.slice(page.indexOf("## Variables"));
  const read = new Set<string>();
  for (const path of ["main.ts", ...await sources("src/")]) {
    const text = await Deno.readTextFile(new URL(path, root));
    for (const [, name] of text.matchAll(/\benv(?:\.|\.get\("|\[")([A-Z][A-Z_]+)/g)) read.add(name);
  }
  assert.ok(read.has("NO_COLOR") && read.has("HOME"), [...read].join());
  for (const name of read) assert.ok(table.includes(`\`${name}\``), `${name} is in no table`);
});

/** Returns the program's source files below a folder, without tests. */
async function sources(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await sources(`${folder}${name}/`));
    else if (/(?<!_test)\.ts$/.test(name)) found.push(folder + name);
  }
  return found;
}
