import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { colours, type ProgressLine, progressLine } from "./progress.ts";

export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addOutputOptions(
  command: Command,
  json = "print JSON",
  quiet = "print only essential output",
): Command {
  return command.option("--json", json).option("--quiet", quiet);
}

/** Amounts are decimal strings, because JSON numbers lose digits above 2^53. */
export function writeJson({ stdout }: Pick<CliContext, "stdout">, value: object): void {
  stdout.write(
    JSON.stringify(value, (_, member) => typeof member === "bigint" ? String(member) : member) + "\n",
  );
}

export function printResult(
  context: Pick<CliContext, "stdout">,
  { json, quiet }: OutputOptions,
  members: object,
  text: string,
): void {
  if (json) writeJson(context, members);
  else if (!quiet) context.stdout.write(`${text}\n`);
}

/** On standard error, also with `--quiet`. */
export function printWarning({ stderr, env }: Pick<CliContext, "stderr" | "env">, text: string): void {
  stderr.write(`${colours(stderr, env).yellow("warning")}: ${text}\n`);
}

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

/** The base of the views of long commands. With `--json` they print one object per line. */
export class CommandView<Options extends OutputOptions> {
  protected readonly progress;

  constructor(readonly context: CliContext, readonly options: Options) {
    this.progress = progressLine(context.stderr);
  }

  /** Returns false without `--json`. */
  protected writeEvent(event: object): boolean {
    if (this.options.json) writeJson(this.context, event);
    return this.options.json === true;
  }

  protected printText(text: string): void {
    this.progress.clear();
    if (!this.options.quiet) this.context.stdout.write(`${text}\n`);
  }

  /** Returns a command behind its introduction; on a terminal, on lines that fit and can be pasted together. */
  protected formatCommand(introduction: string, command: string, output = this.context.stdout): string {
    if (!output.isTerminal) return `${introduction} ${command}`;
    const lines: string[] = [];
    for (const part of command.match(/(?:--\S+ )?(?:\\.|'[^']*'|<[^>]*>|\S)+/g) ?? []) { // a flag and its value
      const longer = lines.length === 0 ? part : `${lines.at(-1)} ${part}`;
      if (lines.length > 0 && longer.length > output.columns - " \\".length) lines.push(`  ${part}`);
      else lines[Math.max(lines.length - 1, 0)] = longer;
    }
    return `${introduction}\n${lines.join(" \\\n")}`;
  }

  protected get colours() {
    return colours(this.context.stdout, this.context.env);
  }
}
