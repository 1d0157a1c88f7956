import { type Command, CommanderError, Help, type Option } from "commander";
import { closest, distance } from "fastest-levenshtein";
import { redactUrl } from "../../core/text/urls.ts";
import { escapeLine } from "./sanitize.ts";

/** Works around commander, which shows the parent's help for an unknown command. */
export function normalizeHelpArguments(args: readonly string[], program: Command): string[] {
  const path: string[] = [];
  let [at, isHelpRequested] = [program, false];
  for (const word of args) {
    if (word.startsWith("-")) continue;
    if (at.commands.length === 0) break;
    if (word === "help") {
      isHelpRequested = true;
      continue;
    }
    path.push(word);
    const next = at.commands.find((each) => each.name() === word);
    // The word may be the value of an option of a command that also has subcommands.
    if (!next) return at !== program && at.options.length > 0 ? [...args] : path;
    at = next;
  }
  return isHelpRequested ? [...path, "--help"] : [...args];
}

const HELP_WIDTH = 80;

/** Wraps the prose after the options, which commander leaves as it is. Indented lines are examples and stay. */
export function wrapHelp(text: string): string {
  return text.replaceAll(/(?:^\S.*(?:\n|$))+/gm, (prose) => {
    const fits = prose.split("\n").every((line) => line.length <= HELP_WIDTH);
    return fits ? prose : `${fillLines(prose.trim().split(/\s+/))}${prose.endsWith("\n") ? "\n" : ""}`;
  });
}

function fillLines(words: readonly string[]): string {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length > HELP_WIDTH) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}

export function optionDescription(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option);
  return option.mandatory && option.defaultValue === undefined ? `${description} (required)` : description;
}

export function completeUsageMessage(command: Command, message: string): string {
  const end = message.endsWith("\n") ? "\n" : "";
  if (message.startsWith("error: required option ")) {
    return `${missingFlagsMessage(command)}${usageExample(command)}${end}`;
  }
  if (message.startsWith("error: missing required argument ")) {
    return `${message.trimEnd()}${usageExample(command)}${end}`;
  }
  const [, given, choices] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message.trimEnd()) ??
    [];
  if (given === undefined) return message;
  const near = closest(given, choices.split(", "));
  return distance(given, near) > given.length / 2
    ? message
    : `${message.trimEnd()}\n(Did you mean ${near}?)${end}`;
}

function missingFlagsMessage(command: Command): string {
  const missing = command.options.filter((option) =>
    option.mandatory && command.getOptionValue(option.attributeName()) === undefined
  );
  const flags = missing.map((option) => `'${option.flags}'`).join(", ");
  return `error: required ${missing.length === 1 ? "option" : "options"} ${flags} not specified`;
}

function usageExample(command: Command): string {
  const needed = command.options.filter(({ mandatory, defaultValue }) =>
    mandatory && defaultValue === undefined
  );
  const words = [
    ...command.registeredArguments.map((each) => each.required ? `<${each.name()}>` : `[${each.name()}]`),
    ...needed.map((option) => option.flags),
  ];
  return `\n(like this: ${commandPath(command)} ${words.join(" ")})`;
}

export function throwUsageErrorOf(command: Command): (error: CommanderError) => never {
  return ({ exitCode, code, message }) => {
    throw new CommanderError(exitCode, code, completeUsageMessage(command, message));
  };
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** Ends the program. Its message is already printed, unless `--json` was given. */
export function isCommanderError(error: unknown): error is Error & { code: string; exitCode: number } {
  return error instanceof Error && "exitCode" in error &&
    String((error as { code?: unknown }).code).startsWith("commander.");
}

export function toUsageErrorJson(
  { code, message }: { code: string; message: string },
  args: readonly string[],
) {
  if (code === "commander.help") {
    return { message: "a command is missing", hint: "Add --help to see what is available." };
  }
  const [mistake, suggestion] = args
    .reduce((text, arg) => text.replaceAll(arg, redactArgument(arg)), message).replace(/^error: /, "").split(
      "\n(",
    );
  return { message: mistake, hint: suggestion?.replace(/\)$/, "") ?? "Add --help to see what is available." };
}

export function redactArguments(message: string, args: readonly string[]): string {
  return args.reduce((text, arg) => text.replaceAll(arg, escapeLine(redactArgument(arg))), message);
}

function redactArgument(arg: string): string {
  return arg.includes("://") ? redactUrl(arg) : arg;
}
