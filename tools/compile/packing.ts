/** How the binary embeds what is large: compressed, and unpacked when it is first used. */
import { gzipSync } from "node:zlib";

/** What a packed file's name ends in. Anything but `.wasm` also keeps `deno compile` from taking it for a module. */
export const PACKED_SUFFIX = ".gz";

/** Literals from this length on are moved out of the code: @ton/sandbox's, which a relayer never starts. */
const LONG = 1_000_000;

/** Base64 of WebAssembly, and of gzip: the latter makes the emulator its own debugger, which nothing here starts. */
const LITERAL = /(["'`])(?:AGFzbQ|H4sI)/g;

/** @returns the same bytes whenever and wherever it is called */
export function packed(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 9 });
}

/**
 * Moves what is large and rarely used out of a bundle. What stands in its place asks for `require`, which the bundle must
 * have.
 *
 * @returns the bundle without it, and files to be laid beside the bundle, by name
 */
export function unloaded(bundle: string): { code: string; files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  let code = "";
  let rest = 0;
  for (const { 0: { length }, 1: quote, index } of bundle.matchAll(LITERAL)) {
    const end = bundle.indexOf(quote, index + length);
    if (end - index < LONG) continue;
    const bytes = Buffer.from(bundle.slice(index + 1, end), "base64");
    const isWasm = bytes[0] === 0;
    const name = `embedded_${files.size}.wasm${PACKED_SUFFIX}`;
    const file = `new URL("./${name}", import.meta.url)`;
    if (isWasm) files.set(name, packed(bytes));
    code += bundle.slice(rest, index);
    code += isWasm
      ? `require("node:zlib").gunzipSync(require("node:fs").readFileSync(${file})).toString("base64")`
      : '""';
    rest = end + 1;
  }
  return { code: code + bundle.slice(rest), files };
}
