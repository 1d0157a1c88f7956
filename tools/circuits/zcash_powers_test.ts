/** Tests the conversion on a file that is written here in powersoftau's format. */
import { concatBytes } from "@noble/hashes/utils.js";
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { memorySource } from "../../src/ops/ceremony/section_file.ts";
import { openArithmeticPool } from "../../src/ops/ceremony/arithmetic/pool.ts";
import { checkPowersOfTau, openPowersOfTau } from "../../src/ops/ceremony/powers_of_tau.ts";
import { convertPowers, fileSize } from "./zcash_powers.ts";

const { G1, G2, fields: { Fr } } = bls12_381;
const FULL = 3;

/** Returns a file for 2^3 rows with public secrets. */
function written(compressed: boolean, tau = 12345n): Uint8Array {
  const [alpha, beta, rows] = [77n, 991n, 2 ** FULL];
  const g1 = (x: bigint) => G1.Point.BASE.multiply(x).toBytes(compressed);
  const g2 = (x: bigint) => G2.Point.BASE.multiply(x).toBytes(compressed);
  const powers = (count: number, point: (x: bigint) => Uint8Array, factor = 1n) =>
    concatBytes(...Array.from({ length: count }, (_, k) => point(Fr.mul(factor, Fr.pow(tau, BigInt(k))))));
  return concatBytes(
    new Uint8Array(64),
    powers(2 * rows - 1, g1),
    powers(rows, g2),
    powers(rows, g1, alpha),
    powers(rows, g1, beta),
    g2(beta),
    new Uint8Array(compressed ? 1152 : 0),
  );
}

Deno.test("sizes for 2^21 rows are those of the program that wrote them", () => {
  // ebfull/powersoftau, src/lib.rs: ACCUMULATOR_BYTE_SIZE and CONTRIBUTION_BYTE_SIZE.
  assert.equal(fileSize(21, 96), 1_207_959_712);
  assert.equal(fileSize(21, 48), 603_981_040);
});

Deno.test("a response and a challenge become the same powers, cut to what is asked for, and these hold", async () => {
  const arithmetic = openArithmeticPool(1);
  try {
    const [response, challenge] = await Promise.all(
      [true, false].map((compressed) => convertPowers(memorySource(written(compressed)), 2)),
    );
    assert.deepEqual(response, challenge);
    const powers = await openPowersOfTau(memorySource(response));
    assert.deepEqual([powers.power, powers.prepared], [2, false]);
    await checkPowersOfTau(powers, arithmetic);
    await checkPowersOfTau(
      await openPowersOfTau(memorySource(await convertPowers(memorySource(written(true)), FULL))),
      arithmetic,
    );
  } finally {
    arithmetic.close();
  }
});

Deno.test("files of another size, too few powers and spoilt points are refused", async () => {
  const file = written(true);
  await assert.rejects(convertPowers(memorySource(file.slice(1)), 2), /size of no challenge and no response/);
  await assert.rejects(convertPowers(memorySource(file), 4), /holds 2\^3 rows, not 2\^4/);
  await assert.rejects(convertPowers(memorySource(file.with(64 + 48 + 5, file[64 + 48 + 5] ^ 1)), 2));
});
