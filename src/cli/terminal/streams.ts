import { StdoutClosedError } from "../output/error_report.ts";
import { writeError } from "../output/system_errors.ts";
import type { TextOutput } from "../context.ts";

/** If the output is not a terminal or does not report its size. */
export const DEFAULT_COLUMNS = 80;

/** Throws `write_failed`, or {@linkcode StdoutClosedError} when the reader has closed the pipe. */
export const stdout = openOutput(Deno.stdout, (cause) => {
  throw cause instanceof Deno.errors.BrokenPipe
    ? new StdoutClosedError()
    : writeError("standard output", cause);
});

/** Write errors are ignored, because there is nowhere left to report them. */
export const stderr = openOutput(Deno.stderr, () => {});

function openOutput(
  stream: typeof Deno.stdout | typeof Deno.stderr,
  fails: (cause: unknown) => void,
): TextOutput {
  const encoder = new TextEncoder();
  const isTerminal = stream.isTerminal();
  return {
    isTerminal,
    get columns() {
      try {
        return (isTerminal && Deno.consoleSize().columns) || DEFAULT_COLUMNS; // a terminal may report size 0
      } catch {
        return DEFAULT_COLUMNS;
      }
    },
    write(text) {
      try {
        for (let rest = encoder.encode(text); rest.length > 0;) rest = rest.subarray(stream.writeSync(rest));
      } catch (cause) {
        fails(cause);
      }
    },
  };
}
