import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import {
  type AnyCircuitName,
  circuitsOf,
  circuitsOfVersion,
  circuitsVersion,
  combinedVkeyHash,
  type PerCircuit,
} from "../../core/crypto/groth16.ts";
import { settle16KeySource, withdraw2KeySource } from "./key_source.ts";
import { type VerificationKey, verifierSource } from "./verifier_source.ts";
import {
  type CeremonyFolder,
  type CircuitKeys,
  type LoadedCeremony,
  requireKeys,
} from "../ceremony/ceremony_folder.ts";
import { type CeremonyPlan, contributorShortfall, keysLabel, planOf } from "../ceremony/ceremony_plan.ts";
import { pointCoordinates } from "../ceremony/arithmetic/point_hex.ts";
import { G1_BYTES } from "../ceremony/arithmetic/points.ts";
import { ceremonyProblem } from "../ceremony/section_file.ts";
import { transcriptFiles, version1Pins, version2Pins } from "../../prover/artifacts.ts";
import { assertClosed } from "../ceremony/transcript/checks.ts";
import { transcriptBytes } from "../ceremony/transcript/transcript.ts";
import { serializeZkey, type Zkey } from "../ceremony/zkey.ts";

/** In snarkjs' format. */
export function verificationKey(key: Zkey): VerificationKey {
  const points = key.sections.IC;
  return {
    protocol: "groth16",
    curve: "bls12381",
    nPublic: key.public,
    vk_alpha_1: g1Json(key.alpha1),
    vk_beta_2: g2Json(key.beta2),
    vk_gamma_2: g2Json(key.gamma2),
    vk_delta_2: g2Json(key.delta2),
    IC: Array.from(
      { length: key.public + 1 },
      (_, i) => g1Json(points.subarray(i * G1_BYTES, (i + 1) * G1_BYTES)),
    ),
  };
}

export function verificationKeyBytes(key: Zkey): Uint8Array {
  return jsonBytes(verificationKey(key));
}

export interface WrittenKeys {
  readonly label: string;
  readonly vkeyHash: string; // the hash in the contract artifacts and the registry
  readonly files: Readonly<Record<string, string>>; // SHA-256 by file name
}

function keyFiles(version: 1 | 2): string[] {
  return circuitsOfVersion[version].flatMap((circuit) => [`${circuit}.zkey`, `${circuit}.vkey.json`]);
}

function initialFile(circuit: AnyCircuitName): string {
  return `${circuit}.initial.zkey`;
}

/** The Tolk sources that hold a circuit's key. Version 2 verifies batches, so its keys have another form. */
const verifierSources = {
  withdraw: (key: VerificationKey) => verifierSource("withdraw", key),
  deposit: (key: VerificationKey) => verifierSource("deposit", key),
  withdraw2: withdraw2KeySource,
  settle16: settle16KeySource,
} as const;

function verifierFile(circuit: AnyCircuitName): string {
  const isVersion2 = (circuitsOfVersion[2] as readonly string[]).includes(circuit);
  return `contracts/${isVersion2 ? "v2/generated/key" : "v1/generated/verifier"}_${circuit}.tolk`;
}

export function outputFiles(command: "finalize" | "export", version: 1 | 2): string[] {
  if (command === "export") return keyFiles(version);
  const circuits = circuitsOfVersion[version];
  const artifacts = [
    ...keyFiles(version),
    ...circuits.map(initialFile),
    transcriptFiles[version],
    "pins.json",
  ];
  return [...artifacts.map((name) => `artifacts/${name}`), ...circuits.map(verifierFile)];
}

export async function exportKeys(folder: CeremonyFolder, keys: CircuitKeys): Promise<void> {
  for (const circuit of circuitsOf(keys)) {
    await folder.write(`${circuit}.zkey`, serializeZkey(keys[circuit]));
    await folder.write(`${circuit}.vkey.json`, verificationKeyBytes(keys[circuit]));
  }
}

