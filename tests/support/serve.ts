/** `tonado serve` as a process of its own, which a test may stop, wake, kill and ask. */
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** A running relayer process. */
export interface ServedRelayer {
  readonly url: string;
  /** GET, or POST when there is a body; the answer's JSON. */
  // deno-lint-ignore no-explicit-any
  ask(path: string, body?: unknown): Promise<any>;
  signal(signal: Deno.Signal): void;
  /** Sends a signal and waits for the end. */
  end(signal: Deno.Signal): Promise<Deno.CommandStatus>;
  /** What it has written to standard error so far: its log. */
  log(): string;
}

/** Command line that serves from the sources. */
export const serveCommand = ["run", "-A", "--no-check", MAIN, "serve"];

/**
 * Starts it and waits until it says where it listens.
 *
 * @param args other command line of the runtime
 * @param files file descriptors that it may have open at most; default: what this process may
 */
export async function serve(
  env: Record<string, string>,
  args = serveCommand,
  files?: number,
): Promise<ServedRelayer> {
  const [command, commandArgs] = files === undefined
    ? [Deno.execPath(), args]
    : ["bash", ["-c", `ulimit -n ${files}; exec "$0" "$@"`, Deno.execPath(), ...args]];
  const child = new Deno.Command(command, {
    args: commandArgs,
    env,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let log = "";
  const logged = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) log += text;
  })();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the relayer ended before it listened: ${(await logged, log)}`);
    url = (said += value).match(/"url":"([^"]+)"/)?.[1]; // its log is in JSON format, not at a terminal
  }
  const at = url;
  return {
    url: at,
    async ask(path, body) {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return await (await fetch(at + path, body === undefined ? {} : init)).json();
    },
    signal: (signal) => child.kill(signal),
    async end(signal) {
      child.kill(signal);
      await reader.cancel();
      const status = await child.status;
      await logged;
      return status;
    },
    log: () => log,
  };
}
