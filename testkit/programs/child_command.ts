/**
 * Starts programs that end with the process that started them, whatever ends it: its last line, an error or a signal,
 * SIGKILL included. The kernel sends them a signal when the thread that started them ends (Linux, PR_SET_PDEATHSIG), which
 * for `deno test` is that of a test file. util-linux's `setpriv` asks for it, and then becomes the program, so that
 * process id, signals and streams are the program's own. Where there is no `setpriv` (macOS), programs start without it.
 */

let setpriv: string | undefined | null = null;

/** Returns the path of `setpriv`; undefined if it is not installed. */
function findSetpriv(): string | undefined {
  if (setpriv === null) {
    const paths = (Deno.env.get("PATH") ?? "").split(":").map((folder) => `${folder}/setpriv`);
    setpriv = paths.find((path) => {
      try {
        return Deno.statSync(path).isFile;
      } catch {
        return false;
      }
    });
  }
  return setpriv;
}

/** Returns the command line of a program that ends with the process that starts it. */
export function endingWithParent(command: readonly string[]): readonly [program: string, ...args: string[]] {
  const path = findSetpriv();
  const [program, ...args] = command;
  if (path === undefined) return [program, ...args];
  return [path, "--pdeathsig", endSignal(command), "--", program, ...args];
}

/** Creates a command whose process ends with this one. */
export function childCommand(program: string, options: Deno.CommandOptions = {}): Deno.Command {
  const [first, ...args] = endingWithParent([program, ...(options.args ?? [])]);
  return new Deno.Command(first, { ...options, args });
}

/** `timeout` and `deno task` pass SIGTERM on to the programs that they started, which SIGKILL would leave behind. */
function endSignal([program, first]: readonly string[]): "TERM" | "KILL" {
  return program === "timeout" || (program === Deno.execPath() && first === "task") ? "TERM" : "KILL";
}
