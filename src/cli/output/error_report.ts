import { Problem, type ProblemDetail, problems } from "../../core/errors/problem.ts";
import { exitStatus, exitStatusOf } from "./exit_status.ts";
import { colours } from "./progress.ts";
import { escapeLine } from "./sanitize.ts";
import { isCommanderError, toUsageErrorJson } from "./commander_messages.ts";
import type { CliContext, TextOutput } from "../context.ts";

/** The reader of standard output closed it, as `head` does. */
export class StdoutClosedError extends Error {}

export function reportError(
  error: unknown,
  context: CliContext,
  { json, args }: { readonly json: boolean; readonly args: readonly string[] },
): number {
  if (error instanceof StdoutClosedError) return exitStatus.brokenPipe;
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return exitStatus.ok;
    if (json) writeErrorJson(context, { code: "usage", ...toUsageErrorJson(error, args) });
    return exitStatus.usage; // commander has printed the text
  }
  if (json) writeErrorJson(context, toErrorJson(error));
  else writeErrorText(error, context);
  return exitStatusOf(error);
}

export function jsonNoticeOutput(output: TextOutput): TextOutput {
  if (output.isTerminal) return output;
  let partial = "";
  return {
    isTerminal: false,
    columns: output.columns,
    write(text) {
      const lines = (partial + text).split("\n");
      partial = lines.pop()!;
      for (const notice of lines) if (notice !== "") output.write(JSON.stringify({ notice }) + "\n");
    },
  };
}

function writeErrorJson({ stderr }: CliContext, error: object): void {
  stderr.write(JSON.stringify({ error }) + "\n");
}

export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly errors?: readonly ProblemDetail[];
}

export function toErrorJson(error: unknown): ErrorJson {
  if (!(error instanceof Problem)) {
    return {
      code: "internal",
      message: errorMessageOf(error),
      hint: "Run it again. If it happens again, report it.",
    };
  }
  const { code, message, hint, errors } = error;
  return { code, message, hint, ...errors.length > 0 && { errors } };
}

function writeErrorText(error: unknown, { stderr, env }: CliContext): void {
  const c = colours(stderr, env);
  if (!(error instanceof Problem)) {
    return stderr.write(`${c.red("error")}: ${escapeLine(errorMessageOf(error))}\n`);
  }
  const headline = error.errors.length > 0 ? problems[error.code].title : error.message; // each detail has a line of its own below
  stderr.write(`${c.red("error")}: ${escapeLine(headline)} [${error.code}]\n`);
  for (const { pointer, detail } of error.errors) {
    stderr.write(`  ${c.bold(escapeLine(pointer))}: ${escapeLine(detail)}\n`);
  }
  stderr.write(`${c.dim(error.hint)}\n`);
}

function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
