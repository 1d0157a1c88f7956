/** Bundles the app's scripts with esbuild. Names carry a hash of the content, so a cached file is never an old one. */
import { fileURLToPath } from "node:url";
import { basename } from "node:path";
import * as esbuild from "esbuild";
import type { BuildFacts } from "../../../src/app/browser/build_facts.ts";
import { kernelFiles } from "./kernels.ts";
import { layOutPackages } from "./npm_packages.ts";
import { contentHash } from "./page.ts";
import { withoutJsonSchema } from "./zod_parts.ts";

/** The app's scripts, by name; `main` is the page's. */
interface AppScripts {
  /** File name to content. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Files that the page loads at its start, the entry first. */
  readonly entry: readonly string[];
  readonly workers: BuildFacts["workers"];
  /** The sources in the scripts: paths from the root, and `npm:<package>/<path>`. */
  readonly modules: ReadonlySet<string>;
}

const workerEntries = {
  prover: "src/prover/prover_worker.ts",
  tree: "src/tree/tree_worker.ts",
  vault: "src/app/vault_worker.ts",
} as const;
const SERVICE_WORKER = "src/app/service_worker.ts";
const BUFFER = "src/app/shims/buffer.ts";
/** In each chunk with schemas, before their code: their probe for eval would be reported as a violation of the policy. */
const WITHOUT_EVAL = "globalThis.__zod_globalConfig={jitless:true};";

/** A worker fetches its kernel before it listens; the browser would drop the tasks that arrive until then. */
const keepEarlyTasks = {
  banner: { js: "self.earlyTasks=[];self.onmessage=(task)=>self.earlyTasks.push(task);" },
  footer: { js: "for(const task of self.earlyTasks.splice(0))self.onmessage(task);" },
};

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
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    const modules = new Set<string>();
    const common = {
      ...buildOptions(root, nodePaths),
      plugins: [kernelFiles(root, files), withoutJsonSchema],
    };
    const workers: Record<string, string> = {};
    for (const [name, entry] of Object.entries(workerEntries)) {
      const result = await esbuild.build({
        ...common,
        ...keepEarlyTasks,
        entryPoints: [entry],
        outdir: "out",
      });
      addModules(modules, result.metafile);
      const bytes = result.outputFiles[0].contents as Uint8Array<ArrayBuffer>;
      workers[name] = `${name}_worker-${contentHash(bytes)}.js`;
      files.set(workers[name], bytes);
    }
    const service = await esbuild.build({ ...common, entryPoints: [SERVICE_WORKER], outdir: "out" });
    addModules(modules, service.metafile);
    files.set("service_worker.js", service.outputFiles[0].contents as Uint8Array<ArrayBuffer>);
    const page = await bundlePage(common, root, main, { ...facts, workers } as BuildFacts, files);
    addModules(modules, page.metafile);
    return { files, entry: page.entry, modules, workers: workers as unknown as BuildFacts["workers"] };
  } finally {
    await esbuild.stop();
    await Deno.remove(work, { recursive: true });
  }
}

/**
 * The page in chunks: what the start needs, and what is imported later. Returns the chunks of the start, to which the
 * entry's own dynamic imports belong.
 */
async function bundlePage(
  common: BundleOptions,
  root: URL,
  main: string,
  facts: BuildFacts,
  files: Map<string, Uint8Array<ArrayBuffer>>,
): Promise<{ readonly entry: readonly string[]; readonly metafile: esbuild.Metafile }> {
  const result = await esbuild.build({
    ...common,
    entryPoints: { app: main },
    inject: [fileURLToPath(new URL(BUFFER, root))],
    define: { ...common.define, TONADO_BUILD: JSON.stringify(facts) },
    splitting: true,
    chunkNames: "[name]-[hash]",
    outdir: "out",
  });
  const outputs = result.metafile.outputs;
  const hasSchemas = (name: string) =>
    Object.entries(outputs).some(([path, { inputs }]) =>
      basename(path) === name && Object.keys(inputs).some((input) => input.includes("/zod/"))
    );
  const texts = new Map(result.outputFiles.map(({ path, text }) => {
    const name = basename(path);
    return [name, hasSchemas(name) ? WITHOUT_EVAL + text : text];
  }));
  const imports = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output.imports]));
  const names = nameByContent(texts, (name) => imports.get(name)!.map(({ path }) => basename(path)));
  for (const [name, text] of names.texts) files.set(name, new TextEncoder().encode(text));
  const start = new Set<string>();
  const visit = (name: string) => {
    if (start.has(name)) return;
    start.add(name);
    for (const { path, kind } of imports.get(name)!) if (kind === "import-statement") visit(basename(path));
  };
  const visitOutputOf = (source: string) =>
    visit(basename(Object.keys(outputs).find((path) => outputs[path].entryPoint === source)!));
  visitOutputOf(main);
  for (const { path, kind } of result.metafile.inputs[main].imports) {
    if (kind === "dynamic-import") visitOutputOf(path);
  }
  return { entry: [...start].map((name) => names.renamed.get(name)!), metafile: result.metafile };
}

/** Adds the sources of which some code is in the output. */
function addModules(modules: Set<string>, { outputs }: esbuild.Metafile): void {
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0) modules.add(path.replace(/^.*\/node_modules\//, "npm:"));
    }
  }
}

type BundleOptions = esbuild.BuildOptions & { readonly write: false; readonly metafile: true };

/**
 * Gives each chunk a name with the hash of its content. esbuild's own hashes depend on the folder of the build.
 * Chunks come after those that they import, so that a name covers everything below it.
 */
function nameByContent(
  texts: ReadonlyMap<string, string>,
  importsOf: (name: string) => readonly string[],
): { readonly texts: ReadonlyMap<string, string>; readonly renamed: ReadonlyMap<string, string> } {
  const renamed = new Map<string, string>();
  const results = new Map<string, string>();
  const visit = (name: string, above: readonly string[]) => {
    if (above.includes(name)) throw new Error(`chunks import each other: ${[...above, name].join(", ")}`);
    if (renamed.has(name)) return;
    let text = texts.get(name)!;
    for (const other of importsOf(name)) {
      visit(other, [...above, name]);
      text = text.replaceAll(other, renamed.get(other)!);
    }
    const stem = name.replace(/(-[0-9A-Z]{8})?\.js$/, "");
    const own = `${stem}-${contentHash(new TextEncoder().encode(text))}.js`;
    renamed.set(name, own);
    results.set(own, text);
  };
  for (const name of texts.keys()) visit(name, []);
  return { texts: results, renamed };
}

function buildOptions(root: URL, nodePaths: string[]): BundleOptions {
  return {
    absWorkingDir: fileURLToPath(root).replace(/\/$/, ""),
    bundle: true,
    write: false,
    metafile: true,
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
      "@ton/crypto": fileURLToPath(new URL("src/app/shims/ton_crypto.ts", root)),
      "@ton/crypto/dist": "@ton/crypto/dist", // the list of words alone is loaded from the package
      "@noble/post-quantum/hybrid.js": fileURLToPath(new URL("src/app/shims/age_curves.ts", root)),
      "@noble/curves/nist.js": fileURLToPath(new URL("src/app/shims/age_curves.ts", root)),
    },
    tsconfigRaw: "{}",
  };
}
