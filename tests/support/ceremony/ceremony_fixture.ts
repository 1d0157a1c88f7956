/**
 * Runs a ceremony of two contributors and a beacon on two tiny circuits, and tampers with its files as an attacker
 * would.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { Problem } from "../../../src/core/errors/problem.ts";
import { type CircuitName } from "../../../src/core/crypto/groth16.ts";
import { openArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
import {
  announceBeacon,
  beginCeremony,
  closeWithBeacon,
  contributeToCeremony,
} from "../../../src/ops/ceremony/ceremony.ts";
import type { CeremonyPlan } from "../../../src/ops/ceremony/ceremony_plan.ts";
import { type Evidence, verifyCeremony } from "../../../src/ops/ceremony/verify_ceremony.ts";
import { keyFileName, loadCeremony, TRANSCRIPT_FILE } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { G1_BYTES } from "../../../src/ops/ceremony/arithmetic/points.ts";
import { pointFromHex } from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import { equalBytes, memorySource } from "../../../src/ops/ceremony/section_file.ts";
import type { SigningKey } from "../../../src/ops/ceremony/transcript/signature.ts";
import {
  parseTranscript,
  type Transcript,
  transcriptBytes,
} from "../../../src/ops/ceremony/transcript/transcript.ts";
import { parseZkey } from "../../../src/ops/ceremony/zkey.ts";
import { closeSnarkjs, openSnarkjs } from "../../../testkit/toolchain/snarkjs.ts";
import { type MemoryFolder, memoryFolder } from "../../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { tinyCircuits } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { tinyPowers } from "./tiny_ceremony.ts";
import { omit } from "../../../src/core/omit.ts";

export type { MemoryFolder };

export const utf8 = (value: string) => new TextEncoder().encode(value);
export const CONTRIBUTORS = ["Alice", "Bob (Zürich)"];
export const BEACON_ROUND = CONTRIBUTORS.length + 1;
export const announcement = { source: "a public clock", round: 7, exponent: 10 };
export const beacon = { value: new Uint8Array(32).fill(7) };
/** The plan of a release without named contributors. */
export const emptyPlan: CeremonyPlan = { initialKeys: null, contributors: [] };
export const memoryFile = (data: Uint8Array) => ({ type: "mem" as const, data: data.slice() });

/**
 * Creates the inputs of a ceremony: tiny circuits, powers of tau, and the libraries. Dispose it to end their threads.
 */
export async function openTinyCeremony() {
  const snarkjs = await openSnarkjs();
  const arithmetic = openArithmeticPool(2);
  const ptau = await tinyPowers(snarkjs);
  const r1cs = tinyCircuits();
  return {
    snarkjs,
    arithmetic,
    ptau,
    r1cs,
    origin: { powers: memorySource(ptau), r1cs },
    async [Symbol.asyncDispose]() {
      arithmetic.close();
      await closeSnarkjs();
      await (globalThis as { curve_bn128?: { terminate(): Promise<void> } | null }).curve_bn128?.terminate();
    },
  };
}

/**
 * Runs a whole ceremony. Returns its final folder, and a copy of the folder after the start and after each
 * contribution.
 */
export async function runCeremony(
  { arithmetic, origin }: Awaited<ReturnType<typeof openTinyCeremony>>,
  signingKey?: SigningKey,
) {
  const honest = memoryFolder();
  const step = { folder: honest, arithmetic };
  await beginCeremony({ ...step, ...origin });
  await announceBeacon({ ...step, announcement });
  const atRound: MemoryFolder[] = [copyFolder(honest)];
  for (const name of CONTRIBUTORS) {
    await contributeToCeremony({ ...step, name, entropy: utf8(`what ${name} typed`), signingKey });
    atRound.push(copyFolder(honest));
  }
  await closeWithBeacon({ ...step, ...beacon });
  const verify = async (folder: MemoryFolder, evidence: Partial<Evidence> = { inputs: origin }) =>
    await verifyCeremony({
      ceremony: await loadCeremony(folder),
      plan: emptyPlan,
      arithmetic,
      ...evidence,
    });
  const keyOf = async (folder: MemoryFolder, circuit: CircuitName, round: number) =>
    await parseZkey(folder.files.get(keyFileName(circuit, round))!, circuit);
  return { honest, atRound, verify, keyOf };
}

