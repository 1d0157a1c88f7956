import process from "node:process";
import { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { coloursEnabled } from "../output/progress.ts";
import { DEFAULT_COLUMNS } from "./streams.ts";

export function isInteractive(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

let promptColoursDisabled = false;

/** Deno 2.4, which the binary embeds, ignores NO_COLOR in prompts. */
function disablePromptColours(): void {
  if (promptColoursDisabled || coloursEnabled(Deno.env.toObject())) return;
  promptColoursDisabled = true;
  const { stderr } = process;
  const write = stderr.write.bind(stderr) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  // deno-lint-ignore no-control-regex
  const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");
  stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(typeof chunk === "string" ? plain(chunk) : chunk, ...rest);
}

/** Prompts write to standard error. Undefined without a terminal. */
async function loadPrompts() {
  if (!isInteractive()) return undefined;
  // A terminal that reports no columns would get one character per line.
  if (!process.stderr.columns) Object.defineProperty(process.stderr, "columns", { value: DEFAULT_COLUMNS });
  disablePromptColours();
  return await import("@clack/prompts");
}

export async function promptSecret(message: string): Promise<Secret<string> | undefined> {
  const prompts = await loadPrompts();
  if (!prompts) return undefined;
  const answer = await awaitAnswer((signal) => prompts.password({ message, output: process.stderr, signal }));
  return new Secret(answer);
}

export async function promptConfirm(message: string): Promise<boolean | undefined> {
  const prompts = await loadPrompts();
  if (!prompts) return undefined;
  return await awaitAnswer((signal) =>
    prompts.confirm({ message, initialValue: false, output: process.stderr, signal })
  );
}

/** Throws `cancelled` when the terminal's input ends (Ctrl-D), where the library would wait forever. */
async function awaitAnswer<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<Exclude<T, symbol>> {
  const over = new AbortController();
  const end = () => over.abort();
  // Runs after the prompt has handled the key.
  const press = (_: string, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === "d") queueMicrotask(end);
  };
  const { stdin } = process;
  stdin.on("keypress", press).on("end", end).on("close", end);
  try {
    const answer = await ask(over.signal);
    if (typeof answer === "symbol") throw new Problem("cancelled");
    return answer as Exclude<T, symbol>;
  } finally {
    stdin.off("keypress", press).off("end", end).off("close", end);
  }
}
