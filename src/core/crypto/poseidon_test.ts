import assert from "node:assert/strict";
import fc from "fast-check";
import { poseidon1, poseidon2 } from "poseidon-bls12381";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { Problem } from "../errors/problem.ts";
import { FIELD_MODULUS, fieldFromBytes, fieldToBytes } from "./field.ts";
import { hashLevel, hashPairs, poseidon } from "./poseidon.ts";

const notInField = (error: unknown) => error instanceof Problem && error.code === "not_in_field";
const outside = [-1n, FIELD_MODULUS, FIELD_MODULUS + 1n, 2n ** 256n - 1n, 2n ** 256n, 2n ** 300n];

Deno.test("hashes of one and two inputs are the published ones", () => {
  for (const { in: inputs, out } of [...vectors.poseidon.one, ...vectors.poseidon.two]) {
    assert.equal(poseidon(inputs.map(BigInt)), BigInt(out));
  }
});

Deno.test("thousands of random inputs hash as with npm poseidon-bls12381", () => {
  const element = fc.bigInt({ min: 0n, max: FIELD_MODULUS - 1n });
  fc.assert(fc.property(element, (x) => poseidon([x]) === poseidon1([x])), propertyParameters(1000));
  fc.assert(
    fc.property(element, element, (x, y) => poseidon([x, y]) === poseidon2([x, y])),
    propertyParameters(3000),
  );
});

Deno.test("inputs with long runs of ones and zeros hash as with npm poseidon-bls12381", () => {
  const edges = [0n, 1n, 2n, FIELD_MODULUS - 1n, FIELD_MODULUS - 2n, FIELD_MODULUS >> 1n];
  for (let bit = 28n; bit < 255n; bit += 29n) {
    edges.push(1n << bit, (1n << bit) - 1n, FIELD_MODULUS - (1n << bit));
  }
  for (const [i, x] of edges.entries()) {
    const y = edges[(i * 7 + 3) % edges.length];
    assert.equal(poseidon([x]), poseidon1([x]));
    assert.equal(poseidon([x, y]), poseidon2([x, y]));
  }
});

Deno.test("an input outside [0, r) is refused, in either place", () => {
  for (const x of outside) {
    for (const inputs of [[x], [x, 1n], [1n, x]]) assert.throws(() => poseidon(inputs), notInField);
  }
});

Deno.test("only one or two inputs are hashed", () => {
  for (const inputs of [[], [1n, 2n, 3n]]) assert.throws(() => poseidon(inputs), RangeError);
});

const concat = (xs: readonly bigint[]) => {
  const bytes = new Uint8Array(32 * xs.length);
  xs.forEach((x, i) => bytes.set(fieldToBytes(x), 32 * i));
  return bytes;
};

Deno.test("a batch of pairs is the single hashes in order", () => {
  const xs = Array.from({ length: 514 }, (_, i) => FIELD_MODULUS / BigInt(i + 1) - 1n);
  const expected = xs.filter((_, i) => i % 2 === 0).map((x, i) => poseidon([x, xs[2 * i + 1]]));
  assert.deepEqual(hashPairs(concat(xs)), concat(expected));
  assert.equal(hashPairs(new Uint8Array()).length, 0);
});

Deno.test("a batch does not change its input", () => {
  const input = concat([1n, 2n]);
  hashPairs(input);
  assert.deepEqual(input, concat([1n, 2n]));
});

Deno.test("a batch refuses what is not whole pairs of canonical elements", () => {
  assert.throws(() => hashPairs(new Uint8Array(32)), RangeError);
  assert.throws(() => hashPairs(new Uint8Array(65)), RangeError);
  const modulus = concat([FIELD_MODULUS - 1n, 0n, 0n, FIELD_MODULUS - 1n]);
  assert.equal(hashPairs(modulus).length, 64);
  modulus[127]++; // r itself
  assert.throws(() => hashPairs(modulus), notInField);
  assert.throws(() => hashPairs(new Uint8Array(64).fill(255)), notInField);
});

Deno.test("an odd level is completed with the empty subtree", () => {
  const parents = hashLevel(concat([1n, 2n, 3n]), fieldToBytes(9n));
  assert.equal(fieldFromBytes(parents.subarray(0, 32)), poseidon([1n, 2n]));
  assert.equal(fieldFromBytes(parents.subarray(32)), poseidon([3n, 9n]));
  assert.throws(() => hashLevel(new Uint8Array(33), fieldToBytes(9n)), RangeError);
  assert.throws(() => hashLevel(new Uint8Array(32), new Uint8Array()), RangeError);
});

Deno.test("the module loads in a worker, from embedded bytes", async () => {
  const worker = new Worker(new URL("../../../tests/fixtures/poseidon_worker.ts", import.meta.url), {
    type: "module",
  });
  try {
    const digest = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => (event.preventDefault(), reject(new Error(event.message)));
      worker.postMessage([1n, 2n]);
    });
    assert.equal(digest, BigInt(vectors.poseidon.two[0].out));
  } finally {
    worker.terminate();
  }
});
