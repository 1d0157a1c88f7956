/** What comes out of a ceremony, in the form in which the rest of the product takes it. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type CircuitName, circuits, combinedVkeyHash } from "../../core/groth16.ts";
import { counted } from "../../core/units.ts";
import { type VerificationKey, verifierSource } from "../verifier_source.ts";
import type { Folder, Keys } from "./folder.ts";
import { coordinates } from "./point_text.ts";
import { G1_BYTES } from "./powers.ts";
import { refused } from "./sections.ts";
import { type Transcript, transcriptBytes } from "./transcript.ts";
import { writeZkey, type Zkey } from "./zkey.ts";

/** The verification key of a proving key, as snarkjs writes it. */
export function verificationKey(key: Zkey): VerificationKey {
  const points = key.sections.IC;
  return {
    protocol: "groth16",
    curve: "bls12381",
    nPublic: key.public,
    vk_alpha_1: g1(key.alpha1),
    vk_beta_2: g2(key.beta2),
    vk_gamma_2: g2(key.gamma2),
    vk_delta_2: g2(key.delta2),
    IC: Array.from(
      { length: key.public + 1 },
      (_, i) => g1(points.subarray(i * G1_BYTES, (i + 1) * G1_BYTES)),
    ),
  };
}

/** The bytes of a verification key's file. */
export function verificationKeyBytes(key: Zkey): Uint8Array {
  return json(verificationKey(key));
}

/** How many people have to have contributed before keys can be made. */
export const LEAST_CONTRIBUTIONS = 1;

const NOBODY = "Begin another: a beacon alone is known to everybody.";

/** @throws {Problem} `invalid_ceremony` unless people have contributed and a beacon has closed it */
export function assertClosed({ contributions }: Transcript): void {
  if (contributions.at(-1)?.kind !== "beacon") {
    throw refused(
      "ceremony",
      "is open: close it with `tonado ceremony beacon`",
      "Close it when all have contributed.",
    );
  }
  if (contributions.length - 1 < LEAST_CONTRIBUTIONS) {
    throw refused("ceremony", "has no contribution", NOBODY);
  }
}

/** What {@linkcode writeKeys} wrote. */
export interface WrittenKeys {
  readonly label: string;
  /** As contract artifacts and the registry have it. */
  readonly vkeyHash: string;
  /** SHA-256 of each file, by its name. */
  readonly files: Readonly<Record<string, string>>;
}

const KEY_FILES = circuits.flatMap((circuit) => [`${circuit}.zkey`, `${circuit}.vkey.json`]);
const verifierFile = (circuit: CircuitName) => `contracts/generated/verifier_${circuit}.tolk`;

/** Names of the files that {@linkcode writeKeys} writes, and those that {@linkcode exportKeys} writes. */
export const outputs = {
  finalize: [
    ...[...KEY_FILES, "transcript.json", "pins.json"].map((name) => `artifacts/${name}`),
    ...circuits.map(verifierFile),
  ],
  export: KEY_FILES,
} as const;

/** Writes both circuits' keys, and nothing else. */
export async function exportKeys(folder: Folder, keys: Keys): Promise<void> {
  for (const circuit of circuits) {
    await folder.write(`${circuit}.zkey`, writeZkey(keys[circuit]));
    await folder.write(`${circuit}.vkey.json`, verificationKeyBytes(keys[circuit]));
  }
}

/**
 * Writes the keys as a checkout of this repository holds them: `artifacts/` with keys, pins and transcript, and the
 * verifiers of the contracts.
 *
 * @param programPins SHA-256 of the witness programs, which a ceremony does not change
 */
export async function writeKeys(
  folder: Folder,
  keys: Keys,
  transcript: Transcript,
  programPins: Readonly<Record<CircuitName, string>>,
): Promise<WrittenKeys> {
  assertClosed(transcript);
  const label = `ceremony keys, ${counted(transcript.contributions.length - 1, "contribution")} and a beacon`;
  const files: Record<string, string> = {};
  const write = async (name: string, content: Uint8Array) => {
    await folder.write(`artifacts/${name}`, content);
    files[name] = bytesToHex(sha256(content));
  };
  for (const circuit of circuits) {
    files[`${circuit}.wasm`] = programPins[circuit];
    await write(`${circuit}.zkey`, writeZkey(keys[circuit]));
    await write(`${circuit}.vkey.json`, verificationKeyBytes(keys[circuit]));
    const source = verifierSource(circuit, verificationKey(keys[circuit]));
    await folder.write(verifierFile(circuit), utf8ToBytes(source));
  }
  const proof = transcriptBytes(transcript);
  await folder.write("artifacts/transcript.json", proof);
  await folder.write("artifacts/pins.json", json({ label, files, transcript: bytesToHex(sha256(proof)) }));
  const hashOf = (circuit: CircuitName) => files[`${circuit}.vkey.json`];
  return {
    label,
    vkeyHash: combinedVkeyHash({ withdraw: hashOf("withdraw"), deposit: hashOf("deposit") }),
    files,
  };
}

function g1(point: Uint8Array): string[] {
  return [...coordinates(point).map(String), "1"];
}

function g2(point: Uint8Array): string[][] {
  const [x0, x1, y0, y1] = coordinates(point).map(String);
  return [[x0, x1], [y0, y1], ["1", "0"]];
}

function json(value: unknown): Uint8Array {
  return utf8ToBytes(`${JSON.stringify(value, null, 2)}\n`);
}
