/**
 * Builds the Rust crates to WebAssembly with cargo and wasm-bindgen. Writes the JavaScript glue, its types, and each
 * module as base64 in a TypeScript file to each crate's `pkg/`. That form loads without a file or request in `deno run`,
 * `deno compile`, workers and browser bundles.
 *
 * Usage: deno task wasm [crates...] [--check]     (`--check` builds and compares with the committed bytes)
 *
 * Needs a compiler (wasm_toolchain.ts). On Debian, `tools/build/install_wasm_toolchain.sh` installs it. The committed
 * bytes are built on Debian. Paths are remapped, dependencies locked and tools pinned, so the same compiler version
 * produces the same bytes anywhere. `--check` fails with another version.
 */
import { type GeneratedFile, writeGenerated } from "../shared/generated_files.ts";
import { readArguments } from "../shared/arguments.ts";
import { commandOutput, runCommand } from "../shared/command.ts";
import { cargoHome, findToolchain, TARGET } from "./wasm_toolchain.ts";

/** The crates' folders with their target features. Each builds `<folder with underscores>.wasm`. */
const features: Readonly<Record<string, readonly string[]>> = {
  "ceremony-wasm": ["+simd128"],
  "poseidon-wasm": [],
  "prover-wasm": ["+simd128"], // carries of four limbs at a time: 5 % of a proof
};

/** A variant of a crate's build. */
interface Variant {
  readonly suffix: string;
  readonly features: readonly string[];
  readonly cargoArgs: readonly string[];
}

const plain: Variant = { suffix: "", features: [], cargoArgs: [] };
/** For engines with wide arithmetic: beside the plain module with `_wide` in its name, and with the same glue. */
const wide: Variant = { suffix: "_wide", features: ["+wide-arithmetic"], cargoArgs: ["--features", "wide"] };

const crates = Object.keys(features);

/** The compiler that built the committed bytes. */
const RUSTC = "rustc 1.96.0";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname).replace(/\/$/, "");
const given = readArguments(["--check"], Infinity);
const check = given.has("--check");

/**
 * All builds share the standard library and the dependencies: only the crate's own code is compiled for the features.
 * As all of a module is optimised at once (`lto = "fat"`), LLVM extends them to the rest of it.
 */
const target = `${root}/dist/wasm`;

const toolchain = await findToolchain();
await compareVersion();
const bindgen = await buildBindgen();
const files: GeneratedFile[] = [];
for (const crate of selected()) files.push(...await build(crate));
await writeGenerated("wasm", files, check);

function selected(): readonly string[] {
  const names = given.words;
  const unknown = names.filter((name) => !crates.includes(name));
  if (unknown.length > 0) {
    console.error(`No such crate: ${unknown.join(", ")}. There are ${crates.join(", ")}.`);
    Deno.exit(2);
  }
  return names.length > 0 ? names : crates;
}

/** Reports a compiler of another version, and fails with `--check`. */
async function compareVersion(): Promise<void> {
  const version = await commandOutput("rustc", ["--version"], { env: toolchain.env });
  if (`${version} `.startsWith(`${RUSTC} `)) return;
  console.error(`The committed modules are of ${RUSTC}; this is ${version}.`);
  if (check) Deno.exit(1);
}

/** Builds wasm-bindgen, by the compiler on PATH. Returns the program. */
async function buildBindgen(): Promise<string> {
  const folder = `${root}/dist/bindgen`;
  const args = ["build", "--quiet", "--locked", "--target-dir", folder];
  const env = { CARGO_PROFILE_DEV_DEBUG: "0" };
  if (await runCommand("cargo", args, { cwd: `${root}/tools/build/bindgen`, env })) {
    return `${folder}/debug/bindgen`;
  }
  console.error("tools/build/bindgen did not build");
  return Deno.exit(1);
}

/** Builds the files of `<crate>/pkg/`. */
async function build(crate: string): Promise<GeneratedFile[]> {
  const name = crate.replaceAll("-", "_");
  const glue = new Map<string, string>();
  const files: GeneratedFile[] = [];
  for (const variant of [plain, wide]) {
    const made = await buildVariant(crate, variant);
    const module = await Deno.readFile(`${made}/${name}_bg.wasm`);
    const file = `${name}${variant.suffix}`;
    files.push({ path: `${crate}/pkg/${file}_bytes.ts`, content: embed(`${file}_bg.wasm`, module) });
    for (const part of [`${name}.js`, `${name}.d.ts`]) {
      const text = await Deno.readTextFile(`${made}/${part}`);
      if ((glue.get(part) ?? text) !== text) {
        throw new Error(`${part} differs between the variants of ${crate}`);
      }
      glue.set(part, text);
    }
  }
  for (const [part, content] of glue) files.push({ path: `${crate}/pkg/${part}`, content });
  return files;
}

/** Builds one variant. Returns the folder with wasm-bindgen's output. */
async function buildVariant(crate: string, variant: Variant): Promise<string> {
  const folder = `${root}/${crate}`;
  const made = `${folder}/target/pkg${variant.suffix}`;
  await Deno.remove(made, { recursive: true }).catch(() => {});
  const env = { ...toolchain.env, CARGO_TARGET_DIR: target, RUSTFLAGS: await sharedRemaps() };
  const remaps = [`${folder}=/crate`];
  if (crate === "ceremony-wasm") remaps.push(`${root}/prover-wasm=/prover`); // it includes some of its sources
  await run("cargo", [
    ...["rustc", "--lib", "--release", "--locked", "--target", TARGET],
    ...toolchain.cargoArgs,
    ...variant.cargoArgs,
    "--",
    ...remaps.map((remap) => `--remap-path-prefix=${remap}`),
    `-Ctarget-feature=${[...features[crate], ...variant.features].join(",")}`,
  ]);
  const module = `${target}/${TARGET}/release/${crate.replaceAll("-", "_")}.wasm`;
  await run(bindgen, [module, made]);
  return made;

  async function run(command: string, args: readonly string[]): Promise<void> {
    if (await runCommand(command, args, { cwd: folder, env })) return;
    console.error(`${crate} did not build`);
    Deno.exit(1);
  }
}

/** Returns flags that remove this machine's paths to the libraries from the modules. */
async function sharedRemaps(): Promise<string> {
  const sysroot = await commandOutput("rustc", ["--print", "sysroot"], { env: toolchain.env });
  const remaps = [`${sysroot}/lib/rustlib/src/rust=/rust`];
  const registry = `${cargoHome}/registry/src`; // one folder per index, named after the index's address
  await Deno.mkdir(registry, { recursive: true });
  for await (const { name } of Deno.readDir(registry)) remaps.push(`${registry}/${name}=/registry`);
  return remaps.map((remap) => `--remap-path-prefix=${remap}`).join(" ");
}

function embed(file: string, module: Uint8Array): string {
  let binary = "";
  for (const byte of module) binary += String.fromCharCode(byte);
  return `// Generated by \`deno task wasm\`; do not edit.

/** The bytes of ${file}. */
export function wasmBytes(): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const base64 =
  "${btoa(binary)}";
`;
}
