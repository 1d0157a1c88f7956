/**
 * Compares multi-scalar multiplications, the most expensive part of a proof, with arkworks and ffjavascript (snarkjs'
 * library), all in WebAssembly on one thread, over the finite points of the deposit's key.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { bytesToHex } from "@noble/hashes/utils.js";
import { FIELD_BYTES } from "../../../src/core/crypto/field.ts";
import { wasmBytes } from "../../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { initSync, Key, piece as summed } from "../../../prover-wasm/pkg/prover_wasm.js";
import { type ArkworksSums, openArkworks } from "../peers/arkworks.ts";
import { g1, g2 } from "../peers/noble_points.ts";
import { openNodePeer } from "../peers/node_peer.ts";
import { measure } from "../comparison.ts";
import { artifactPath, type Build, type Figure, figure, type Outcome, type Study } from "../study.ts";

const ROUNDS = 5;
const zkey = artifactPath("deposit.zkey");
const vkey = JSON.parse(readFileSync(artifactPath("deposit.vkey.json"), "utf8"));

/**
 * The sections of the key (snarkjs' zkey format), the pieces of a proof that they give, and the plain build's target
 * ratio to arkworks.
 */
const sums = [
  { group: "G1", piece: "a", section: 5, plain: 2.7 },
  { group: "G2", piece: "b2", section: 7, plain: 3.7 },
] as const;

/** The request to and answer of the peer. */
interface PeerSum {
  /** The number of finite points. */
  readonly points: number;
  /** The sum's coordinates in decimals, those of G2 in pairs. */
  readonly sum: readonly string[];
}

/** Returns scalars below 2^254, little endian. A witness begins with 1. */
function scalarsOf(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * FIELD_BYTES);
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  for (let i = 1; i <= count; i++) bytes[i * FIELD_BYTES - 1] &= 0x3f;
  bytes.fill(0, 0, FIELD_BYTES)[0] = 1;
  return bytes;
}

/** Returns the decimal coordinates of an uncompressed point. */
function coordinates(point: Uint8Array): string[] {
  const words = Array.from({ length: point.length / 48 }, (_, i) => point.subarray(48 * i, 48 * (i + 1)));
  return words.map((word) => String(BigInt(`0x${bytesToHex(word)}`)));
}

/** Returns the affine coordinates of a piece minus the constant that the key adds to it. */
function subtractConstant(group: "G1" | "G2", piece: Uint8Array): string[] {
  const all = coordinates(piece);
  if (group === "G1") {
    const { x, y } = g1(all).subtract(g1(vkey.vk_alpha_1)).toAffine();
    return [x, y].map(String);
  }
  const { x, y } = g2([all.slice(0, 2), all.slice(2)]).subtract(g2(vkey.vk_beta_2)).toAffine();
  return [x.c0, x.c1, y.c0, y.c1].map(String);
}

async function compared(
  build: Build,
  key: Key,
  arkworks: ArkworksSums,
  peerSum: (of: { group: string; section: number }) => Promise<PeerSum>,
  scalars: Uint8Array,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { group, piece, section, plain } of sums) {
    const excerpt = key.excerpt(piece);
    const ours = () => summed(excerpt, 0, 1, scalars);
    const contenders = [
      { name: "ours", operations: 1, run: ours },
      { name: "arkworks", operations: 1, run: () => arkworks.sum(group) },
      { name: "ffjavascript", operations: 1, run: () => peerSum({ group, section }) },
    ];
    const { points, sum } = await peerSum({ group, section });
    assert.deepEqual(subtractConstant(group, ours()), sum);
    assert.deepEqual(coordinates(arkworks.sum(group)), sum);
    const measured = await measure({ rounds: ROUNDS, open: () => contenders });
    figures.push(
      ...measured.map(({ name, milliseconds, ratio }, i) =>
        figure(`${points} points of ${group}, ${name}`, milliseconds, "ms a sum", {
          ...i > 0 && { ratio },
          ...build === "plain" && name === "arkworks" && { target: { of: "ratio", atLeast: plain } },
        })
      ),
    );
  }
  return figures;
}

async function run(build: Build): Promise<Outcome> {
  initSync({ module: build === "wide" ? wideWasmBytes() : wasmBytes() });
  const file = readFileSync(zkey);
  const key = new Key(file);
  await using node = await openNodePeer();
  const factors = await Deno.makeTempFile({ prefix: "tonado-bench-" });
  try {
    const scalars = scalarsOf(Number(await node.request("zkeyVariables", { zkey })));
    await Deno.writeFile(factors, scalars);
    const arkworks = await openArkworks(build, file, scalars);
    const peerSum = (of: object) =>
      node.request("msm", { zkey, scalars: factors, ...of }) as Promise<PeerSum>;
    return { figures: await compared(build, key, arkworks, peerSum, scalars) };
  } finally {
    await Deno.remove(factors);
  }
}

export const msmStudy: Study = {
  id: "msm",
  title: "Sums of points by scalars, one thread",
  about:
    `The median of ${ROUNDS} runs. arkworks is compiled to WebAssembly with the same features as our kernels.`,
  builds: ["plain", "wide"],
  run,
};
