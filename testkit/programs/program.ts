/** Runs the program as a separate process, from its sources or compiled. */
import { fileURLToPath } from "node:url";
import { usesTrapdoorKeys } from "../localnet/use_trapdoor_keys.ts";
import { LineStream } from "./line_stream.ts";
import { childCommand } from "./child_command.ts";

/** A running program. */
export interface Program {
  readonly pid: number;
  /** Returns the next line of standard output. Throws with standard error at the end of the output. */
  nextLine(): Promise<string>;
  /** Sends SIGTERM, as a service manager does, and waits. Throws with standard error if the program had ended before. */
  stop(): Promise<Deno.CommandStatus>;
  readonly status: Promise<Deno.CommandStatus>;
  /** Sends a signal without waiting. */
  kill(signal: Deno.Signal): void;
}

/** Returns the command line that runs the program from its sources, with the keys that this process uses. */
export function sourceCommand(): string[] {
  const entry = usesTrapdoorKeys() ? "../localnet/trapdoor_main.ts" : "../../main.ts";
  return [Deno.execPath(), "run", "-A", "--no-check", fileURLToPath(new URL(entry, import.meta.url))];
}

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
  const child = childCommand(program[0], {
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
      try {
        child.kill("SIGTERM");
      } catch (cause) {
        const { code } = await child.status;
        throw new Error(`the program had ended with code ${code}: ${await errors}`, { cause });
      }
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
