/**
 * Ships the WebAssembly kernels as files of their own. A script fetches only the build that its engine can run, where
 * the sources embed both as text.
 */
import { fileURLToPath } from "node:url";
import { basename, dirname, relative } from "node:path";
import type * as esbuild from "esbuild";
import { MISSING_FILE } from "../../../src/threads/worker_message.ts";
import { hashedName, integrityOf } from "./page.ts";

const KERNEL = /\/(\w+?)(_wide)?_bytes\.ts$/;
/** Decides which build runs. */
const PROBE = "src/core/crypto/wide_arithmetic.ts";

/** @param files where the kernels are added, by name */
export function kernelFiles(root: URL, files: Map<string, Uint8Array<ArrayBuffer>>): esbuild.Plugin {
  return {
    name: "kernels",
    setup(build) {
      build.onLoad({ filter: /-wasm\/pkg\/\w+_bytes\.ts$/ }, async ({ path }) => {
        const { wasmBytes } = await import(`file://${path}`);
        const bytes: Uint8Array<ArrayBuffer> = wasmBytes();
        const [, kernel, wide] = KERNEL.exec(path)!;
        const name = hashedName(`${kernel}${wide ?? ""}.wasm`, bytes);
        files.set(name, bytes);
        const probe = relative(dirname(path), fileURLToPath(new URL(PROBE, root)));
        return {
          contents: loaderOf(name, integrityOf(bytes), wide !== undefined, probe),
          loader: "ts",
          resolveDir: dirname(path),
        };
      });
    },
  };
}

function loaderOf(name: string, integrity: string, isWide: boolean, probe: string): string {
  return `import { hasWideArithmetic } from ${JSON.stringify(probe)};
const load = async () => {
  const url = new URL(${JSON.stringify(basename(name))}, import.meta.url);
  const response = await fetch(url, { integrity: ${JSON.stringify(integrity)} }).catch(() => {});
  if (!response?.ok) throw new Error(${JSON.stringify(name + MISSING_FILE)});
  return new Uint8Array(await response.arrayBuffer());
};
const bytes = hasWideArithmetic === ${isWide} ? await load() : new Uint8Array();
export const wasmBytes = () => bytes;
`;
}
