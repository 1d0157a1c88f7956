/**
 * Builds the app into `dist/app`. Equal sources produce equal bytes in any folder.
 *
 * Usage: deno task app:build [--output FOLDER] [--check] [--no-budgets]
 *          [--url URL --network NAME --endpoint URL [--withdrawal-endpoint URL] [--relayer URL...] [--bridge URL...]]
 *
 * Without `--endpoint`, the server of the files provides `config.json` and the policy that limits connections
 * (`tonado app`, or a relayer with RELAYER_APP=1). With it, the build is complete for the static host at `--url`. Only
 * wallets of the named bridges can connect; without `--bridge`, those of the whole list.
 * `--main` builds another page with the same parts, for tests. `--modules FILE` writes the list of the sources that the
 * scripts contain. `--check` compares the folder with a new build and writes nothing.
 */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ANY_ENDPOINT } from "../../src/http/app/app_headers.ts";
import { staleFiles } from "../shared/generated_files.ts";
import { pathToFileURL } from "node:url";
import { bundleApp } from "./app/bundle.ts";
import { type Budget, formatBudgets, measureBudgets } from "./app/budgets.ts";
import { checksums, hashedName, renderPage, sha256Of } from "./app/page.ts";
import { staticConfig } from "./app/static_config.ts";
import wallets from "../../src/client/tonconnect/wallets.json" with { type: "json" };
import metadata from "../../deno.json" with { type: "json" };

type Bytes = Uint8Array<ArrayBuffer>;

const { values } = parseArgs({
  args: Deno.args,
  options: {
    output: { type: "string", default: "dist/app" },
    check: { type: "boolean", default: false },
    "no-budgets": { type: "boolean", default: false },
    main: { type: "string", default: "src/app/main.ts" },
    modules: { type: "string" },
    network: { type: "string" },
    endpoint: { type: "string" },
    "withdrawal-endpoint": { type: "string" },
    relayer: { type: "string", multiple: true, default: [] },
    bridge: { type: "string", multiple: true },
    url: { type: "string" },
  },
});
const root = new URL("../../", import.meta.url);
const encode = (text: string): Bytes => new TextEncoder().encode(text);
const CIRCUITS = ["withdraw", "withdraw2", "deposit", "settle16"];
/** What proofs in the browser need. The page fetches each file when it is needed first. */
const ARTIFACTS = [
  ...CIRCUITS.flatMap((name) => [`${name}.wasm`, `${name}.zkey`]),
  ...CIRCUITS.map((name) => `${name}.vkey.json`),
];

const walletBridges = [...new Set(wallets.wallets.map(({ bridge }) => new URL(bridge).origin))];
const files = new Map<string, Bytes>();
for (const name of ARTIFACTS) files.set(`artifacts/${name}`, await read(`artifacts/${name}`));
const scripts = await bundleApp(root, values.main, { artifacts: artifactFacts() });
for (const [name, bytes] of scripts.files) files.set(name, bytes);
const css = await read("app/app.css");
const style = { name: hashedName("app.css", css), bytes: css };
await addStaticFiles();
const config = await staticConfig({ ...values, walletBridges }, root);
for (const [name, text] of config?.files ?? []) files.set(name, encode(text));
addPage(config?.connect ?? ANY_ENDPOINT);
addVersion();

await (values.check ? compare() : write());
if (values.modules) await Deno.writeTextFile(values.modules, JSON.stringify([...scripts.modules].sort()));
if (!values["no-budgets"]) assertBudgets();

async function read(path: string): Promise<Bytes> {
  return await Deno.readFile(new URL(path, root));
}

function artifactFacts(): Record<string, { bytes: number; sha256: string }> {
  return Object.fromEntries(ARTIFACTS.map((name) => {
    const bytes = files.get(`artifacts/${name}`)!;
    return [name, { bytes: bytes.length, sha256: sha256Of(bytes) }];
  }));
}

async function addStaticFiles(): Promise<void> {
  files.set("manifest.webmanifest", await read("app/manifest.webmanifest"));
  for await (const { name, isFile } of Deno.readDir(new URL("app/icons/", root))) {
    if (isFile) files.set(`icons/${name}`, await read(`app/icons/${name}`));
  }
  files.set(style.name, style.bytes);
}

function addPage(connect: readonly string[]): void {
  const page = renderPage({
    template: new TextDecoder().decode(Deno.readFileSync(new URL("app/index.html", root))),
    style,
    scripts: scripts.entry.map((name) => ({ name, bytes: files.get(name)! })),
    connect,
  });
  files.set("index.html", encode(page));
}

/** The manifest of hashes that the service worker checks, and the checksums for people. */
function addVersion(): void {
  const sums = checksums(files);
  const listed = [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, bytes]) => [name, { sha256: sha256Of(bytes), bytes: bytes.length }]);
  const { version } = metadata;
  const manifest = {
    version,
    hash: sha256Of(sums),
    bridges: walletBridges,
    files: Object.fromEntries(listed),
  };
  files.set("SHA256SUMS", encode(sums));
  files.set("version.json", encode(JSON.stringify(manifest, null, 1) + "\n"));
}

function budgets(): Budget[] {
  // Engines without wide arithmetic, today's browsers, run the larger build.
  const kernel = (name: string) => [...files.keys()].find((path) => path.startsWith(`${name}-`))!;
  const start = ["index.html", style.name, ...scripts.entry, kernel("poseidon_wasm")];
  return [
    { what: "first load", limit: 230, files: start },
    { what: "prover worker", limit: 155, files: [scripts.workers.prover, kernel("prover_wasm")] },
    { what: "vault worker", limit: 57, files: [scripts.workers.vault] },
  ];
}

function assertBudgets(): void {
  const rows = measureBudgets(budgets(), files);
  console.log(formatBudgets(rows));
  if (rows.every(({ kilobytes, limit }) => kilobytes <= limit)) return;
  console.error("A budget is exceeded. Import less at the start, or load it when it is needed.");
  Deno.exitCode = 1;
}

/** Returns the files of the output folder that are missing or differ. */
async function findStale(): Promise<string[]> {
  const folder = pathToFileURL(resolve(values.output) + "/");
  return await staleFiles([...files].map(([path, content]) => ({ path, content })), folder);
}

/** Returns whether the output folder is this build, without other files. */
async function isBuilt(): Promise<boolean> {
  const entries = await readdir(values.output, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).length === files.size && (await findStale()).length === 0;
}

async function compare(): Promise<void> {
  const stale = await findStale();
  for (const path of stale) console.error(`${join(values.output, path)} differs from a new build`);
  if (stale.length > 0) Deno.exit(1);
  console.log(`app:build: ${files.size} files are as built`);
}

/** Builds beside the folder and swaps, so that a server never serves half of a build. */
async function write(): Promise<void> {
  const { hash } = JSON.parse(new TextDecoder().decode(files.get("version.json")!));
  console.log(`${values.output}: ${files.size} files, version ${hash}`);
  if (await isBuilt()) return; // a program may be serving it
  const partial = `${values.output}.${Deno.pid}.partial`;
  for (const [name, bytes] of files) {
    const path = join(partial, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeFile(path, bytes);
  }
  await Deno.remove(values.output, { recursive: true }).catch(() => {}); // the first build
  await Deno.rename(partial, values.output);
}
