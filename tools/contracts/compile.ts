/** Compiles a Tolk contract. */
import { runTolkCompiler } from "@ton/tolk-js";

/**
 * Compiles the contract that begins in `entry`.
 *
 * @param overrides sources to take instead of the files, by path: tests put other verification keys in this way
 * @returns the code, a base64 BoC
 * @throws Error with the compiler's message
 */
export async function compileTolk(
  entry: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  const root = new URL("../../", import.meta.url);
  const result = await runTolkCompiler({
    entrypointFileName: entry,
    fsReadCallback: (path: string) => overrides[path] ?? Deno.readTextFileSync(new URL(path, root)),
  });
  if (result.status === "error") throw new Error(result.message);
  return result.codeBoc64;
}
