/** Callers must never log a request body, a client's address, a note or a mnemonic. */
import {
  configureSync,
  getAnsiColorFormatter,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type Logger,
  type LogRecord,
} from "@logtape/logtape";

export type Log = Pick<Logger, "debug" | "info" | "warning" | "error" | "fatal" | "with" | "getChild">;

type LogLevel = "debug" | "info" | "warning" | "error";

type LogFormat = "json" | "pretty";

/** Until the entry point calls it, loggers are silent. Default: `pretty` on a terminal, otherwise `json`. */
export function configureLog(
  options: { level: LogLevel; format?: LogFormat; colour?: boolean; write?: (line: string) => void },
): Log {
  const terminal = Deno.stderr.isTerminal();
  const { level, format = terminal ? "pretty" : "json", write = writeToStderr } = options;
  const { colour = terminal && !Deno.noColor && Deno.env.get("TERM") !== "dumb" } = options;
  const pretty = colour ? getAnsiColorFormatter : getTextFormatter;
  const formatter = format === "json" ? formatJsonLine : pretty({ timestamp: "time", category: "." });
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

export function rootLog(): Log {
  return getLogger("tonado");
}

const formatJson = getJsonLinesFormatter({ properties: "flatten" });

/** Adds the message's template, by which lines of a kind can be searched. */
function formatJsonLine(record: LogRecord): string {
  const template = typeof record.rawMessage === "string" ? record.rawMessage : record.rawMessage.join("{}");
  return formatJson({ ...record, properties: { ...record.properties, template } });
}

const encoder = new TextEncoder();

function writeToStderr(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line.endsWith("\n") ? line : `${line}\n`));
}
