/**
 * Compiles the binary: `deno task compile [--target TRIPLE] [--output FILE]`, default `dist/tonado`, with SHA256SUMS
 * beside it. Equal sources and compilers produce equal bytes on any path.
 *
 * The app for browsers is built, and the program and its workers are bundled, so that only code in use is embedded.
 * `stage/src/bin/*.js` finds `../../artifacts/` as `src/prover/*.ts` does. Without access to Deno's download site, DENORT_BIN is the runtime to
 * embed, built for the target, and TONADO_COMPILER the Deno of the same version.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { extractLiterals, gzipContent, PACKED_SUFFIX } from "./packing.ts";
import { renameChunks } from "./chunk_names.ts";
import { v8Flags } from "../../../testkit/toolchain/v8_flags.ts";
import { commandOutput, runCommand } from "../../shared/command.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

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

/** A failure whose message has been printed. */
class ReportedError extends Error {}

/** A start takes a second; on a busy machine it takes longer. */
const START_TIMEOUT_MS = 60_000;

const root = new URL("../../../", import.meta.url);
const compiler = Deno.env.get("TONADO_COMPILER") ?? Deno.execPath();
const output = values.output;
/** A new folder beside the output, so that an earlier binary is replaced only by one that starts. */
const partial = `${output}.partial`;
const made = join(partial, basename(output));
const work = await Deno.makeTempDir({ prefix: "tonado-compile-" });
const stage = `${work}/stage`; // the name is embedded, so it must not change
const bin = `${stage}/src/bin`;

/** All in one folder, so that their bundles are in one folder, too. */
const entries = ["entry.ts", "prover_worker.ts", "tree_worker.ts", "ceremony_worker.ts"]
  .map((name) => `tools/build/binary/${name}`);
/** Files that the program reads at run time: folder, names, and whether they are compressed. */
const embedded = [
  {
    folder: "artifacts",
    files: /^(deposit|withdraw|settle16|withdraw2)\.(wasm|zkey|vkey\.json)$|^transcript2?\.json$/,
    pack: true,
  },
  { folder: "assets/api-docs", files: /\.gz$/, pack: false },
  { folder: "deployments", files: /\.json$/, pack: false },
  // Its artifacts are those above.
  { folder: "dist/app", files: /./, pack: true },
  { folder: "dist/app/icons", files: /./, pack: true },
];

/**
 * @ton/sandbox's emulator reads `__dirname` (otherwise: ReferenceError). CommonJS packages need a `require`: the
 * bundler's own one fails if minifying gives it a name with a dollar sign ("Dynamic require of "node:crypto" is not
 * supported").
 */
const PREAMBLE = [
  'import { createRequire as requireFrom } from "node:module";',
  "const require = requireFrom(import.meta.url);",
  "globalThis.__dirname ??= import.meta.dirname;\n",
].join("\n");

try {
  await run(Deno.execPath(), ["run", "-A", "tools/build/app.ts", "--no-budgets"]);
  await bundle();
  await embed();
  await forgetTimes(stage);
  const target = values.target ? ["--target", values.target] : [];
  const include = [bin, ...embedded.map(({ folder }) => `${stage}/${folder}`)];
  await Deno.mkdir(partial, { recursive: true });
  await run(compiler, [
    "compile",
    "--allow-all",
    "--no-check",
    "--no-config",
    "--unstable-kv",
    "--no-code-cache", // V8 would run a cache file from the temporary folder, where other users can write
    "--quiet",
    ...await v8Flags(compiler),
    ...target,
    ...include.flatMap((path) => ["--include", path]),
    "--output",
    made,
    `${bin}/entry.js`,
  ]);
  const runsHere = (values.target ?? Deno.build.target) === Deno.build.target;
  if (runsHere) await assertStarts();
  await publish();
} catch (error) {
  if (error instanceof ReportedError) Deno.exitCode = 1;
  else throw error;
} finally {
  await Deno.remove(work, { recursive: true });
  await Deno.remove(partial, { recursive: true }).catch(() => {}); // it may not exist yet
}