export function copyFolder(folder: MemoryFolder): MemoryFolder {
  const other = memoryFolder();
  for (const [name, content] of folder.files) other.files.set(name, content.slice());
  return other;
}

export function folderTranscript(folder: MemoryFolder): Transcript {
  return parseTranscript(folder.files.get(TRANSCRIPT_FILE)!);
}

/** Returns a copy of the folder with only the transcript changed. */
export function tamperTranscript(
  folder: MemoryFolder,
  change: (transcript: Transcript) => void,
): MemoryFolder {
  const [other, transcript] = [copyFolder(folder), folderTranscript(folder)];
  change(transcript);
  other.files.set(TRANSCRIPT_FILE, new Uint8Array(transcriptBytes(transcript)));
  return other;
}

/** Changes the transcript and recomputes its hash chain, as an attacker with write access would. */
export function rewriteTranscript(
  folder: MemoryFolder,
  change: (transcript: Transcript) => void,
): MemoryFolder {
  const transcript = folderTranscript(folder);
  change(transcript);
  const { entries, ...head } = transcript;
  let previous = hashCanonicalJson(head);
  for (const entry of entries) {
    previous = entry.hash = hashCanonicalJson(omit(Object.assign(entry, { previous }), "hash"));
  }
  folder.files.set(TRANSCRIPT_FILE, new Uint8Array(transcriptBytes(transcript)));
  return folder;
}

/** Returns the SHA-256 of the canonical JSON that docs/ceremony.md defines: no spaces, members sorted by name. */
export function hashCanonicalJson(value: unknown): string {
  const sorted = JSON.stringify(
    value,
    (_, member) =>
      member !== null && typeof member === "object" && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([x], [y]) => x < y ? -1 : 1))
        : member,
  );
  return bytesToHex(sha256(utf8(sorted)));
}

/** Returns a multiple of G1's generator in the encoding of zkey files. */
export function multiplyG1(scalar: bigint): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar).toAffine();
  return pointFromHex([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
}

/** Returns a point on G1's curve that is outside the subgroup of order r, in the encoding of zkey files. */
export function encodeOffSubgroupG1(): Uint8Array {
  const { Fp } = bls12_381.fields;
  for (let x = 1n;; x++) {
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), 4n);
    try {
      const y = Fp.sqrt(square);
      const point = bls12_381.G1.Point.fromAffine({ x, y });
      if (!point.isTorsionFree()) {
        return pointFromHex([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
      }
    } catch {
      // not a square: try the next x
    }
  }
}

export function findSection(file: Uint8Array, wanted: number): number {
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 12;;) {
    const [id, length] = [view.getUint32(at, true), Number(view.getBigUint64(at + 4, true))];
    if (id === wanted) return at + 12;
    at += 12 + length;
  }
}

export function matchesCeremonyProblem(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === "invalid_ceremony", String(error));
    assert.match(error.message, message);
    return true;
  };
}

/** Exchanges the first point with the next one that differs from it. */
export function swapPoints(points: Uint8Array, size = G1_BYTES): Uint8Array {
  const other = Array.from(
    { length: points.length / size },
    (_, i) => points.slice(i * size, (i + 1) * size),
  );
  const i = other.findIndex((point) => !equalBytes(point, other[0]));
  return concatBytes(...other.with(0, other[i]).with(i, other[0]));
}

/** Returns the paths of all values except those that `rewriteTranscript` computes again. */
export function valuePaths(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (["kind", "hash", "previous"].includes(name)) return [];
    return typeof member === "object" ? valuePaths(member, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

/** Adds one to the number at a path, or replaces the last digit of the text. */
export function alter(entry: object, path: string): void {
  const names = path.split(".");
  const last = names.pop()!;
  // deno-lint-ignore no-explicit-any
  const parent = names.reduce((at: any, name) => at[name], entry);
  if (typeof parent[last] === "number") parent[last]++;
  else parent[last] = parent[last].replace(/.$/, (digit: string) => digit === "1" ? "2" : "1");
}
