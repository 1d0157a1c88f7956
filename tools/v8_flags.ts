/**
 * The flags for `deno` that make the kernels faster where the runtime knows them; one that does not would end at
 * once. Run as a program it prints them, for tasks: `deno run $(deno run -A tools/v8_flags.ts) ...`.
 */
import { readArguments } from "./flags.ts";

const WIDE_ARITHMETIC = "--v8-flags=--experimental-wasm-wide-arithmetic";

/** The flags that the Deno at this path knows. */
export async function v8Flags(deno = Deno.execPath()): Promise<string[]> {
  const { success } = await new Deno.Command(deno, {
    args: ["eval", WIDE_ARITHMETIC, ""],
    stdout: "null",
    stderr: "null",
  }).output();
  return success ? [WIDE_ARITHMETIC] : [];
}

if (import.meta.main) {
  readArguments([], 0);
  console.log((await v8Flags()).join(" "));
}
