/** How commands print results and warnings: `--json`, `--quiet` and a progress line mean the same everywhere. */
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { colours, type ProgressLine, progressLine } from "./progress.ts";

/** The flags that every command has. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds `--json` and `--quiet` with their help texts. */
export function addOutputOptions(
  command: Command,
  json = "print JSON",
  quiet = "print only essential output",
): Command {
  return command.option("--json", json).option("--quiet", quiet);
}

/** Writes one JSON value and a newline to standard output. */
export function writeJson({ stdout }: Pick<CliContext, "stdout">, value: object): void {
  stdout.write(JSON.stringify(value) + "\n");
}

/** Prints the result of a command: JSON with `--json`, else the text, which `--quiet` suppresses. */
export function printResult(
  context: Pick<CliContext, "stdout">,
  { json, quiet }: OutputOptions,
  members: object,
  text: string,
): void {
  if (json) writeJson(context, members);
  else if (!quiet) context.stdout.write(`${text}\n`);
}

/** Writes a warning to standard error, also with `--quiet`. */
export function printWarning({ stderr, env }: Pick<CliContext, "stderr" | "env">, text: string): void {
  stderr.write(`${colours(stderr, env).yellow("warning")}: ${text}\n`);
}

/** Runs work that reports its progress on a line, which is removed afterwards and not drawn with `--quiet`. */
export async function withProgressLine<T>(
  { stderr }: Pick<CliContext, "stderr">,
  { quiet }: OutputOptions,
  work: (line: ProgressLine) => Promise<T>,
): Promise<T> {
  const line = progressLine(stderr);
  try {
    return await work(quiet ? { ...line, update: () => {} } : line);
  } finally {
    line.clear();
  }
}
