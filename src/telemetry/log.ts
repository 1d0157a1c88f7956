/**
 * Structured logs on standard error: JSON lines for machines, text for people, coloured at a terminal. Nothing that is logged here may
 * hold a request body, an address of a caller, a note or a mnemonic; whoever logs sees to that.
 */
import {
  configureSync,
  getAnsiColorFormatter,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type Logger,
  type LogRecord,
} from "@logtape/logtape";

/** A logger; `log.with({ pool })` makes one whose lines all carry those members. */
export type Log = Pick<Logger, "debug" | "info" | "warning" | "error" | "fatal" | "with" | "getChild">;

/** Least level that is written. */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** How lines are written. */
export type LogFormat = "json" | "pretty";

/**
 * Sets up logging for this process and returns the root logger. Called once, by the composition root; until then, and
 * in tests, the loggers are silent.
 *
 * @param options.format default: `pretty` on a terminal, else `json`
 * @param options.colour of `pretty`; default: on a terminal, unless NO_COLOR is set or TERM is dumb
 * @param options.write takes each finished line; default standard error
 */
export function configureLog(
  options: { level: LogLevel; format?: LogFormat; colour?: boolean; write?: (line: string) => void },
): Log {
  const terminal = Deno.stderr.isTerminal();
  const { level, format = terminal ? "pretty" : "json", write = toStandardError } = options;
  const { colour = terminal && !Deno.noColor && Deno.env.get("TERM") !== "dumb" } = options;
  const pretty = colour ? getAnsiColorFormatter : getTextFormatter;
  const formatter = format === "json" ? jsonLine : pretty({ timestamp: "time", category: "." });
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

const formatJson = getJsonLinesFormatter({ properties: "flatten" });

/** The message as a person reads it, its members beside it, and its template, by which lines of one kind are found. */
function jsonLine(record: LogRecord): string {
  const template = typeof record.rawMessage === "string" ? record.rawMessage : record.rawMessage.join("{}");
  return formatJson({ ...record, properties: { ...record.properties, template } });
}

const encoder = new TextEncoder();

function toStandardError(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line.endsWith("\n") ? line : `${line}\n`));
}
