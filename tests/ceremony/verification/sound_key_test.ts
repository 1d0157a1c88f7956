/** Verification keys with points at infinity or outside the group are refused by name. */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { allCircuitNames } from "../../../src/core/crypto/groth16.ts";
import { assertSoundKey } from "../../../src/ops/keys/sound_key.ts";
import type { VerificationKey } from "../../../src/ops/keys/verifier_source.ts";
import { ARTIFACTS_FOLDER } from "../../../testkit/toolchain/artifact_pins.ts";

const readKey = async (name: string): Promise<VerificationKey> =>
  JSON.parse(await Deno.readTextFile(new URL(`${name}.vkey.json`, ARTIFACTS_FOLDER)));

/** Infinity as snarkjs writes it, and as zero coordinates. */
const infinitiesG1 = [["0", "1", "0"], ["0", "0", "1"]];
const infinitiesG2 = [[["0", "0"], ["1", "0"], ["0", "0"]], [["0", "0"], ["0", "0"], ["1", "0"]]];

Deno.test("the committed verification keys are sound", async () => {
  for (const name of allCircuitNames) assertSoundKey(name, await readKey(name));
});

Deno.test("a verification key with a point at infinity is refused by name", async () => {
  const key = await readKey("withdraw");
  const refuses = (change: Partial<VerificationKey>, point: string) =>
    assert.throws(() => assertSoundKey("withdraw.vkey.json", { ...key, ...change }), {
      code: "artifact_corrupted",
      message: `withdraw.vkey.json: ${point} is at infinity or no point of order r, ` +
        "so the key can accept false proofs",
    });
  for (const infinity of infinitiesG1) {
    refuses({ vk_alpha_1: infinity }, "vk_alpha_1");
    for (const i of key.IC.keys()) refuses({ IC: key.IC.with(i, infinity) }, `IC/${i}`);
  }
  for (const infinity of infinitiesG2) {
    for (const name of ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] as const) {
      refuses({ [name]: infinity }, name);
    }
  }
  const [g1, g2] = [infinitiesG1[0], infinitiesG2[0]];
  refuses(
    { vk_alpha_1: g1, vk_beta_2: g2, vk_gamma_2: g2, vk_delta_2: g2, IC: key.IC.map(() => g1) },
    "vk_alpha_1",
  );
});

Deno.test("a verification key with a point outside the group is refused", async () => {
  const key = await readKey("withdraw");
  const { Fp } = bls12_381.fields;
  // 4 + x^3 is a square for x = 0: (0, 2) is on the curve and has order 3.
  const outside = [[0n, 2n], [4n, Fp.sqrt(68n)]];
  for (const [x, y] of outside) {
    assert.equal(bls12_381.G1.Point.fromAffine({ x, y }).isTorsionFree(), false);
    assert.throws(
      () => assertSoundKey("k", { ...key, vk_alpha_1: [`${x}`, `${y}`, "1"] }),
      /k: vk_alpha_1 is at infinity or no point of order r/,
    );
  }
});
