/** Questions to the person at the terminal. */
import process from "node:process";
import { Problem } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { coloursWanted } from "../style.ts";
import { DEFAULT_COLUMNS } from "./output.ts";

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

let uncoloured = false;

/**
 * Takes the colours out of what the prompts write. They leave it to the runtime whether there are any, and Deno 2.4,
 * which the binary embeds, colours whatever the environment says.
 */
function uncolour(): void {
  if (uncoloured || coloursWanted(Deno.env.toObject())) return;
  uncoloured = true;
  const { stderr } = process;
  const write = stderr.write.bind(stderr) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  // deno-lint-ignore no-control-regex
  const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");
  stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(typeof chunk === "string" ? plain(chunk) : chunk, ...rest);
}

/** The prompts, where somebody can answer them: on standard error. */
async function prompts() {
  if (!canAsk()) return undefined;
  // A terminal that says it has no columns would get one character a line.
  if (!process.stderr.columns) Object.defineProperty(process.stderr, "columns", { value: DEFAULT_COLUMNS });
  uncolour();
  return await import("@clack/prompts");
}

/** Asks for what must not be seen; undefined: there is nobody to ask. @throws {Problem} `cancelled` */
export async function askSecret(message: string): Promise<Secret<string> | undefined> {
  const asked = await prompts();
  if (!asked) return undefined;
  const answer = await answered((signal) => asked.password({ message, output: process.stderr, signal }));
  return new Secret(answer);
}

/** Asks whether somebody agrees; undefined: there is nobody to ask. @throws {Problem} `cancelled` */
export async function agrees(message: string): Promise<boolean | undefined> {
  const asked = await prompts();
  if (!asked) return undefined;
  return await answered((signal) =>
    asked.confirm({ message, initialValue: false, output: process.stderr, signal })
  );
}

/**
 * The answer to a question. A terminal whose input ends, by Ctrl-D or because it is gone, gives none, and the library
 * would wait for ever.
 *
 * @throws {Problem} `cancelled`
 */
async function answered<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<Exclude<T, symbol>> {
  const over = new AbortController();
  const end = () => over.abort();
  // After the key has reached the prompt itself: it is not to be closed while it handles one.
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
