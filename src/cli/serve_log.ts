/**
 * Keeps the output of `tonado serve` machine-readable: when its log is in JSON format, every other line that the process
 * writes is a line of that log, too.
 */
import { settings } from "../config/settings.ts";
import { configureLog, type Log } from "../telemetry/log.ts";
import { type ErrorMembers, membersOf } from "./failure.ts";
import { exitStatus, statusOf } from "./exit_status.ts";
import { isCommanderError, usageMembers } from "./usage.ts";
import type { Wiring } from "./wiring.ts";

type Surroundings = Pick<Wiring, "env" | "stderr">;

/** Whether these arguments start a relayer that logs in JSON format. */
export function logsJson(args: readonly string[], { env, stderr }: Surroundings): boolean {
  if (args[0] !== "serve" || args.some((word) => ["help", "--help", "-h"].includes(word))) return false;
  const format = env[settings.logFormat.name];
  return format === "json" || (format !== "pretty" && !stderr.isTerminal);
}

/** The log before its level is known, which is a setting, and for the error that ends the process. */
export function jsonLog({ stderr }: Pick<Wiring, "stderr">): Log {
  return configureLog({ level: "info", format: "json", write: (line) => stderr.write(line) });
}

/** Logs the error that ends the process. @returns the exit status */
export function logFatal(error: unknown, wiring: Pick<Wiring, "stderr">, args: readonly string[]): number {
  if (isCommanderError(error) && error.exitCode === 0) return exitStatus.ok;
  const usage = isCommanderError(error);
  const { message, ...members }: ErrorMembers = usage
    ? { code: "usage", ...usageMembers(error, args) }
    : membersOf(error);
  const reason = members.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`).join("; ") ?? message;
  jsonLog(wiring).getChild("serve").fatal("{code}: {reason}", { reason, ...members });
  return usage ? exitStatus.usage : statusOf(error);
}

/**
 * Sends what libraries and the runtime write to the console, and errors that nothing catches, to the log.
 *
 * @param end ends the process
 * @returns undoes it
 */
export function captureConsole(log: Log, end: (status: number) => void): () => void {
  const kept = { ...console };
  const line = (level: "info" | "warning" | "error") => (...values: unknown[]) =>
    log[level]("{text}", { text: values.map(textOf).join(" ") });
  Object.assign(console, {
    log: line("info"),
    info: line("info"),
    debug: line("info"),
    warn: line("warning"),
    error: line("error"),
    trace: line("error"),
  });
  const uncaught = (event: Event) => {
    event.preventDefault(); // the runtime would write it as text
    const error = event instanceof PromiseRejectionEvent ? event.reason : (event as ErrorEvent).error;
    log.fatal("uncaught: {error}", { error: textOf(error) });
    end(exitStatus.failed);
  };
  const events = ["error", "unhandledrejection"] as const;
  for (const name of events) globalThis.addEventListener(name, uncaught);
  return () => {
    Object.assign(console, kept);
    for (const name of events) globalThis.removeEventListener(name, uncaught);
  };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.stack ?? String(value);
  return typeof value === "string" ? value : Deno.inspect(value, { colors: false });
}
