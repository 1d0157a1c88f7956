/** Loads the prover's WebAssembly modules without worker threads. */
import { wasmBytes } from "../../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { hasWideArithmetic } from "../../../src/core/crypto/wide_arithmetic.ts";
import { type MsmShare, provingKeyPartNames } from "../../../src/prover/prover_task.ts";

export type KernelVariant = "plain" | "wide";

/** The variants, and whether this engine cannot run them. */
export const kernelVariants: readonly { readonly variant: KernelVariant; readonly ignore: boolean }[] = [
  { variant: "plain", ignore: false },
  { variant: "wide", ignore: !hasWideArithmetic },
];

/** Loads a separate copy of the glue for each variant. */
export async function loadProverKernel(variant: KernelVariant) {
  const glue: typeof import("../../../prover-wasm/pkg/prover_wasm.js") = await import(
    `../../../prover-wasm/pkg/prover_wasm.js?${variant}`
  );
  glue.initSync({ module: variant === "wide" ? wideWasmBytes() : wasmBytes() });
  return glue;
}

/** Returns a function that computes pieces of proofs as workers do, each from an excerpt of the key. */
export function createPieceProver(
  { Key, piece }: Awaited<ReturnType<typeof loadProverKernel>>,
  zkey: Uint8Array,
): (share: MsmShare, witness: Uint8Array) => Uint8Array {
  const key = new Key(zkey);
  const excerpts = new Map(provingKeyPartNames.map((name) => [name, key.excerpt(name)]));
  key.free();
  return (share, witness) => piece(excerpts.get(share.msm)!, share.part, share.partCount, witness);
}
