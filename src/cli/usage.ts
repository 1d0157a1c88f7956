/** Mistakes in how the program is called: found also where help is asked for, and told without drawing. */
import type { Command } from "commander";
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
    if (!next) return path;
    at = next;
  }
  return asked ? [...path, "--help"] : [...args];
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
