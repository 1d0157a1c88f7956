/** Mistakes in how the program is called: found also where help is asked for, and told without drawing. */
import { type Command, CommanderError, Help, type Option } from "commander";
import { closest, distance } from "fastest-levenshtein";
import { shownUrl } from "../core/urls.ts";
import { oneLine } from "./terminal_text.ts";

/**
 * The arguments as commander should read them. It would show the help of what stands before a word that is no command, as
 * if the word had not been there, and of `help note check` the help of `note`.
 */
export function helpOfWhatExists(args: readonly string[], program: Command): string[] {
  const path: string[] = [];
  let [at, asked] = [program, false];
  for (const word of args) {
    if (word.startsWith("-")) continue;
    if (at.commands.length === 0) break;
    if (word === "help") {
      asked = true;
      continue;
    }
    path.push(word);
    const next = at.commands.find((each) => each.name() === word);
    // A command that acts on its own, beside its subcommands, may mean the value of a flag.
    if (!next) return at !== program && at.options.length > 0 ? [...args] : path;
    at = next;
  }
  return asked ? [...path, "--help"] : [...args];
}

/** Of commander's help: a flag that cannot be left away says so. */
export function optionDescription(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option);
  return option.mandatory && option.defaultValue === undefined ? `${description} (required)` : description;
}

/**
 * The mistake as it is told. Commander names the first flag that is missing: this all of them; and what the call looks
 * like, or which value is meant.
 */
export function wholeMistake(command: Command, message: string): string {
  const end = message.endsWith("\n") ? "\n" : "";
  if (message.startsWith("error: required option ")) {
    return `${missingFlags(command)}${likeThis(command)}${end}`;
  }
  if (message.startsWith("error: missing required argument ")) {
    return `${message.trimEnd()}${likeThis(command)}${end}`;
  }
  const [, given, choices] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message.trimEnd()) ??
    [];
  if (given === undefined) return message;
  const near = closest(given, choices.split(", "));
  return distance(given, near) > given.length / 2
    ? message
    : `${message.trimEnd()}\n(Did you mean ${near}?)${end}`;
}

function missingFlags(command: Command): string {
  const missing = command.options.filter((option) =>
    option.mandatory && command.getOptionValue(option.attributeName()) === undefined
  );
  const flags = missing.map((option) => `'${option.flags}'`).join(", ");
  return `error: required ${missing.length === 1 ? "option" : "options"} ${flags} not specified`;
}

function likeThis(command: Command): string {
  const needed = command.options.filter(({ mandatory, defaultValue }) =>
    mandatory && defaultValue === undefined
  );
  const words = [
    ...command.registeredArguments.map((each) => each.required ? `<${each.name()}>` : `[${each.name()}]`),
    ...needed.map((option) => option.flags),
  ];
  return `\n(like this: ${pathOf(command)} ${words.join(" ")})`;
}

/** Throws what commander has found, with {@linkcode wholeMistake}. */
export function mistakeOf(command: Command): (error: CommanderError) => never {
  return ({ exitCode, code, message }) => {
    throw new CommanderError(exitCode, code, wholeMistake(command, message));
  };
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** What commander throws when it ends the program; its message is written already unless `--json` was given. */
export function isCommanderError(error: unknown): error is Error & { code: string; exitCode: number } {
  return error instanceof Error && "exitCode" in error &&
    String((error as { code?: unknown }).code).startsWith("commander.");
}

/** Mistake and suggestion of one that did not ask for help, as members of a JSON error. */
export function usageMembers({ code, message }: { code: string; message: string }, args: readonly string[]) {
  if (code === "commander.help") {
    return { message: "a command is missing", todo: "Add --help for what is possible." };
  }
  const [mistake, suggestion] = args
    .reduce((told, arg) => told.replaceAll(arg, argument(arg)), message).replace(/^error: /, "").split("\n(");
  return {
    message: mistake,
    todo: suggestion?.replace(/\)$/, "") ?? "Add --help for what is possible.",
  };
}

/** A message of commander's in which arguments, which it quotes, draw nothing and, if they are URLs, tell no secret. */
export function legible(message: string, args: readonly string[]): string {
  return args.reduce((told, arg) => told.replaceAll(arg, oneLine(argument(arg))), message);
}

function argument(arg: string): string {
  return arg.includes("://") ? shownUrl(arg) : arg;
}
