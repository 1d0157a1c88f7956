/** A command at a real pseudo-terminal, which util-linux's `script` makes: what a person sees, and what keys do. */
import { hasProgram } from "./requirements.ts";

/** Whether tests at a terminal cannot run here. */
export const noTerminal: boolean = !await hasProgram("script");

/** Long enough for a program that starts, stretches a passphrase and proves on a machine with other work. */
const PATIENCE_MS = 120_000;

/** A running command. */
export interface Terminal {
  /** All that was drawn, escape sequences included. */
  readonly screen: string;
  /** Resolves with the screen when it has `text` after what was awaited before; fails with the screen otherwise. */
  sees(text: string | RegExp): Promise<string>;
  /** Presses keys. */
  type(keys: string): Promise<void>;
  /** Waits for its end. */
  ended(): Promise<{
    readonly code: number;
    /** What `stty -a` said of the terminal before the command and after it. */
    readonly before: string;
    readonly after: string;
  }>;
}

/** What makes a terminal write in a colour, or another style. */
// deno-lint-ignore no-control-regex
export const COLOUR = /\x1b\[[0-9;]*m/;
export const CTRL_C = "\x03";
/** The end of what is typed. */
export const CTRL_D = "\x04";
export const ENTER = "\r";
/** Ctrl-U: empties the line that is being typed. */
export const KILL_LINE = "\x15";

/** Starts `command`, of words that need no quoting, with these variables alone beside PATH, HOME and the cache. */
export function atTerminal(
  command: readonly string[],
  { env = {}, cwd, columns = 160 }: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    readonly columns?: number;
  } = {},
): Terminal {
  const kept = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  // The shell outlives Ctrl-C, which reaches all of the terminal's foreground, to say what is left of the terminal.
  const script = `trap : INT; stty cols ${columns} rows 60; echo "{{$(stty -a)}}"; ${command.join(" ")}; ` +
    'code=$?; echo "{{$(stty -a)}}"; exit $code';
  const child = new Deno.Command("script", {
    args: ["-qec", script, "/dev/null"],
    clearEnv: true,
    env: { ...Object.fromEntries(kept), TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    ...cwd === undefined ? {} : { cwd },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).spawn();
  const keys = child.stdin.getWriter();
  let [screen, seen, over] = ["", 0, false];
  let drawn = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      screen += text;
      drawn.resolve();
      drawn = Promise.withResolvers();
    }
    over = true;
    drawn.resolve();
  })();
  return {
    get screen() {
      return screen;
    },
    async sees(text) {
      for (;;) {
        const rest = screen.slice(seen);
        const found = typeof text === "string" ? rest.indexOf(text) : rest.search(text);
        if (found >= 0) {
          seen += found + (typeof text === "string" ? text.length : text.exec(rest)![0].length);
          return screen;
        }
        if (over) throw new Error(`the terminal never showed ${text}:\n${screen}`);
        await drawn.promise;
      }
    },
    type: (text) => keys.write(new TextEncoder().encode(text)),
    async ended() {
      await reading;
      await keys.close().catch(() => {});
      const { code } = await child.status;
      const [before = "", after = ""] = [...screen.matchAll(/\{\{(speed .*?)\}\}/gs)].map(([, said]) => said);
      return { code, before, after };
    },
  };
}
