/**
 * Builds the Rust crates to WebAssembly with wasm-pack and puts what the product imports into each crate's `pkg/`: the
 * module, its glue and types, and the module's bytes as base64 in a TypeScript file, because that is the one form that
 * `deno run`, `deno compile`, workers and browser bundles all load without a file or a request.
 *
 * Usage: deno task wasm [crates...] [--check]     (`--check` builds and compares with what is committed, byte for byte)
 *
 * Needs wasm-pack and wasm-bindgen-cli 0.2.121, and a compiler (wasm_toolchain.ts): on Debian,
 * `tools/build/wasm_toolchain.sh` installs all of them.
 *
 * The committed bytes are Debian's. Paths are mapped away, dependencies locked and tools pinned, so the same compiler
 * makes the same bytes anywhere; another compiler makes others, and `--check` says so by naming the version.
 */
import { type GeneratedFile, writeGenerated } from "./generated_files.ts";
import { readArguments } from "./flags.ts";
import { cargoHome, findToolchain, output } from "./wasm_toolchain.ts";

/** Folders of the crates, each of which builds `<folder with underscores>.wasm`, and what they need of the machine. */
const features: Readonly<Record<string, readonly string[]>> = {
  "ceremony-wasm": ["+simd128"],
  "poseidon-wasm": [],
  "prover-wasm": ["+simd128"], // carries, four limbs at a time: a twentieth of a proof
};

/** How one source is built. */
interface Variant {
  readonly suffix: string;
  readonly features: readonly string[];
  readonly cargoArgs: readonly string[];
}

const plain: Variant = { suffix: "", features: [], cargoArgs: [] };
/** For engines that have wide arithmetic: lies beside the plain one with `_wide` in its name, and has the same glue. */
const wide: Variant = { suffix: "_wide", features: ["+wide-arithmetic"], cargoArgs: ["--features", "wide"] };

const crates = Object.keys(features);

/** What made the committed bytes. */
const RUSTC = "rustc 1.96.0";
const WASM_BINDGEN = "wasm-bindgen 0.2.121";

const root = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/\/$/, "");
const given = readArguments(["--check"], Infinity);
const check = given.has("--check");

const toolchain = await findToolchain();
await comparedVersions();
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

/** Says where a tool is of another version than what made the committed bytes. */
async function comparedVersions(): Promise<void> {
  for (const [command, wanted] of [["rustc", RUSTC], ["wasm-bindgen", WASM_BINDGEN]]) {
    const version = await output(command, ["--version"], toolchain.env);
    if (!`${version.trim()} `.startsWith(`${wanted} `)) {
      console.error(`The committed modules are of ${wanted}; this is ${version.trim()}.`);
      if (check) Deno.exit(1);
    }
  }
}

/** The files of `<crate>/pkg/`, freshly built. */
async function build(crate: string): Promise<GeneratedFile[]> {
  const name = crate.replaceAll("-", "_");
  const glue = new Map<string, string>();
  const files: GeneratedFile[] = [];
  for (const variant of [plain, wide]) {
    const made = await buildVariant(crate, variant);
    const module = await Deno.readFile(`${made}/${name}_bg.wasm`);
    const file = `${name}${variant.suffix}`;
    files.push(
      { path: `${crate}/pkg/${file}_bg.wasm`, content: module },
      { path: `${crate}/pkg/${file}_bytes.ts`, content: embed(`${file}_bg.wasm`, module) },
    );
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

/** Builds one variant; returns the folder that wasm-pack put it into. */
async function buildVariant(crate: string, variant: Variant): Promise<string> {
  const folder = `${root}/${crate}`;
  const made = `target/pkg${variant.suffix}`;
  await Deno.remove(`${folder}/${made}`, { recursive: true }).catch(() => {});
  const wanted = [...features[crate], ...variant.features].join(",");
  const flags = wanted === "" ? "" : ` -Ctarget-feature=${wanted}`;
  const { success } = await new Deno.Command("wasm-pack", {
    args: [
      ...["build", ".", "--release", "--target", "web", "--out-dir", made],
      ...["--no-opt", "--no-pack", "--mode", "no-install", "--", "--locked"],
      ...toolchain.cargoArgs,
      ...variant.cargoArgs,
    ],
    cwd: folder,
    env: {
      ...toolchain.env,
      CARGO_TARGET_DIR: `${folder}/target`,
      RUSTFLAGS: `${await remappedPaths(crate, folder)}${flags}`,
    },
  }).spawn().status;
  if (!success) {
    console.error(`${crate} did not build`);
    Deno.exit(1);
  }
  return `${folder}/${made}`;
}

/** Flags that keep this machine's paths out of the module. */
async function remappedPaths(crate: string, folder: string): Promise<string> {
  const sysroot = (await output("rustc", ["--print", "sysroot"], toolchain.env)).trim();
  const remaps: [from: string, to: string][] = [
    [folder, "/crate"],
    [`${sysroot}/lib/rustlib/src/rust`, "/rust"],
  ];
  if (crate === "ceremony-wasm") remaps.push([`${root}/prover-wasm`, "/prover"]); // takes in some of its sources
  const registry = `${cargoHome}/registry/src`; // one folder an index; its name depends on where the index is mirrored
  await Deno.mkdir(registry, { recursive: true });
  for await (const { name } of Deno.readDir(registry)) remaps.push([`${registry}/${name}`, "/registry"]);
  return remaps.map(([from, to]) => `--remap-path-prefix=${from}=${to}`).join(" ");
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
