/**
 * Structured logs on standard error: JSON lines for machines, coloured text for people. Nothing that is logged here may
 * hold a request body, an address of a caller, a note or a mnemonic; whoever logs sees to that.
 */
import {
  configureSync,
  getAnsiColorFormatter,
  getJsonLinesFormatter,
  getLogger,
  type Logger,
} from "@logtape/logtape";

/** A logger; `log.with({ pool })` makes one whose lines all carry those members. */
export type Log = Pick<Logger, "debug" | "info" | "warning" | "error" | "with" | "getChild">;

/** Least level that is written. */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** How lines are written. */
export type LogFormat = "json" | "pretty";

/**
 * Sets up logging for this process and returns the root logger. Called once, by the composition root; until then, and
 * in tests, the loggers are silent.
 *
 * @param options.format default: `pretty` on a terminal, else `json`
 * @param options.write takes each finished line; default standard error
 */
export function configureLog(
  options: { level: LogLevel; format?: LogFormat; write?: (line: string) => void },
): Log {
  const { level, format = Deno.stderr.isTerminal() ? "pretty" : "json", write = toStandardError } = options;
  const formatter = format === "json"
    ? getJsonLinesFormatter({ properties: "flatten", message: "template" })
    : getAnsiColorFormatter({ timestamp: "time", category: "." });
  configureSync({
    reset: true,
    sinks: { lines: (record) => write(String(formatter(record))) },
    loggers: [
      { category: "tonado", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["lines"] },
    ],
  });
  return rootLog();
}

/** The root logger. */
export function rootLog(): Log {
  return getLogger("tonado");
}

const encoder = new TextEncoder();

function toStandardError(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line.endsWith("\n") ? line : `${line}\n`));
}
