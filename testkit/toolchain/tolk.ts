/**
 * Compiles the Tolk contract with this entry file.
 *
 * @param overrides sources that replace files, by path: tests replace the verification keys
 * @returns the code as a base64 BoC
 * @throws Error with the compiler's message
 */
export async function compileTolk(
  entry: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { runTolkCompiler } = await import("@ton/tolk-js"); // 3 MB, and most processes find compiled code
  const root = new URL("../../", import.meta.url);
  const result = await runTolkCompiler({
    entrypointFileName: entry,
    fsReadCallback: (path: string) => overrides[path] ?? Deno.readTextFileSync(new URL(path, root)),
  });
  if (result.status === "error") throw new Error(result.message);
  return result.codeBoc64;
}
