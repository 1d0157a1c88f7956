/** Runs the program as a separate process, from its sources or compiled. */
import { LineStream } from "./line_stream.ts";

/** A running program. */
export interface Program {
  readonly pid: number;
  /** Returns the next line of standard output. Throws with standard error at the end of the output. */
  nextLine(): Promise<string>;
  /** Sends SIGTERM, as a service manager does, and waits. */
  stop(): Promise<Deno.CommandStatus>;
  readonly status: Promise<Deno.CommandStatus>;
  /** Sends a signal without waiting. */
  kill(signal: Deno.Signal): void;
}

/** The command line that runs the program from its sources. */
export const sourceCommand: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-check",
  new URL("../../main.ts", import.meta.url).pathname,
];

/** Starts `[...program, ...args]` with only these environment variables beside PATH, HOME and the cache. */
export function startProgram(
  program: readonly string[],
  args: readonly string[],
  env: Record<string, string> = {},
): Program {
  const inherited = ["PATH", "HOME", "DENO_DIR", "TMPDIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const child = new Deno.Command(program[0], {
    args: [...program.slice(1), ...args],
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new LineStream())
    .getReader();
  return {
    pid: child.pid,
    status: child.status,
    kill: (signal) => child.kill(signal),
    async nextLine() {
      const { value, done } = await lines.read();
      if (done) throw new Error(`the program ended: ${await errors}`);
      return value;
    },
    async stop() {
      child.kill("SIGTERM");
      const status = await child.status;
      await lines.cancel();
      await errors;
      return status;
    },
  };
}

/** Returns a free TCP port. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
