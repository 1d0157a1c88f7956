/** ZCash's compressed encoding. Parsing checks the form and the curve; verification checks the subgroup. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { numberToBytesBE } from "@noble/curves/utils.js";
import { beginCell, type Cell } from "@ton/core";
import { Problem } from "../errors/problem.ts";
import { bytesToBigint } from "./field.ts";
import type { Groth16Proof } from "./groth16.ts";

export const BASE_FIELD_MODULUS =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;

const FQ_BYTES = 48;
const G1_BITS = 384;
const G2_BITS = 768;
const NOT_ON_CURVE = "is not a point of the curve";
const COMPRESSED_FLAG = 0x80;
const SIGN_FLAG = 0x20;
type Fq2 = { c0: bigint; c1: bigint };

const FQ_PATTERN = /^(0|[1-9][0-9]{0,114}|0x[0-9a-fA-F]{1,96})$/;

/**
 * Parses a snarkjs proof and returns it in canonical form.
 * @param value elements are decimal or `0x` hex strings, or integers up to 2^53; the third coordinate may be
 *   missing, otherwise it must be 1
 * @throws {Problem} `invalid_proof` for a wrong shape, an element >= q or a point off the curve
 * @example
 * ```ts
 * const proof = parseProof(JSON.parse(await Deno.readTextFile("proof.json")));
 * ```
 */
export function parseProof(value: unknown): Groth16Proof {
  const proof = value as Record<string, unknown> | null;
  if (typeof proof !== "object" || proof === null) throw invalidProof("proof", "is not an object");
  if (proof.protocol !== "groth16") throw invalidProof("protocol", 'is not "groth16"');
  if (proof.curve !== "bls12381") throw invalidProof("curve", 'is not "bls12381"');
  const pi_a = parseG1(proof.pi_a, "pi_a");
  const pi_c = parseG1(proof.pi_c, "pi_c");
  const b = parseCoordinates(proof.pi_b, "pi_b");
  const [x, y] = [parseFq2(b[0], "pi_b/0"), parseFq2(b[1], "pi_b/1")];
  if (b.length === 3) assertOne(parseFq2(b[2], "pi_b/2"), "pi_b/2");
  if (!isOnG2({ c0: x[0], c1: x[1] }, { c0: y[0], c1: y[1] })) throw invalidProof("pi_b", NOT_ON_CURVE);
  return {
    pi_a: [...pi_a.map(String), "1"],
    pi_b: [x.map(String), y.map(String), ["1", "0"]],
    pi_c: [...pi_c.map(String), "1"],
    protocol: "groth16",
    curve: "bls12381",
  };
}

/**
 * Returns the proof as a cell: `proof$_ a:bits384 c:bits384 b:^[ b:bits768 ]`.
 * @example
 * ```ts
 * const { proof } = await prover.proveWithdraw(input);
 * const cell = proofToCell(proof);
 * ```
 */
export function proofToCell(proof: Groth16Proof): Cell {
  const b = beginCell().storeUint(bytesToBigint(compressG2(proof.pi_b)), G2_BITS).endCell();
  return beginCell()
    .storeUint(bytesToBigint(compressG1(proof.pi_a)), G1_BITS)
    .storeUint(bytesToBigint(compressG1(proof.pi_c)), G1_BITS)
    .storeRef(b)
    .endCell();
}

/**
 * Reads a proof from its cell.
 * @throws {Problem} `invalid_proof` for a wrong size or a point that does not decompress
 * @example
 * ```ts
 * const proof = proofFromCell(loadWithdraw(body).proof);
 * ```
 */
export function proofFromCell(cell: Cell): Groth16Proof {
  const slice = cell.beginParse();
  if (slice.remainingBits !== 2 * G1_BITS || slice.remainingRefs !== 1) {
    throw invalidProof("proof cell", "has another size");
  }
  const [a, c] = [slice.loadBuffer(FQ_BYTES), slice.loadBuffer(FQ_BYTES)];
  const second = slice.loadRef().beginParse();
  if (second.remainingBits !== G2_BITS || second.remainingRefs !== 0) {
    throw invalidProof("proof cell", "has another size");
  }
  const b = second.loadBuffer(2 * FQ_BYTES);
  return {
    pi_a: decompressG1(a, "pi_a"),
    pi_b: decompressG2(b, "pi_b"),
    pi_c: decompressG1(c, "pi_c"),
    protocol: "groth16",
    curve: "bls12381",
  };
}

