/** How the program ends, by class: what a script needs to decide whether to go on, to ask, or to try again. */
import { Problem, type ProblemCode } from "../core/errors.ts";

/** Exit codes; an interruption has the shell's own for SIGINT, output that nobody reads that for SIGPIPE. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  interrupted: 130,
  unread: 141,
} as const;

/** What each of them means, as help prints it. */
export const exitMeaning: Readonly<Record<keyof typeof exitStatus, string>> = {
  ok: "done",
  failed: "refused, or a check failed: the message says why, and what to do",
  usage: "a mistake in flags, variables, configuration or registry",
  unavailable: "something did not answer, or not in time: the same command may succeed later",
  interrupted: "interrupted",
  unread: "nobody reads what it prints any more; said without a word",
};

const USAGE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "invalid_config",
  "invalid_registry",
  "invalid_address",
  "invalid_amount",
  "unpayable_recipient",
]);
/** HTTP statuses of problems that pass by themselves: Too Many Requests, Service Unavailable. */
const PASSING: ReadonlySet<number> = new Set([429, 503]);

/** The exit code of an error. */
export function statusOf(error: unknown): number {
  if (!(error instanceof Problem)) return exitStatus.failed;
  if (error.code === "cancelled") return exitStatus.interrupted;
  if (USAGE.has(error.code)) return exitStatus.usage;
  return PASSING.has(error.status) ? exitStatus.unavailable : exitStatus.failed;
}

/** The table for `--help`. */
export function exitHelp(): string {
  const lines = Object.entries(exitStatus).map(([name, code]) =>
    `  ${String(code).padEnd(4)} ${exitMeaning[name as keyof typeof exitStatus]}`
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}
