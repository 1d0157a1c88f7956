/** How the program tells that it failed: to people, or with `--json` as one object on standard error. */
import { Problem, type ProblemDetail, problems } from "../core/errors.ts";
import { exitStatus, statusOf } from "./exit_status.ts";
import { colours } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import { isCommanderError, usageMembers } from "./usage.ts";
import type { Output, Wiring } from "./wiring.ts";

/** Whoever read standard output has gone, as `head` does. */
export class Unread extends Error {}

/** Says what went wrong and what to do about it; returns the exit status. @param args those of the program */
export function explain(
  error: unknown,
  wiring: Wiring,
  { json, args }: { readonly json: boolean; readonly args: readonly string[] },
): number {
  if (error instanceof Unread) return exitStatus.unread;
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return exitStatus.ok;
    if (json) tellJson(wiring, { code: "usage", ...usageMembers(error, args) });
    return exitStatus.usage; // for people commander has written it
  }
  if (json) tellJson(wiring, membersOf(error));
  else tell(error, wiring);
  return statusOf(error);
}

/**
 * With `--json` standard error holds JSON, too, one object a line: what commands say there in passing, and at the end the
 * error. At a terminal it is left as people read it.
 */
export function noticesAsJson(output: Output): Output {
  if (output.isTerminal) return output;
  let begun = "";
  return {
    isTerminal: false,
    columns: output.columns,
    write(text) {
      const lines = (begun + text).split("\n");
      begun = lines.pop()!;
      for (const notice of lines) if (notice !== "") output.write(JSON.stringify({ notice }) + "\n");
    },
  };
}

function tellJson({ stderr }: Wiring, error: object): void {
  stderr.write(JSON.stringify({ error }) + "\n");
}

/** What is told of an error. */
export interface ErrorMembers {
  readonly code: string;
  readonly message: string;
  readonly todo: string;
  readonly errors?: readonly ProblemDetail[];
}

/** An error as the members of a JSON object. */
export function membersOf(error: unknown): ErrorMembers {
  if (!(error instanceof Problem)) {
    return {
      code: "internal",
      message: messageOf(error),
      todo: "Run it again, and report it when it stays.",
    };
  }
  const { code, message, todo, errors } = error;
  return { code, message, todo, ...errors.length > 0 && { errors } };
}

function tell(error: unknown, { stderr, env }: Wiring): void {
  const c = colours(stderr, env);
  if (!(error instanceof Problem)) return stderr.write(`${c.red("error")}: ${oneLine(messageOf(error))}\n`);
  const headline = error.errors.length > 0 ? problems[error.code].title : error.message; // each fault has its line below
  stderr.write(`${c.red("error")}: ${oneLine(headline)} [${error.code}]\n`);
  for (const { pointer, detail } of error.errors) {
    stderr.write(`  ${c.bold(oneLine(pointer))}: ${oneLine(detail)}\n`);
  }
  stderr.write(`${c.dim(error.todo)}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
