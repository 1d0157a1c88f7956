/**
 * Sums of points by scalars, the dearest part of a proof, beside ffjavascript's, which are snarkjs' own: both in
 * WebAssembly, on one thread, over the points of the deposit's key that are not zero.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bytesToHex } from "@noble/hashes/utils.js";
import { FIELD_BYTES } from "../../src/core/field.ts";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { initSync, Prover } from "../../prover-wasm/pkg/prover_wasm.js";
import { g1, g2 } from "./noble_points.ts";
import { type NodePeer, openNodePeer } from "./peers.ts";
import { median } from "./section.ts";
import type { Build, Figure, Outcome, Study } from "./study.ts";

const ROUNDS = 5;
const artifact = (name: string) => fileURLToPath(new URL(`../../artifacts/${name}`, import.meta.url));
const zkey = artifact("deposit.zkey");
const key = JSON.parse(readFileSync(artifact("deposit.vkey.json"), "utf8"));

/** What is summed: a section of the key (snarkjs' zkey format), and the piece of a proof that is made of it. */
const sums = [
  { group: "G1", piece: "a", section: 5, plain: 2.7 },
  { group: "G2", piece: "b2", section: 7, plain: 3.7 },
] as const;

/** As the peer is told and tells. */
interface PeerSum {
  /** Points that are not zero. */
  readonly points: number;
  /** The sum's coordinates in decimals, those of G2 two by two. */
  readonly sum: readonly string[];
}

/** Scalars below 2^254, little endian; a witness begins with 1. */
function scalarsOf(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * FIELD_BYTES);
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  for (let i = 1; i <= count; i++) bytes[i * FIELD_BYTES - 1] &= 0x3f;
  bytes.fill(0, 0, FIELD_BYTES)[0] = 1;
  return bytes;
}

/** The affine coordinates of a piece less the constant that the key has it begin with. */
function sumOf(group: "G1" | "G2", piece: Uint8Array): string[] {
  const words = Array.from({ length: piece.length / 48 }, (_, i) => piece.subarray(48 * i, 48 * (i + 1)));
  const all = words.map((word) => String(BigInt(`0x${bytesToHex(word)}`)));
  if (group === "G1") {
    const { x, y } = g1(all).subtract(g1(key.vk_alpha_1)).toAffine();
    return [x, y].map(String);
  }
  const { x, y } = g2([all.slice(0, 2), all.slice(2)]).subtract(g2(key.vk_beta_2)).toAffine();
  return [x.c0, x.c1, y.c0, y.c1].map(String);
}

async function compared(
  build: Build,
  node: NodePeer,
  prover: Prover,
  scalars: Uint8Array,
  file: string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { group, piece, section, plain } of sums) {
    const theirs = () => node.ask("msm", { zkey, scalars: file, group, section }) as Promise<PeerSum>;
    const ours = () => prover.piece(piece, 0, 1, scalars);
    const { points, sum } = await theirs();
    assert.deepEqual(sumOf(group, ours()), sum);
    const rounds: { ours: number; theirs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      ours();
      const between = performance.now();
      await theirs();
      rounds.push({ ours: between - start, theirs: performance.now() - between });
    }
    figures.push(
      {
        name: `${points} points of ${group}, ours`,
        value: median(rounds.map(({ ours }) => ours)),
        unit: "ms a sum",
      },
      {
        name: `${points} points of ${group}, ffjavascript`,
        value: median(rounds.map(({ theirs }) => theirs)),
        unit: "ms a sum",
        ratio: median(rounds.map(({ ours, theirs }) => theirs / ours)),
        ...build === "plain" ? { target: { of: "ratio", atLeast: plain } } : {},
      },
    );
  }
  return figures;
}

async function run(build: Build): Promise<Outcome> {
  initSync({ module: build === "wide" ? wideWasmBytes() : wasmBytes() });
  const prover = new Prover(readFileSync(zkey));
  const node = await openNodePeer();
  const file = await Deno.makeTempFile({ prefix: "tonado-bench-" });
  try {
    const scalars = scalarsOf(Number(await node.ask("zkeyVariables", { zkey })));
    await Deno.writeFile(file, scalars);
    return { figures: await compared(build, node, prover, scalars, file) };
  } finally {
    await node.close();
    await Deno.remove(file);
  }
}

export const msmStudy: Study = {
  id: "msm",
  title: "Sums of points by scalars, one thread",
  about:
    `The median of ${ROUNDS}. The bounds of the plain build are the design's to arkworks' WebAssembly, which took 1.05 (G1) and 0.98 (G2) of ffjavascript's time where both were measured.`,
  builds: ["plain", "wide"],
  run,
};
