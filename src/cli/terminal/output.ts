/** Standard output and standard error. */
import { Unread } from "../failure.ts";
import { unwritable } from "../system_faults.ts";
import type { Output } from "../wiring.ts";

/** Columns of what is no terminal, or of one that does not know. */
export const DEFAULT_COLUMNS = 80;

/** Where results go. Throws `cannot_write`, and {@linkcode Unread} when its reader has gone. */
export const stdout = output(Deno.stdout, (cause) => {
  throw cause instanceof Deno.errors.BrokenPipe ? new Unread() : unwritable("standard output", cause);
});

/** Where everything else goes; what cannot be written there is lost, as there is nowhere left to say it. */
export const stderr = output(Deno.stderr, () => {});

function output(stream: typeof Deno.stdout | typeof Deno.stderr, fails: (cause: unknown) => void): Output {
  const encoder = new TextEncoder();
  const isTerminal = stream.isTerminal();
  return {
    isTerminal,
    get columns() {
      try {
        return (isTerminal && Deno.consoleSize().columns) || DEFAULT_COLUMNS; // a terminal may not know its size: 0
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