export function compressG1([x, y]: readonly string[]): Uint8Array {
  return withFlags(numberToBytesBE(BigInt(x), FQ_BYTES), isLexicographicallyLargest(BigInt(y)));
}

export function compressG2([x, y]: readonly (readonly string[])[]): Uint8Array {
  const bytes = new Uint8Array(2 * FQ_BYTES);
  bytes.set(numberToBytesBE(BigInt(x[1]), FQ_BYTES), 0);
  bytes.set(numberToBytesBE(BigInt(x[0]), FQ_BYTES), FQ_BYTES);
  const [c0, c1] = [BigInt(y[0]), BigInt(y[1])];
  return withFlags(bytes, c1 !== 0n ? isLexicographicallyLargest(c1) : isLexicographicallyLargest(c0));
}

function decompressG1(bytes: Uint8Array, what: string): string[] {
  const { x, y } = decompress(() => bls12_381.G1.Point.fromBytes(Uint8Array.from(bytes)), what).toAffine();
  return [String(x), String(y), "1"];
}

function decompressG2(bytes: Uint8Array, what: string): string[][] {
  const { x, y } = decompress(() => bls12_381.G2.Point.fromBytes(Uint8Array.from(bytes)), what).toAffine();
  return [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ["1", "0"]];
}

function decompress<P extends { is0(): boolean }>(read: () => P, what: string): P {
  let point: P;
  try {
    point = read();
  } catch (cause) {
    throw new Problem("invalid_proof", `${what} ${NOT_ON_CURVE}`, { cause });
  }
  if (point.is0()) throw invalidProof(what, "is the point at infinity");
  return point;
}

function parseG1(value: unknown, what: string): bigint[] {
  const point = parseCoordinates(value, what);
  const [x, y] = [parseFq(point[0], `${what}/0`), parseFq(point[1], `${what}/1`)];
  if (point.length === 3 && parseFq(point[2], `${what}/2`) !== 1n) {
    throw invalidProof(`${what}/2`, "is not 1");
  }
  if (!isOnG1(x, y)) throw invalidProof(what, NOT_ON_CURVE);
  return [x, y];
}

function parseCoordinates(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) {
    throw invalidProof(what, "is not an array of 2 or 3");
  }
  return value;
}

function parseFq2(value: unknown, what: string): bigint[] {
  if (!Array.isArray(value) || value.length !== 2) throw invalidProof(what, "is not an array of 2");
  return value.map((item, i) => parseFq(item, `${what}/${i}`));
}

function assertOne([c0, c1]: bigint[], what: string): void {
  if (c0 !== 1n || c1 !== 0n) throw invalidProof(what, "is not 1, 0");
}

function parseFq(value: unknown, what: string): bigint {
  if (
    typeof value === "number"
      ? !Number.isSafeInteger(value) || value < 0
      : typeof value !== "string" || !FQ_PATTERN.test(value)
  ) {
    throw invalidProof(what, "is not a decimal string");
  }
  const x = BigInt(value as string | number);
  if (x >= BASE_FIELD_MODULUS) throw invalidProof(what, "is not below the base field modulus");
  return x;
}

function isOnG1(x: bigint, y: bigint): boolean {
  return (y * y - x * x * x - 4n) % BASE_FIELD_MODULUS === 0n;
}

function isOnG2(x: Fq2, y: Fq2): boolean {
  const squared = mulFq2(y, y);
  const cubed = mulFq2(mulFq2(x, x), x);
  return (squared.c0 - cubed.c0 - 4n) % BASE_FIELD_MODULUS === 0n &&
    (squared.c1 - cubed.c1 - 4n) % BASE_FIELD_MODULUS === 0n;
}

/** In Fq[u] / (u^2 + 1), without reduction. */
function mulFq2(a: Fq2, b: Fq2): Fq2 {
  return { c0: a.c0 * b.c0 - a.c1 * b.c1, c1: a.c0 * b.c1 + a.c1 * b.c0 };
}

/** The sign flag of ZCash's encoding: whether y > -y. */
function isLexicographicallyLargest(y: bigint): boolean {
  return y > (BASE_FIELD_MODULUS - 1n) / 2n;
}

function withFlags(bytes: Uint8Array, larger: boolean): Uint8Array {
  bytes[0] |= COMPRESSED_FLAG | (larger ? SIGN_FLAG : 0);
  return bytes;
}

function invalidProof(what: string, detail: string): Problem {
  return new Problem("invalid_proof", `${what} ${detail}`, { errors: [{ pointer: `/${what}`, detail }] });
}
