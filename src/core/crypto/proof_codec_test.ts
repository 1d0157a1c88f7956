import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { Address, beginCell, Cell } from "@ton/core";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import {
  BASE_FIELD_MODULUS,
  compressG1,
  compressG2,
  parseProof,
  proofFromCell,
  proofToCell,
} from "./proof_codec.ts";
import type { Groth16Proof } from "./groth16.ts";
import { Problem } from "../errors/problem.ts";
import {
  loadDeposit,
  loadWithdraw,
  storeDeposit,
  storeWithdraw,
} from "../protocol/messages/pool_messages.ts";

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const G1 = bls12_381.G1.Point.BASE;
const G2 = bls12_381.G2.Point.BASE;
const g1 = (k: bigint) => {
  const { x, y } = G1.multiply(k).toAffine();
  return [String(x), String(y), "1"];
};
const g2 = (k: bigint) => {
  const { x, y } = G2.multiply(k).toAffine();
  return [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ["1", "0"]];
};
const proof: Groth16Proof = {
  pi_a: g1(5n),
  pi_b: g2(7n),
  pi_c: g1(11n),
  protocol: "groth16",
  curve: "bls12381",
};

Deno.test("points compress as noble compresses them, whatever the sign of y", () => {
  for (let k = 1n; k < 20n; k++) {
    assert.equal(hex(compressG1(g1(k))), G1.multiply(k).toHex(true));
    assert.equal(hex(compressG2(g2(k))), G2.multiply(k).toHex(true));
  }
});

Deno.test("the sign of a G2 point whose y has no second component is that of the first", () => {
  const signOf = (c0: bigint) => (compressG2([["1", "0"], [String(c0), "0"], ["1", "0"]])[0] & 0x20) !== 0;
  assert.deepEqual([signOf(1n), signOf(BASE_FIELD_MODULUS - 1n)], [false, true]);
});

Deno.test("a coordinate that does not fit is refused, not cut", () => {
  for (const x of [-1n, 1n << 384n]) assert.throws(() => compressG1([String(x), "1"]), RangeError);
});

Deno.test("a proof survives the way into a cell and back", () => {
  assert.deepEqual(parseProof(proof), proof);
  assert.deepEqual(proofFromCell(proofToCell(proof)), proof);
});

Deno.test("the proof cell is a, c, and b in a reference", () => {
  const slice = proofToCell(proof).beginParse();
  assert.equal(hex(slice.loadBuffer(48)), hex(compressG1(proof.pi_a)));
  assert.equal(hex(slice.loadBuffer(48)), hex(compressG1(proof.pi_c)));
  assert.equal(hex(slice.loadRef().beginParse().loadBuffer(96)), hex(compressG2(proof.pi_b)));
});

Deno.test("deposit and withdraw bodies have the hash of the independent vectors", () => {
  const deposit = loadDeposit(Cell.fromBase64(vectors.messages.deposit.boc));
  assert.equal(hex(storeDeposit(deposit).hash()), vectors.messages.deposit.bocHash);
  const { boc, bocHash, recipient, relayer, fee, refund } = vectors.messages.withdraw;
  const withdraw = loadWithdraw(Cell.fromBase64(boc));
  assert.equal(hex(storeWithdraw(withdraw).hash()), bocHash);
  assert.ok(withdraw.recipient.equals(Address.parse(recipient)));
  assert.ok(withdraw.relayer?.equals(Address.parse(relayer)));
  assert.deepEqual([withdraw.fee, withdraw.refund], [BigInt(fee), BigInt(refund)]);
});

Deno.test("affine points without the trailing 1 are accepted and completed", () => {
  const affine = {
    ...proof,
    pi_a: proof.pi_a.slice(0, 2),
    pi_b: proof.pi_b.slice(0, 2),
    pi_c: proof.pi_c.slice(0, 2),
  };
  assert.deepEqual(parseProof(affine), proof);
});

