/** Runs a command in a pseudo-terminal, which util-linux's `script` provides, to test output and key presses. */
import { hasProgram } from "../system/requirements.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

/** Whether this machine cannot run terminal tests. */
export const lacksTerminal: boolean = !await hasProgram("script");

/** A busy machine needs this long to start a program, stretch a passphrase and create a proof. */
const TIMEOUT_MS = 600_000;

export interface Terminal {
  /** Everything written so far, with escape sequences. */
  readonly screen: string;
  /**
   * Resolves with the screen after `text` appears behind the previous match. Otherwise fails with the screen.
   */
  waitFor(text: string | RegExp): Promise<string>;
  /** Types keys. */
  type(keys: string): Promise<void>;
  waitForExit(): Promise<{
    readonly code: number;
    /** The output of `stty -a` before and after the command. */
    readonly before: string;
    readonly after: string;
  }>;
}

/** Matches the escape sequence of a colour or style. */
// deno-lint-ignore no-control-regex
export const COLOUR = /\x1b\[[0-9;]*m/;
export const CTRL_C = "\x03";
/** Ends the input. */
export const CTRL_D = "\x04";
export const ENTER = "\r";
/** Ctrl-U, which clears the current input line. */
export const KILL_LINE = "\x15";

/** Returns each text that a command wrote without moving the cursor in between: the terminal breaks longer ones. */
export function textsOf(screen: string): string[] {
  // deno-lint-ignore no-control-regex
  return screen.replace(/\x1b\[\??\d*[hlm]/g, "").split(/[\r\n]|\x1b\[\d*[A-K]/);
}

/** Starts `command`, whose words must need no quoting, with only these variables beside PATH, HOME and the cache. */
export function openTerminal(
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
  // The shell ignores Ctrl-C, which reaches the whole foreground group, so that it can print the state of the
  // terminal at the end.
  const script = `trap : INT; stty cols ${columns} rows 60; echo "{{$(stty -a)}}"; ${command.join(" ")}; ` +
    'code=$?; echo "{{$(stty -a)}}"; exit $code';
  const child = childCommand("script", {
    args: ["-qec", script, "/dev/null"],
    clearEnv: true,
    env: { ...Object.fromEntries(kept), TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    ...cwd === undefined ? {} : { cwd },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(TIMEOUT_MS),
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
    async waitFor(text) {
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
    async waitForExit() {
      await reading;
      await keys.close().catch(() => {});
      const { code } = await child.status;
      const [before = "", after = ""] = [...screen.matchAll(/\{\{(speed .*?)\}\}/gs)].map(([, output]) =>
        output
      );
      return { code, before, after };
    },
  };
}