/** No check accepts keys with this label as a ceremony's keys. */
export const REHEARSAL_LABEL = "rehearsal keys, insecure";

interface KeysToWrite {
  /** Verified, with the constraint systems and the powers of tau. */
  readonly ceremony: LoadedCeremony;
  readonly plan: CeremonyPlan;
  /** Accepts fewer contributors than mainnet requires; the keys' label says so. */
  readonly fewContributors?: boolean;
  /** The powers of tau are insecure; the keys' label says so. */
  readonly rehearsal?: boolean;
  readonly programPins: PerCircuit<string>;
}

/** Throws `invalid_ceremony` if a ceremony is open, not the planned one, or has too few contributors. */
export function assertExportable({ ceremony: { transcript }, plan, fewContributors }: KeysToWrite): void {
  assertClosed(transcript);
  if (planOf(plan, transcript).initialKeys === null) {
    throw ceremonyProblem(
      "plan",
      "pins no initial keys",
      "Put the SHA-256 of both initial keys into artifacts/ceremony.json, or name the plan with --plan.",
    );
  }
  const shortfall = contributorShortfall(transcript, plan);
  if (shortfall === undefined || fewContributors) return;
  throw ceremonyProblem(
    "ceremony",
    `has too few contributors: ${shortfall}`,
    "Add signed contributions before the beacon. --few-contributors accepts it and labels the keys as weak.",
  );
}

/** Writes `artifacts/` and the contracts' verifiers. Throws as {@linkcode assertExportable}. */
export async function writeKeys(folder: CeremonyFolder, request: KeysToWrite): Promise<WrittenKeys> {
  assertExportable(request);
  const { ceremony, plan, programPins, rehearsal } = request;
  const { transcript } = ceremony;
  const { initial, current: keys } = requireKeys(ceremony);
  const label = rehearsal ? REHEARSAL_LABEL : keysLabel(transcript, plan);
  const circuits = circuitsOf(keys);
  const version = circuitsVersion(keys);
  const files: Record<string, string> = {};
  const write = async (name: string, content: Uint8Array) => {
    await folder.write(`artifacts/${name}`, content);
    files[name] = bytesToHex(sha256(content));
  };
  for (const circuit of circuits) {
    files[`${circuit}.wasm`] = programPins[circuit];
    await write(`${circuit}.zkey`, serializeZkey(keys[circuit]));
    await write(`${circuit}.vkey.json`, verificationKeyBytes(keys[circuit]));
    const source = verifierSources[circuit](verificationKey(keys[circuit]));
    await folder.write(verifierFile(circuit), utf8ToBytes(source));
  }
  for (const circuit of circuits) {
    await folder.write(`artifacts/${initialFile(circuit)}`, serializeZkey(initial[circuit]));
  }
  const content = transcriptBytes(transcript);
  await folder.write(`artifacts/${transcriptFiles[version]}`, content);
  const { initialKeys } = planOf(plan, transcript);
  const pins = { label, files, transcript: bytesToHex(sha256(content)), initialKeys };
  await folder.write(
    "artifacts/pins.json",
    jsonBytes(
      version === 2 ? { ...version1Pins, version2: pins } : { ...pins, version2: version2Pins },
    ),
  );
  const hashes = Object.fromEntries(circuits.map((circuit) => [circuit, files[`${circuit}.vkey.json`]]));
  return { label, vkeyHash: combinedVkeyHash(hashes), files };
}

function g1Json(point: Uint8Array): string[] {
  return [...pointCoordinates(point).map(String), "1"];
}

function g2Json(point: Uint8Array): string[][] {
  const [x0, x1, y0, y1] = pointCoordinates(point).map(String);
  return [[x0, x1], [y0, y1], ["1", "0"]];
}

function jsonBytes(value: unknown): Uint8Array {
  return utf8ToBytes(`${JSON.stringify(value, null, 2)}\n`);
}
