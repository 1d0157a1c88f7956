/** The prover's modules without worker threads: the plain one, and the one with wide arithmetic where it is valid. */
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { hasWideArithmetic } from "../../src/core/wide_arithmetic.ts";
import { excerptNames, type PieceShare } from "../../src/prover/worker_task.ts";

/** What is built of one source. */
export type KernelVariant = "plain" | "wide";

/** Each variant, and whether this engine cannot run it. */
export const kernelVariants: readonly { readonly variant: KernelVariant; readonly ignore: boolean }[] = [
  { variant: "plain", ignore: false },
  { variant: "wide", ignore: !hasWideArithmetic },
];

/** The glue once for each variant, over its module. */
export async function proverKernels(variant: KernelVariant) {
  const glue: typeof import("../../prover-wasm/pkg/prover_wasm.js") = await import(
    `../../prover-wasm/pkg/prover_wasm.js?${variant}`
  );
  glue.initSync({ module: variant === "wide" ? wideWasmBytes() : wasmBytes() });
  return glue;
}

/** Makes the pieces of proofs with a key, as workers do: each from its excerpt. */
export function summing(
  { Key, piece }: Awaited<ReturnType<typeof proverKernels>>,
  zkey: Uint8Array,
): (share: PieceShare, witness: Uint8Array) => Uint8Array {
  const key = new Key(zkey);
  const excerpts = new Map(excerptNames.map((name) => [name, key.excerpt(name)]));
  key.free();
  return (share, witness) => piece(excerpts.get(share.piece)!, share.part, share.parts, witness);
}
