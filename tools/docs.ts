/**
 * Generates what the documentation repeats of the code: the table of problems in docs/integrating.md, the tables of
 * settings and of the deploying and auditing commands' flags in docs/operating.md, and docs/commands.md, which has every
 * command, flag and variable.
 *
 * Then builds the site, see docs_site.ts.
 *
 * Usage: deno task docs [--tables | --check]     (tables only; `--check` fails when a committed table differs)
 */
import type { Command } from "commander";
import { exitMeaning, exitStatus } from "../src/cli/exit_status.ts";
import { wholeProgram } from "../src/cli/program.ts";
import type { Wiring } from "../src/cli/wiring.ts";
import { clientSettings } from "../src/config/client_settings.ts";
import type { Setting } from "../src/config/setting.ts";
import { settings } from "../src/config/settings.ts";
import { toolSettings } from "../src/config/tool_settings.ts";
import { problems } from "../src/core/errors.ts";
import { httpProblemCodes } from "../src/http/problem_response.ts";
import { createMetrics } from "../src/telemetry/metrics.ts";
import { buildSite } from "./docs_site.ts";
import { writeGenerated } from "./generated_files.ts";
import { readArguments } from "./flags.ts";
import { page } from "./generated_page.ts";

const flags = readArguments(["--check", "--tables"]);
const check = flags.has("--check");
const problemRows = httpProblemCodes.map((code) => {
  const { status, title, todo } = problems[code];
  return `| ${status} | \`${code}\` | ${title} | ${todo} |`;
});
const program = wholeProgram({} as Wiring, "");

await writeGenerated("docs", [
  await page("docs/integrating.md", {
    problems: ["| Status | Code | What it means | What to do |", "| --- | --- | --- | --- |", ...problemRows],
  }),
  await page("docs/operating.md", {
    settings: settingTable(settings),
    "deploy-flags": flagTable(named("deploy")),
    "deploy-settings": settingTable(toolSettings),
    "inspect-flags": flagTable(named("pool", "inspect")),
    metrics: [
      "| Metric | Kind | Labels | What it is |",
      "| --- | --- | --- | --- |",
      ...createMetrics().described.map(({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`
      ),
    ],
  }),
  await page("docs/commands.md", {
    "program-flags": flagTable(program),
    commands: program.commands.flatMap((command) => commandSection(command, "tonado", "##")),
    settings: settingTable({ ...clientSettings, ...toolSettings }),
  }),
  await page("docs/using.md", {
    "exit-codes": [
      "| Code | Meaning |",
      "| --- | --- |",
      ...Object.entries(exitStatus).map(([name, code]) =>
        `| ${code} | ${exitMeaning[name as keyof typeof exitStatus]} |`
      ),
    ],
  }),
], check);
if (!check && !flags.has("--tables")) await buildSite();

function settingTable(table: Readonly<Record<string, Setting<unknown>>>): string[] {
  const rows = Object.values(table).map(({ name, alias, help, secret, offOnLocalnet, default: standard }) =>
    `| \`${name}\`${alias ? ` or \`${alias}\`` : ""} | ${help}${offOnLocalnet ? "; off on localnet" : ""}${
      secret ? " (secret)" : ""
    } | ${standard === undefined ? "" : `\`${standard}\``} |`
  );
  return ["| Variable | What it is | Default |", "| --- | --- | --- |", ...rows];
}

function flagTable({ options }: Command): string[] {
  const rows = options.map(({ flags, description, argChoices, mandatory, defaultValue }) => {
    const choices = argChoices ? ` (${argChoices.join(", ")})` : "";
    const standard = defaultValue === undefined ? (mandatory ? "required" : "") : `\`${defaultValue}\``;
    return `| \`${flags}\` | ${description}${choices} | ${standard} |`;
  });
  return ["| Flag | What it is | Default |", "| --- | --- | --- |", ...rows];
}

/** A command by its words. */
function named(...words: string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((command) => command.name() === word);
    if (!next) throw new Error(`there is no tonado ${words.join(" ")}`);
    found = next;
  }
  return found;
}

/** What a command is, takes and has below it. */
function commandSection(command: Command, above: string, mark: string): string[] {
  const name = `${above} ${command.name()}`;
  const text = command.description();
  const takes = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const told = command.registeredArguments.filter(({ description }) => description !== "");
  return [
    `${mark} \`${[name, ...takes].join(" ")}\``,
    "",
    `${text[0].toUpperCase()}${text.slice(1)}.`,
    "",
    ...told.map((argument) => `- \`${argument.name()}\`: ${argument.description}`),
    "",
    ...(command.options.length > 0 ? [...flagTable(command), ""] : []),
    ...command.commands.flatMap((each) => commandSection(each, name, `${mark}#`)),
  ];
}
