/** Compresses large contents of the binary, which are decompressed on first use. */
import { gzipSync } from "node:zlib";

/**
 * The suffix of compressed files. A suffix other than `.wasm` also prevents `deno compile` from loading them as
 * modules.
 */
export const PACKED_SUFFIX = ".gz";

/**
 * Literals of this length or more are moved out of the code. They belong to @ton/sandbox, which a relayer never
 * starts.
 */
const MIN_EXTRACTED_LENGTH = 1_000_000;

/** Base64 of WebAssembly or gzip. The latter is the emulator's debugger, which is never started. */
const LITERAL = /(["'`])(?:AGFzbQ|H4sI)/g;

/** Compresses bytes reproducibly: equal bytes give equal results on any machine. */
export function gzipContent(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 9 });
}

/**
 * Moves large, rarely used literals out of a bundle. The code that replaces them calls `require`, which the bundle
 * must define.
 *
 * @returns the bundle without the literals, and the files to put beside the bundle, by name
 */
export function extractLiterals(bundle: string): { code: string; files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  let code = "";
  let rest = 0;
  for (const { 0: { length }, 1: quote, index } of bundle.matchAll(LITERAL)) {
    const end = bundle.indexOf(quote, index + length);
    if (end - index < MIN_EXTRACTED_LENGTH) continue;
    const bytes = Buffer.from(bundle.slice(index + 1, end), "base64");
    const isWasm = bytes[0] === 0;
    const name = `embedded_${files.size}.wasm${PACKED_SUFFIX}`;
    const file = `new URL("./${name}", import.meta.url)`;
    if (isWasm) files.set(name, gzipContent(bytes));
    code += bundle.slice(rest, index);
    code += isWasm
      ? `require("node:zlib").gunzipSync(require("node:fs").readFileSync(${file})).toString("base64")`
      : '""';
    rest = end + 1;
  }
  return { code: code + bundle.slice(rest), files };
}
