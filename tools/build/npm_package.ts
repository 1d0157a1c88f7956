/**
 * Packs the client library, `src/mod.ts`, for npm: one module for Node and one for browsers, with types, workers and
 * artifacts, and its API documentation.
 *
 * Usage: deno task npm [--output FOLDER] [--no-docs]     (default `dist/npm`: the tarball, and `api/`)
 *
 * esbuild bundles our code and leaves packages as imports, so that the caller's `Address` is the same class.
 * rollup-plugin-dts bundles the types, typedoc documents them. npm installs these tools as pinned in
 * `tools/npm/package.json`.
 */
import { fileURLToPath } from "node:url";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import metadata from "../../deno.json" with { type: "json" };
import build from "../npm/package.json" with { type: "json" };
import { commandOutput, runCommand } from "../shared/command.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { output: { type: "string", default: "dist/npm" }, "no-docs": { type: "boolean" } },
});
const root = new URL("../../", import.meta.url);
const output = resolve(values.output);
const stage = await Deno.makeTempDir({ prefix: "tonado-npm-" });
const bin = `${stage}/node_modules/.bin`;

try {
  await copy("tools/npm/package.json", "package.json");
  for (const path of ["src", "poseidon-wasm/pkg", "prover-wasm/pkg", "artifacts", "tools/npm"]) {
    await copy(path);
  }
  await Deno.writeTextFile(`${stage}/deno.d.ts`, "declare const Deno: any;\n"); // used by the runtime only
  await run("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]);
  const common = [
    "--bundle",
    "--format=esm",
    "--target=es2022",
    "--outdir=package/dist",
    "--log-level=warning",
  ];
  const entries = ["tools/npm/node.ts", "tools/npm/browser.ts"];
  await run(`${bin}/esbuild`, [...entries, ...common, "--packages=external"]);
  // Workers import nothing, so that they can be served as single files.
  const workers = ["prover_worker=src/prover/prover_worker.ts", "tree_worker=src/tree/tree_worker.ts"];
  await run(`${bin}/esbuild`, [...workers, ...common, "--platform=browser"]);
  await run(`${bin}/rollup`, ["--config", "tools/npm/types.config.js", "--silent"]);
  await pack();
  if (!values["no-docs"]) await documentApi();
} finally {
  await Deno.remove(stage, { recursive: true });
}

async function pack(): Promise<void> {
  await Deno.mkdir(`${stage}/package/artifacts`);
  for await (const { name } of Deno.readDir(new URL("artifacts/", root))) {
    const used = /^(deposit|withdraw|settle16|withdraw2)\.(wasm|zkey|vkey\.json)$/;
    if (used.test(name)) await copy(`artifacts/${name}`, `package/artifacts/${name}`);
  }
  await copy("LICENSE", "package/LICENSE");
  await copy("tools/npm/README.md", "package/README.md");
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  const manifest = {
    name: "tonado",
    version: metadata.version,
    description: "Client of tonado's shielded pools on TON: notes, trees, proofs, deposits, withdrawals",
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    types: "./dist/node.d.ts",
    exports: {
      ".": { browser: entry("browser"), ...entry("node") },
      "./dist/*": "./dist/*",
      "./artifacts/*": "./artifacts/*",
    },
    dependencies: build.dependencies,
  };
  await Deno.writeTextFile(`${stage}/package/package.json`, JSON.stringify(manifest, null, 2) + "\n");
  await Deno.mkdir(output, { recursive: true });
  const packing = ["pack", "--silent", "--pack-destination", output];
  const file = (await commandOutput("npm", packing, { cwd: `${stage}/package` })).split("\n").at(-1)!;
  const { size } = await Deno.stat(`${output}/${basename(file)}`);
  console.log(`${output}/${file}: ${(size / 1e6).toFixed(1)} MB`);
}

async function documentApi(): Promise<void> {
  await run(`${bin}/typedoc`, [
    ...["--entryPoints", "src/mod.ts", "--tsconfig", "tools/npm/tsconfig.json", "--out", `${output}/api`],
    ...["--name", `tonado ${metadata.version}`, "--readme", "none", "--disableSources"],
    ...["--logLevel", "Error"],
  ]);
}

async function copy(path: string, to = path): Promise<void> {
  const target = `${stage}/${to}`;
  await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
  await run("cp", ["-r", fileURLToPath(new URL(path, root)), target]);
}

async function run(command: string, args: string[]): Promise<void> {
  if (await runCommand(command, args, { cwd: stage })) return;
  console.error(`failed: ${basename(command)} ${args[0]}`);
  Deno.exit(1);
}
