/** Bundles the app's scripts with esbuild. Names carry a hash of the content, so a cached file is never an old one. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import * as esbuild from "esbuild";
import type { BuildFacts } from "../../../src/app/browser/build_facts.ts";
import { layOutPackages } from "./npm_packages.ts";

/** The app's scripts, by name; `main` is the page's. */
export interface AppScripts {
  /** File name to content. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Files that the page loads at its start, the entry first. */
  readonly entry: readonly string[];
  readonly workers: BuildFacts["workers"];
}

const workerEntries = {
  prover: "src/prover/prover_worker.ts",
  tree: "src/tree/tree_worker.ts",
  vault: "src/app/vault_worker.ts",
} as const;
const SERVICE_WORKER = "src/app/service_worker.ts";
const BUFFER = "src/app/shims/buffer.ts";

/**
 * Bundles everything.
 *
 * @param main the page's entry, from the root
 * @param facts what the page needs to know beside the names of its workers
 */
export async function bundleApp(
  root: URL,
  main: string,
  facts: Omit<BuildFacts, "workers">,
): Promise<AppScripts> {
  const work = await Deno.makeTempDir({ prefix: "tonado-app-" });
  try {
    const entries = [main, BUFFER, SERVICE_WORKER, ...Object.values(workerEntries)];
    const nodePaths = [await layOutPackages(entries, root, work)];
    const common = buildOptions(root, nodePaths);
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    const workers: Record<string, string> = {};
    for (const [name, entry] of Object.entries(workerEntries)) {
      const result = await esbuild.build({ ...common, entryPoints: [entry], outdir: "out" });
      const bytes = result.outputFiles[0].contents as Uint8Array<ArrayBuffer>;
      workers[name] = `${name}_worker-${contentHash(bytes)}.js`;
      files.set(workers[name], bytes);
    }
    const service = await esbuild.build({ ...common, entryPoints: [SERVICE_WORKER], outdir: "out" });
    files.set("service_worker.js", service.outputFiles[0].contents as Uint8Array<ArrayBuffer>);
    const entry = await bundlePage(common, root, main, { ...facts, workers } as BuildFacts, files);
    return { files, entry, workers: workers as unknown as BuildFacts["workers"] };
  } finally {
    await esbuild.stop();
    await Deno.remove(work, { recursive: true });
  }
}

/** The page in chunks: what the start needs, and what is imported later. Returns the chunks of the start. */
async function bundlePage(
  common: esbuild.BuildOptions & { readonly write: false },
  root: URL,
  main: string,
  facts: BuildFacts,
  files: Map<string, Uint8Array<ArrayBuffer>>,
): Promise<string[]> {
  const result = await esbuild.build({
    ...common,
    entryPoints: { app: main },
    inject: [new URL(BUFFER, root).pathname],
    define: { ...common.define, TONADO_BUILD: JSON.stringify(facts) },
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: "out",
    metafile: true,
  });
  for (const { path, contents } of result.outputFiles) {
    files.set(basename(path), contents as Uint8Array<ArrayBuffer>);
  }
  const outputs = result.metafile.outputs;
  const first = Object.keys(outputs).find((path) => outputs[path].entryPoint === main)!;
  const start = new Set<string>();
  const visit = (path: string) => {
    if (start.has(path)) return;
    start.add(path);
    for (const { path: other, kind } of outputs[path].imports) {
      if (kind === "import-statement") visit(other);
    }
  };
  visit(first);
  return [...start].map((path) => basename(path));
}

function buildOptions(root: URL, nodePaths: string[]): esbuild.BuildOptions & { readonly write: false } {
  return {
    absWorkingDir: root.pathname.replace(/\/$/, ""),
    bundle: true,
    write: false,
    format: "esm",
    minify: true,
    charset: "utf8",
    target: "es2022",
    platform: "browser",
    legalComments: "none",
    logLevel: "warning",
    nodePaths,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { global: "globalThis", "process.env.NODE_ENV": '"production"' },
    alias: {
      "node:buffer": "buffer",
      "@ton/crypto": new URL("src/app/shims/ton_crypto.ts", root).pathname,
      "@noble/post-quantum/hybrid.js": new URL("src/app/shims/age_curves.ts", root).pathname,
      "@noble/curves/nist.js": new URL("src/app/shims/age_curves.ts", root).pathname,
    },
    tsconfigRaw: "{}",
  };
}

/** The first 8 bytes of SHA-256, in hex. */
export function contentHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/** For files outside the bundle. */
export function hashedName(path: string, bytes: Uint8Array): string {
  const [, stem, extension] = /^(.*)(\.[a-z0-9]+)$/.exec(basename(path))!;
  return join(`${stem}-${contentHash(bytes)}${extension}`);
}
