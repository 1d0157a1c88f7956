/** Exit codes by class of error, so that a script can decide whether to retry. */
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";

/** 130 and 141 are a shell's codes for SIGINT and SIGPIPE. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  interrupted: 130,
  brokenPipe: 141,
} as const;

export const exitStatusMeaning: Readonly<Record<keyof typeof exitStatus, string>> = {
  ok: "done",
  failed: "refused, or a check failed; the message says why and what to do",
  usage: "invalid flags, variables, configuration or registry",
  unavailable: "a service did not respond in time; the same command may succeed later",
  interrupted: "interrupted",
  brokenPipe: "standard output was closed, for example by `head`; no message is printed",
};

const USAGE_ERROR_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "invalid_config",
  "invalid_registry",
  "invalid_address",
  "invalid_amount",
  "unpayable_recipient",
]);
/** Transient: Too Many Requests, Service Unavailable. */
const TRANSIENT_HTTP_STATUSES: ReadonlySet<number> = new Set([429, 503]);

export function exitStatusOf(error: unknown): number {
  if (!(error instanceof Problem)) return exitStatus.failed;
  if (error.code === "cancelled") return exitStatus.interrupted;
  if (USAGE_ERROR_CODES.has(error.code)) return exitStatus.usage;
  return TRANSIENT_HTTP_STATUSES.has(error.status) ? exitStatus.unavailable : exitStatus.failed;
}

export function formatExitCodes(): string {
  const lines = Object.entries(exitStatus).map(([name, code]) =>
    `  ${String(code).padEnd(4)} ${exitStatusMeaning[name as keyof typeof exitStatus]}`
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}