const plusQ = (x: string) => String(BigInt(x) + BASE_FIELD_MODULUS);
const malformed: [string, unknown][] = [
  ["null", null],
  ["a string", "proof"],
  ["no protocol", { ...proof, protocol: undefined }],
  ["another protocol", { ...proof, protocol: "plonk" }],
  ["another curve", { ...proof, curve: "bn128" }],
  ["pi_a missing", { ...proof, pi_a: undefined }],
  ["pi_a of one element", { ...proof, pi_a: [proof.pi_a[0]] }],
  ["pi_a of four elements", { ...proof, pi_a: [...proof.pi_a, "1"] }],
  ["pi_a with another z", { ...proof, pi_a: [proof.pi_a[0], proof.pi_a[1], "2"] }],
  ["pi_a at infinity", { ...proof, pi_a: ["0", "1", "0"] }],
  ["pi_a off the curve", { ...proof, pi_a: [proof.pi_a[0], "5", "1"] }],
  ["a coordinate plus q", { ...proof, pi_a: [plusQ(proof.pi_a[0]), proof.pi_a[1], "1"] }],
  ["a negative coordinate", { ...proof, pi_a: ["-1", proof.pi_a[1], "1"] }],
  ["an exponent", { ...proof, pi_a: ["1e5", proof.pi_a[1], "1"] }],
  ["an unsafe number", { ...proof, pi_a: [2 ** 60, proof.pi_a[1], "1"] }],
  ["a very long number", { ...proof, pi_a: ["9".repeat(10_000), proof.pi_a[1], "1"] }],
  ["pi_b flat", { ...proof, pi_b: proof.pi_b.flat() }],
  ["pi_b with swapped halves", {
    ...proof,
    pi_b: [[...proof.pi_b[0]].reverse(), proof.pi_b[1], proof.pi_b[2]],
  }],
  ["pi_b off the curve in the first component only", { ...proof, pi_b: [["0", "0"], ["1", "2"]] }],
  ["pi_b off the curve in the second component only", {
    ...proof,
    pi_b: [[proof.pi_a[0], "0"], [proof.pi_a[1], "0"]],
  }],
  ["pi_b with another z", { ...proof, pi_b: [proof.pi_b[0], proof.pi_b[1], ["0", "1"]] }],
];
for (const [name, value] of malformed) {
  Deno.test(`parseProof refuses: ${name}`, () => {
    assert.throws(
      () => parseProof(value),
      (error) => error instanceof Problem && error.code === "invalid_proof",
    );
  });
}

function cellWithInfinity(point: "a" | "b" | "c"): Cell {
  const infinity = (bits: number) => 0xc0n << BigInt(bits - 8);
  const slice = proofToCell(proof).beginParse();
  const [a, c, b] = [slice.loadUintBig(384), slice.loadUintBig(384), slice.loadRef().beginParse()];
  return beginCell()
    .storeUint(point === "a" ? infinity(384) : a, 384)
    .storeUint(point === "c" ? infinity(384) : c, 384)
    .storeRef(beginCell().storeUint(point === "b" ? infinity(768) : b.loadUintBig(768), 768))
    .endCell();
}

const sized = (bits: number) => beginCell().storeUint(0xc0n << BigInt(bits - 8), bits);
const cells: [string, Cell][] = [
  ["nothing in it", Cell.EMPTY],
  ["no second cell", sized(768).endCell()],
  ["one bit more", beginCell().storeSlice(proofToCell(proof).beginParse()).storeBit(0).endCell()],
  ["the point at infinity", sized(768).storeRef(sized(768)).endCell()],
  ["a alone at infinity", cellWithInfinity("a")],
  ["b alone at infinity", cellWithInfinity("b")],
  ["c alone at infinity", cellWithInfinity("c")],
  ["bytes that are no point", beginCell().storeUint(1, 768).storeRef(sized(768)).endCell()],
];
for (const [name, cell] of cells) {
  Deno.test(`proofFromCell refuses a cell with ${name}`, () => {
    assert.throws(
      () => proofFromCell(cell),
      (error) => error instanceof Problem && error.code === "invalid_proof",
    );
  });
}

const bodies: [string, () => unknown][] = [
  ["a withdraw read as a deposit", () => loadDeposit(Cell.fromBase64(vectors.messages.withdraw.boc))],
  ["a deposit read as a withdraw", () => loadWithdraw(Cell.fromBase64(vectors.messages.deposit.boc))],
  ["an empty body", () => loadDeposit(Cell.EMPTY)],
  ["a body with a bit too many", () => {
    const body = Cell.fromBase64(vectors.messages.deposit.boc).beginParse();
    return loadDeposit(beginCell().storeSlice(body).storeBit(1).endCell());
  }],
  ["a body with a reference too many", () => {
    const body = Cell.fromBase64(vectors.messages.deposit.boc).beginParse();
    return loadDeposit(beginCell().storeSlice(body).storeRef(Cell.EMPTY).endCell());
  }],
  ["parties with a bit too many", () => {
    const slice = Cell.fromBase64(vectors.messages.withdraw.boc).beginParse();
    const builder = beginCell().storeBits(slice.loadBits(slice.remainingBits));
    while (slice.remainingRefs > 0) {
      builder.storeRef(beginCell().storeSlice(slice.loadRef().beginParse()).storeBit(1));
    }
    return loadWithdraw(builder.endCell());
  }],
];
for (const [name, load] of bodies) {
  Deno.test(`loading refuses ${name}`, () => {
    assert.throws(load, (error) => error instanceof Problem && error.code === "invalid_request");
  });
}
