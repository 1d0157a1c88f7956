/** The ceremony's plain module and the module with wide arithmetic give equal results on a committed key. */
import { concatBytes } from "@noble/hashes/utils.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { wasmBytes } from "../../ceremony-wasm/pkg/ceremony_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../ceremony-wasm/pkg/ceremony_wasm_wide_bytes.ts";
import { hasWideArithmetic } from "../../src/core/crypto/wide_arithmetic.ts";
import { G1_BYTES, G2_BYTES } from "../../src/ops/ceremony/arithmetic/points.ts";
import { parseZkey } from "../../src/ops/ceremony/zkey.ts";

/** This is more than a kernel processes in one batch. */
const POINTS = 1100;
const ROOT = new URL("../../", import.meta.url);
const modules = { plain: wasmBytes, wide: wideWasmBytes };

/** Loads the glue once for each variant, with its module. */
async function kernels(variant: keyof typeof modules) {
  const glue: typeof import("../../ceremony-wasm/pkg/ceremony_wasm.js") = await import(
    `../../ceremony-wasm/pkg/ceremony_wasm.js?${variant}`
  );
  glue.initSync({ module: modules[variant]() });
  return glue;
}

Deno.test({
  name: "both builds of the ceremony's arithmetic give the same points, to the byte",
  ignore: !hasWideArithmetic,
  async fn() {
    const { sections } = await parseZkey(readFileSync(new URL("artifacts/withdraw.zkey", ROOT)), "withdraw");
    const ends = (points: Uint8Array, bytes: number) =>
      concatBytes(
        new Uint8Array(bytes), // infinity
        points.subarray(0, bytes), // the same twice
        points.subarray(0, (POINTS - 2) * bytes),
      );
    const [g1, g2] = [ends(sections.L, G1_BYTES), ends(sections.B2, G2_BYTES)];
    const unsound = g1.with(7 * G1_BYTES, g1[7 * G1_BYTES] ^ 1);
    const seed = new Uint8Array(32).fill(7);
    const [plain, wide] = await Promise.all((["plain", "wide"] as const).map(async (variant) => {
      const glue = await kernels(variant);
      const scalars = glue.randomScalars(seed, POINTS);
      const secret = new glue.Secret(seed);
      const divided = secret.divide(g1);
      return {
        scalars,
        divided,
        back: secret.timesG1(divided.subarray(G1_BYTES, 2 * G1_BYTES)),
        opening: secret.opening(),
        answer: secret.answer(new Uint8Array(64).fill(9)),
        sums: [glue.sumG1(g1, scalars), glue.sumG2(g2, scalars)],
        firstUnsound: [glue.firstUnsoundG1(unsound, true), glue.firstUnsoundG2(g2, true)],
      };
    }));
    assert.deepEqual(wide, plain);
    assert.deepEqual(plain.back, g1.slice(G1_BYTES, 2 * G1_BYTES), "a point over x, times x");
    assert.deepEqual(plain.firstUnsound, [7, -1]);
  },
});
