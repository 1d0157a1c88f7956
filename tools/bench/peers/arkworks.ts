/**
 * arkworks' multi-scalar multiplications in WebAssembly, built on first use from
 * prover-wasm/examples/arkworks_sums.rs.
 */
import { fileURLToPath } from "node:url";
import { findToolchain, TARGET } from "../../build/wasm_toolchain.ts";
import type { Build } from "../study.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const crate = fileURLToPath(new URL("../../../prover-wasm/", import.meta.url));
const FEATURES: Readonly<Record<Build, string>> = { plain: "+simd128", wide: "+simd128,+wide-arithmetic" };
/** Bytes of an uncompressed point. */
const BYTES = { G1: 96, G2: 192 } as const;

/** Sums over A (G1) and B2 (G2) of one key. */
export interface ArkworksSums {
  /** Returns the uncompressed sum, encoded as in prover-wasm/src/encoding.rs. */
  sum(group: "G1" | "G2"): Uint8Array;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  buffer(length: number): number;
  load_key(): void;
  load_scalars(): void;
  sum_g1(): number;
  sum_g2(): number;
}

/** Builds the module with the target features of our build, and loads the key and the scalars. */
export async function openArkworks(
  build: Build,
  zkey: Uint8Array,
  scalars: Uint8Array,
): Promise<ArkworksSums> {
  const exports = await instance(await compiled(build));
  const put = (bytes: Uint8Array) => {
    const at = exports.buffer(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  };
  put(zkey);
  exports.load_key();
  put(scalars);
  exports.load_scalars();
  return {
    sum(group) {
      const at = group === "G1" ? exports.sum_g1() : exports.sum_g2();
      return new Uint8Array(exports.memory.buffer, at, BYTES[group]).slice();
    },
  };
}

async function compiled(build: Build): Promise<Uint8Array<ArrayBuffer>> {
  const { env, cargoArgs } = await findToolchain();
  const folder = `${crate}target/arkworks-${build}`;
  const { success } = await childCommand("cargo", {
    args: [
      ...["build", "--release", "--locked", "--quiet", "--example", "arkworks_sums", "--target", TARGET],
      ...cargoArgs,
    ],
    cwd: crate,
    env: { ...env, CARGO_TARGET_DIR: folder, RUSTFLAGS: `-Ctarget-feature=${FEATURES[build]}` },
  }).spawn().status;
  if (!success) throw new Error("cargo could not build arkworks_sums for WebAssembly");
  return await Deno.readFile(`${folder}/${TARGET}/release/examples/arkworks_sums.wasm`);
}

/** Its imports belong to wasm-bindgen exports that are not called here. */
async function instance(bytes: Uint8Array<ArrayBuffer>): Promise<Exports> {
  const module = await WebAssembly.compile(bytes);
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => 0 };
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  return exports as unknown as Exports;
}
