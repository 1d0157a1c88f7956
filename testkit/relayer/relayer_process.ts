/** Runs `tonado serve` as a process that a test can pause, kill and query. */
import { sourceCommand } from "../programs/program.ts";
import { childCommand } from "../programs/child_command.ts";

export interface RelayerProcess {
  readonly url: string;
  /** Sends a GET, or a POST with a body, and returns the JSON of the answer. */
  // deno-lint-ignore no-explicit-any
  request(path: string, body?: unknown): Promise<any>;
  signal(signal: Deno.Signal): void;
  /** Sends a signal and waits for the process to end. */
  stop(signal: Deno.Signal): Promise<Deno.CommandStatus>;
  /** Returns the standard error so far, which is the log. */
  log(): string;
}

/** Returns the arguments of the runtime that serve from the sources. */
export function serveCommand(): string[] {
  return [...sourceCommand().slice(1), "serve"];
}

/**
 * Starts a relayer and waits until it listens.
 *
 * @param args other command line of the runtime
 * @param files most open file descriptors; default: as this process
 */
export async function startRelayerProcess(
  env: Record<string, string>,
  args = serveCommand(),
  files?: number,
): Promise<RelayerProcess> {
  const [command, commandArgs] = files === undefined
    ? [Deno.execPath(), args]
    : ["bash", ["-c", `ulimit -n ${files}; exec "$0" "$@"`, Deno.execPath(), ...args]];
  const child = childCommand(command, {
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
  let output = "";
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the relayer ended before it listened: ${(await logged, log)}`);
    url = (output += value).match(/"url":"([^"]+)"/)?.[1]; // not at a terminal, so the log is JSON
  }
  const at = url;
  return {
    url: at,
    async request(path, body) {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return await (await fetch(at + path, body === undefined ? {} : init)).json();
    },
    signal: (signal) => child.kill(signal),
    async stop(signal) {
      child.kill(signal);
      await reader.cancel();
      const status = await child.status;
      await logged;
      return status;
    },
    log: () => log,
  };
}
