/**
 * Makes the one binary: `deno task compile [--target TRIPLE] [--output FILE]`, default `dist/tonado`, with SHA256SUMS
 * beside it.
 *
 * The program and its workers are bundled first, so that only what runs is embedded, and laid out as the sources are:
 * `stage/src/bin/*.js` finds `../../artifacts/` just as `src/prover/*.ts` does. Where Deno's download site cannot be
 * reached, DENORT_BIN names the runtime to embed and TONADO_COMPILER the Deno of the same version to embed it with.
 */
import { parseArgs } from "node:util";
import { EMBEDDED_SUFFIX } from "./compile/suffix.ts";
import { createHash } from "node:crypto";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    target: { type: "string" },
    output: { type: "string", default: "dist/tonado" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log("Usage: deno task compile [--target TRIPLE] [--output FILE]");
  Deno.exit(0);
}

const root = new URL("../", import.meta.url);
const compiler = Deno.env.get("TONADO_COMPILER") ?? Deno.execPath();
const output = values.output;
const stage = `${await Deno.makeTempDir({ prefix: "tonado-compile-" })}/stage`;

/** Entry -> bundle. Workers keep their names: the code that starts them asks for them beside itself. */
const bundles = {
  "tools/compile/entry.ts": "main.js",
  "src/prover/worker.ts": "worker.ts",
  "src/tree/tree_worker.ts": "tree_worker.ts",
};
/** What the program reads at run time. */
const embedded = ["artifacts", "assets", "deployments"];

/**
 * @ton/sandbox's emulator asks for a CommonJS directory name (seen: ReferenceError without it), and CommonJS packages for
 * Node's modules: the bundler gives them a `require` by looking for its own stand-in in the text, and does not find it when
 * minifying calls it something with a dollar sign (seen: Dynamic require of "node:crypto" is not supported).
 */
const PREAMBLE = [
  'import { createRequire as requireFrom } from "node:module";',
  "const require = requireFrom(import.meta.url);",
  "globalThis.__dirname ??= import.meta.dirname;\n",
].join("\n");

try {
  await Deno.mkdir(`${stage}/src/bin`, { recursive: true });
  for (const [entry, bundle] of Object.entries(bundles)) {
    const file = `${stage}/src/bin/${bundle}`;
    await run(Deno.execPath(), [
      "bundle",
      "--quiet",
      "--platform",
      "deno",
      "--minify",
      "--output",
      file,
      entry,
    ]);
    await Deno.writeTextFile(file, PREAMBLE + await Deno.readTextFile(file));
  }
  for (const folder of embedded) await copyTree(new URL(`${folder}/`, root), `${stage}/${folder}`);

  const target = values.target ? ["--target", values.target] : [];
  const workers = Object.values(bundles).filter((bundle) => bundle.endsWith("worker.ts"));
  const include = [...workers.map((bundle) => `src/bin/${bundle}`), ...embedded].map((path) =>
    `${stage}/${path}`
  );
  await Deno.mkdir(output.replace(/[^/]*$/, "") || ".", { recursive: true });
  await run(compiler, [
    "compile",
    "--allow-all",
    "--no-check",
    "--no-config",
    "--unstable-kv",
    "--quiet",
    ...target,
    ...include.flatMap((path) => ["--include", path]),
    "--output",
    output,
    `${stage}/src/bin/main.js`,
  ]);
} finally {
  await Deno.remove(stage.replace(/\/stage$/, ""), { recursive: true });
}

const bytes = await Deno.readFile(output);
const name = output.replace(/^.*\//, "");
const sum = createHash("sha256").update(bytes).digest("hex");
await Deno.writeTextFile(`${output.replace(/[^/]*$/, "")}SHA256SUMS`, `${sum}  ${name}\n`);
console.log(`${output}: ${(bytes.length / 1e6).toFixed(1)} MB, sha256 ${sum}`);

async function run(program: string, args: string[]): Promise<void> {
  const { code } = await new Deno.Command(program, { args, cwd: root }).spawn().status;
  if (code !== 0) {
    console.error(`failed: ${program} ${args[0]}`);
    Deno.exit(1);
  }
}

/** Names end as the entry of the bundle expects them to. */
function suffixOf(name: string): string {
  return /\.(wasm|zkey|vkey\.json)$/.test(name) ? EMBEDDED_SUFFIX : "";
}

async function copyTree(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) {
    if (entry.isDirectory) await copyTree(new URL(`${entry.name}/`, from), `${to}/${entry.name}`);
    else await Deno.copyFile(new URL(entry.name, from), `${to}/${entry.name}${suffixOf(entry.name)}`);
  }
}
