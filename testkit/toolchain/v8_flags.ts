/**
 * V8 flags that make the kernels faster. Deno exits when it does not know a flag, so only known flags are used.
 * As a program it prints them, for tasks: `deno run $(deno run -A testkit/toolchain/v8_flags.ts) ...`.
 */
import { childCommand } from "../programs/child_command.ts";

const WIDE_ARITHMETIC = "--v8-flags=--experimental-wasm-wide-arithmetic";

/** Returns the flags that the Deno at this path supports. */
export async function v8Flags(deno = Deno.execPath()): Promise<string[]> {
  const { success } = await childCommand(deno, {
    args: ["eval", WIDE_ARITHMETIC, ""],
    stdout: "null",
    stderr: "null",
  }).output();
  return success ? [WIDE_ARITHMETIC] : [];
}

if (import.meta.main) console.log((await v8Flags()).join(" "));
