/**
 * A ceremony of two people and a beacon on two tiny circuits, held once for what its tests ask of it, and what an attacker
 * would do to its files.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { Problem } from "../../src/core/errors.ts";
import { type CircuitName } from "../../src/core/groth16.ts";
import { openArithmetic } from "../../src/ops/ceremony/arithmetic.ts";
import {
  beginCeremony,
  closeWithBeacon,
  contributeTo,
  type Evidence,
  verifyCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { keyFile, TRANSCRIPT } from "../../src/ops/ceremony/folder.ts";
import { pointBytes } from "../../src/ops/ceremony/point_text.ts";
import { inMemory } from "../../src/ops/ceremony/sections.ts";
import { parseTranscript, type Transcript, transcriptBytes } from "../../src/ops/ceremony/transcript.ts";
import { parseZkey } from "../../src/ops/ceremony/zkey.ts";
import { closeSnarkjs, openSnarkjs } from "../../tools/snarkjs.ts";
import { memoryFolder, tinyCircuits, tinyPowers } from "./tiny_ceremony.ts";

export type MemoryFolder = ReturnType<typeof memoryFolder>;

export const text = (value: string) => new TextEncoder().encode(value);
export const people = ["Alice", "Bob (Zürich)"];
/** The round of the beacon. */
export const LAST = people.length + 1;
export const beacon = { value: new Uint8Array(32).fill(7), exponent: 10 };
export const mem = (data: Uint8Array) => ({ type: "mem" as const, data: data.slice() });

/** What a ceremony needs before it begins. */
export async function openTiny() {
  const snarkjs = await openSnarkjs();
  const arithmetic = openArithmetic(2);
  const ptau = await tinyPowers(snarkjs);
  const r1cs = tinyCircuits();
  return {
    snarkjs,
    arithmetic,
    ptau,
    r1cs,
    origin: { powers: inMemory(ptau), r1cs },
    async [Symbol.asyncDispose]() {
      arithmetic.close();
      await closeSnarkjs();
      await (globalThis as { curve_bn128?: { terminate(): Promise<void> } | null }).curve_bn128?.terminate();
    },
  };
}

/** A ceremony that was held: its folder at the end, and after the beginning and each contribution. */
export async function holdCeremony({ arithmetic, origin }: Awaited<ReturnType<typeof openTiny>>) {
  const honest = memoryFolder();
  const step = { folder: honest, arithmetic };
  await beginCeremony({ ...step, ...origin });
  const atRound: MemoryFolder[] = [copy(honest)];
  for (const name of people) {
    await contributeTo({ ...step, name, entropy: text(`what ${name} typed`) });
    atRound.push(copy(honest));
  }
  await closeWithBeacon({ ...step, name: "the beacon", beacon });
  const verify = (folder: MemoryFolder, evidence: Evidence = { origin }) =>
    verifyCeremony({ folder, arithmetic, ...evidence });
  const keyOf = async (folder: MemoryFolder, circuit: CircuitName, round: number) =>
    await parseZkey(folder.files.get(keyFile(circuit, round))!, circuit);
  return { honest, atRound, verify, keyOf };
}

export function copy(folder: MemoryFolder): MemoryFolder {
  const other = memoryFolder();
  for (const [name, content] of folder.files) other.files.set(name, content.slice());
  return other;
}

export function transcriptOf(folder: MemoryFolder): Transcript {
  return parseTranscript(folder.files.get(TRANSCRIPT)!);
}

/** Changes the transcript and nothing else. */
export function tampered(folder: MemoryFolder, change: (transcript: Transcript) => void): MemoryFolder {
  const [other, transcript] = [copy(folder), transcriptOf(folder)];
  change(transcript);
  other.files.set(TRANSCRIPT, new Uint8Array(transcriptBytes(transcript)));
  return other;
}

/** Changes the transcript as an attacker would, who makes the chain of hashes fit again. */
export function rewritten(folder: MemoryFolder, change: (transcript: Transcript) => void): MemoryFolder {
  const transcript = transcriptOf(folder);
  change(transcript);
  const { contributions, ...head } = transcript;
  let previous = hashOf(head);
  for (const entry of contributions) {
    const { hash: _, ...unhashed } = Object.assign(entry, { previous });
    previous = entry.hash = hashOf(unhashed);
  }
  folder.files.set(TRANSCRIPT, new Uint8Array(transcriptBytes(transcript)));
  return folder;
}

/** As docs/ceremony.md says: SHA-256 of the JSON without spaces, members in the order of their names. */
export function hashOf(value: unknown): string {
  const sorted = JSON.stringify(
    value,
    (_, member) =>
      member !== null && typeof member === "object" && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([x], [y]) => x < y ? -1 : 1))
        : member,
  );
  return bytesToHex(sha256(text(sorted)));
}

/** A multiple of G1's generator, as files hold it. */
export function multiple(scalar: bigint): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar).toAffine();
  return pointBytes([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
}

/** A point on G1's curve that is not of order r: the cofactor is not cleared. */
export function strayG1(): Uint8Array {
  const { Fp } = bls12_381.fields;
  for (let x = 1n;; x++) {
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), 4n);
    try {
      const y = Fp.sqrt(square);
      const point = bls12_381.G1.Point.fromAffine({ x, y });
      if (!point.isTorsionFree()) {
        return pointBytes([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
      }
    } catch {
      // no square: the next x
    }
  }
}

export function sectionStart(file: Uint8Array, wanted: number): number {
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 12;;) {
    const [id, length] = [view.getUint32(at, true), Number(view.getBigUint64(at + 4, true))];
    if (id === wanted) return at + 12;
    at += 12 + length;
  }
}

export function refusedWith(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === "invalid_ceremony", String(error));
    assert.match(error.message, message);
    return true;
  };
}