/** Moves the new binary to its place and writes its checksum. */
async function publish(): Promise<void> {
  await Deno.rename(made, output);
  const bytes = await Deno.readFile(output);
  const sum = createHash("sha256").update(bytes).digest("hex");
  await Deno.writeTextFile(join(dirname(output), "SHA256SUMS"), `${sum}  ${basename(output)}\n`);
  console.log(`${output}: ${(bytes.length / 1e6).toFixed(1)} MB, sha256 ${sum}`);
}

/** Bundles the code in chunks, so that a start parses only what its command needs. */
async function bundle(): Promise<void> {
  const options = ["--quiet", "--platform", "deno", "--minify", "--code-splitting", "--outdir", bin];
  await run(Deno.execPath(), ["bundle", ...options, ...entries]);
  await renameChunks(bin, entries.map((entry) => basename(entry).replace(/\.ts$/, ".js")));
  for await (const { name } of Deno.readDir(bin)) {
    const { code, files } = extractLiterals(await Deno.readTextFile(`${bin}/${name}`));
    await Deno.writeTextFile(`${bin}/${name}`, PREAMBLE + code);
    for (const [file, content] of files) await Deno.writeFile(`${bin}/${file}`, content);
  }
}

async function embed(): Promise<void> {
  for (const { folder, files, pack } of embedded) {
    await Deno.mkdir(`${stage}/${folder}`, { recursive: true });
    for await (const { name, isFile } of Deno.readDir(new URL(`${folder}/`, root))) {
      if (!isFile || !files.test(name)) continue;
      const content = await Deno.readFile(new URL(`${folder}/${name}`, root));
      const to = `${stage}/${folder}/${name}`;
      if (pack) await Deno.writeFile(to + PACKED_SUFFIX, gzipContent(content));
      else await Deno.writeFile(to, content);
    }
  }
}

/** Resets the files' times, because they are embedded, too. */
async function forgetTimes(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) await forgetTimes(`${folder}/${name}`);
    else await Deno.utime(`${folder}/${name}`, 0, 0);
  }
}

/** Starts the new binary. It cannot start if the embedded runtime and the compiler are of different versions. */
async function assertStarts(): Promise<void> {
  const reason = await startFault(resolve(made));
  if (reason === undefined) return;
  const denort = Deno.env.get("DENORT_BIN");
  const runtime = denort === undefined
    ? "downloaded (the compiler's version)"
    : `${denort} (Deno ${await runtimeVersion(denort)})`;
  console.error(`The binary does not start, and is not kept: ${reason}`);
  console.error(`compiler: ${compiler} (Deno ${await compilerVersion()})`);
  console.error(`runtime:  ${runtime}`);
  console.error(
    "Set TONADO_COMPILER to the Deno of the runtime's version, or DENORT_BIN to the compiler's denort.",
  );
  throw new ReportedError();
}

/** Returns why a program does not start; undefined if it does. */
async function startFault(program: string): Promise<string | undefined> {
  try {
    const { success, stderr } = await childCommand(program, {
      args: ["--version"],
      stdin: "null",
      signal: AbortSignal.timeout(START_TIMEOUT_MS),
    }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim() || "it ended with an error";
  } catch (error) { // for example a binary for another processor
    return (error as Error).message;
  }
}

async function compilerVersion(): Promise<string> {
  return (await commandOutput(compiler, ["--version"])).match(/\d+\.\d+\.\d+/)?.[0] ?? "of unknown version";
}

/** Reads the version from the file: a bare denort has no option that prints it. */
async function runtimeVersion(denort: string): Promise<string> {
  const text = (await readFile(denort)).toString("latin1");
  return text.match(/Deno\/(\d+\.\d+\.\d+)/)?.[1] ?? "of unknown version";
}

async function run(program: string, args: string[]): Promise<void> {
  if (await runCommand(program, args, { cwd: root })) return;
  console.error(`failed: ${program} ${args[0]}`);
  throw new ReportedError();
}
