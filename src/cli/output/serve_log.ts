/** Keeps the output of `tonado serve` machine-readable: with a JSON log, every line is a log line. */
import { serveSettings } from "../../config/settings/serve_settings.ts";
import { configureLog, type Log } from "../../telemetry/log.ts";
import { type ErrorJson, toErrorJson } from "./error_report.ts";
import { exitStatus, exitStatusOf } from "./exit_status.ts";
import { isCommanderError, toUsageErrorJson } from "./commander_messages.ts";
import type { CliContext } from "../context.ts";

type LogContext = Pick<CliContext, "env" | "stderr">;

export function usesJsonLog(args: readonly string[], { env, stderr }: LogContext): boolean {
  if (args[0] !== "serve" || args.some((word) => ["help", "--help", "-h"].includes(word))) return false;
  const format = env[serveSettings.logFormat.name];
  return format === "json" || (format !== "pretty" && !stderr.isTerminal);
}

export function openJsonLog({ stderr }: Pick<CliContext, "stderr">): Log {
  return configureLog({ level: "info", format: "json", write: (line) => stderr.write(line) });
}

export function logFatal(
  error: unknown,
  context: Pick<CliContext, "stderr">,
  args: readonly string[],
): number {
  if (isCommanderError(error) && error.exitCode === 0) return exitStatus.ok;
  const usage = isCommanderError(error);
  const { message, ...members }: ErrorJson = usage
    ? { code: "usage", ...toUsageErrorJson(error, args) }
    : toErrorJson(error);
  const reason = members.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`).join("; ") ?? message;
  openJsonLog(context).getChild("serve").fatal("{code}: {reason}", { reason, ...members });
  return usage ? exitStatus.usage : exitStatusOf(error);
}

export function captureConsole(log: Log, end: (status: number) => void): () => void {
  const original = { ...console };
  const line = (level: "info" | "warning" | "error") => (...values: unknown[]) =>
    log[level]("{text}", { text: values.map(formatLogValue).join(" ") });
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
    log.fatal("uncaught: {error}", { error: formatLogValue(error) });
    end(exitStatus.failed);
  };
  const events = ["error", "unhandledrejection"] as const;
  for (const name of events) globalThis.addEventListener(name, uncaught);
  return () => {
    Object.assign(console, original);
    for (const name of events) globalThis.removeEventListener(name, uncaught);
  };
}

function formatLogValue(value: unknown): string {
  if (value instanceof Error) return value.stack ?? String(value);
  return typeof value === "string" ? value : Deno.inspect(value, { colors: false });
}
