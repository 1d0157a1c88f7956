/**
 * Generates the tables of the documentation from the code: problems in docs/integrating.md; settings, flags and
 * metrics in docs/operating.md; commands, flags and variables in docs/commands.md; exit codes in docs/using.md. Then
 * builds the site (site.ts).
 *
 * Usage: deno task docs [--tables | --check]     (`--tables` skips the site; `--check` fails when a committed table
 * differs)
 */
import type { Command } from "commander";
import { exitStatus, exitStatusMeaning } from "../../src/cli/output/exit_status.ts";
import { createProgram } from "../../src/cli/program.ts";
import type { CliContext } from "../../src/cli/context.ts";
import { clientSettings } from "../../src/config/settings/client_settings.ts";
import type { Setting } from "../../src/config/settings/setting.ts";
import { serveSettings } from "../../src/config/settings/serve_settings.ts";
import { deploySettings } from "../../src/config/settings/deploy_settings.ts";
import { problems } from "../../src/core/errors/problem.ts";
import { httpProblemCodes } from "../../src/http/responses/problem_response.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { buildSite } from "./site.ts";
import { writeGenerated } from "../shared/generated_files.ts";
import { readArguments } from "../shared/arguments.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { fillTables } from "../shared/generated_tables.ts";

const flags = readArguments(["--check", "--tables"]);
const check = flags.has("--check");
const problemRows = httpProblemCodes.map((code) => {
  const { status, title, hint } = problems[code];
  return [status, `\`${code}\``, title, hint];
});
const program = createProgram({} as CliContext, "");

await writeGenerated("docs", [
  await fillTables("docs/integrating.md", {
    problems: markdownTable(["Status", "Code", "What it means", "What to do"], problemRows),
  }),
  await fillTables("docs/operating.md", {
    settings: settingTable(serveSettings),
    "deploy-flags": flagTable(named("deploy")),
    "deploy-settings": settingTable(deploySettings),
    "inspect-flags": flagTable(named("pool", "inspect")),
    metrics: markdownTable(
      ["Metric", "Kind", "Labels", "Description"],
      createMetrics().descriptions.map((
        { name, type, labels, help },
      ) => [...[`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(", "), help]]),
    ),
  }),
  await fillTables("docs/commands.md", {
    "program-flags": flagTable(program),
    commands: program.commands.flatMap((command) => commandSection(command, "tonado", "##")),
    settings: settingTable({ ...clientSettings, ...deploySettings }),
  }),
  await fillTables("docs/using.md", {
    "exit-codes": markdownTable(
      ["Code", "Meaning"],
      Object.entries(exitStatus).map((
        [name, code],
      ) => [code, exitStatusMeaning[name as keyof typeof exitStatus]]),
    ),
  }),
], check);
if (!check && !flags.has("--tables")) await buildSite();

function settingTable(table: Readonly<Record<string, Setting<unknown>>>): string[] {
  const rows = Object.values(table).map(({ name, alias, help, secret, offOnLocalnet, default: standard }) => [
    `\`${name}\`${alias ? ` or \`${alias}\`` : ""}`,
    `${help}${offOnLocalnet ? "; off on localnet" : ""}${secret ? " (secret)" : ""}`,
    standard === undefined ? "" : `\`${standard}\``,
  ]);
  return markdownTable(["Variable", "Description", "Default"], rows);
}

function flagTable({ options }: Command): string[] {
  const rows = options.map(({ flags, description, argChoices, mandatory, defaultValue }) => {
    const choices = argChoices ? ` (${argChoices.join(", ")})` : "";
    const standard = defaultValue === undefined ? (mandatory ? "required" : "") : `\`${defaultValue}\``;
    return [`\`${flags}\``, `${description}${choices}`, standard];
  });
  return markdownTable(["Flag", "Description", "Default"], rows);
}

/** Returns a command by its words. */
function named(...words: string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((command) => command.name() === word);
    if (!next) throw new Error(`there is no tonado ${words.join(" ")}`);
    found = next;
  }
  return found;
}

/** Returns the section of a command and its subcommands: description, arguments, flags. */
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
