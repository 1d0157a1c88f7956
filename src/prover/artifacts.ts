/**
 * The circuits' artifacts: witness programs, proving keys and verification keys. The program contains their
 * pinned hashes and never uses a file that does not match. This module must not cache files.
 */
import committedPins from "../../artifacts/pins.json" with { type: "json" };
import { Problem } from "../core/errors/problem.ts";
import { type CircuitName, circuitNames } from "../core/crypto/groth16.ts";
import { proverLocations } from "./locations.ts";

/** Label of keys that one machine made: its operator could forge proofs. */
export const DEVELOPMENT_LABEL = "development keys, insecure";

/** Returns whether this is the hash of this release's development withdrawal key. */
export function isDevelopmentKey(vkeyHash: string): boolean {
  return committedPins.label === DEVELOPMENT_LABEL && vkeyHash === committedPins.files["withdraw.vkey.json"];
}

const artifactKinds = ["wasm", "zkey", "vkey.json"] as const;

export type ArtifactName = `${CircuitName}.${typeof artifactKinds[number]}`;

/** The SHA-256 of each artifact in hex, and the kind of keys. */
export interface ArtifactPins {
  readonly label: string;
  readonly files: Readonly<Record<ArtifactName, string>>;
  /** SHA-256 of the transcript of the ceremony that made the keys. */
  readonly transcript?: string;
  /** SHA-256 of the keys that the ceremony began with. */
  readonly initialKeys?: Readonly<Record<CircuitName, string>>;
}

export interface Artifacts {
  /** The kind of keys, for display. */
  readonly label: string;
  expectedSha256(name: ArtifactName): string;
  /**
   * Returns the file's bytes. Throws `artifact_corrupted` if it is missing or does not match its pin, and
   * `artifact_unavailable` if a server does not return it.
   */
  load(name: ArtifactName): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the ceremony's transcript, or undefined for keys without one. Throws as `load` does. */
  loadTranscript(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Returns the key that the ceremony began with, or undefined for keys without one. Throws as `load` does. */
  loadInitialKey(circuit: CircuitName): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const SHA256_PATTERN = /^[0-9a-f]{64}$/;

function validatePins(pins: ArtifactPins): void {
  const { label, files, transcript, initialKeys } = (pins ?? {}) as Partial<ArtifactPins>;
  if (typeof label !== "string") throw new Problem("artifact_corrupted", "pins.json has no label");
  const names = circuitNames.flatMap((circuit) =>
    artifactKinds.map((kind): ArtifactName => `${circuit}.${kind}`)
  );
  for (const name of names) {
    if (!SHA256_PATTERN.test(String(files?.[name]))) {
      throw new Problem("artifact_corrupted", `pins.json has no SHA-256 of ${name}`);
    }
  }
  if (transcript !== undefined && !SHA256_PATTERN.test(String(transcript))) {
    throw new Problem("artifact_corrupted", "pins.json has no SHA-256 of the transcript");
  }
  for (const circuit of initialKeys === undefined ? [] : circuitNames) {
    if (SHA256_PATTERN.test(String(initialKeys?.[circuit]))) continue;
    throw new Problem("artifact_corrupted", `pins.json has no SHA-256 of ${circuit}.initial.zkey`);
  }
}

/**
 * Opens the artifacts in the folder `base`. Throws `artifact_corrupted` for malformed pins.
 *
 * @param base a file: or http(s): URL that ends in a slash
 */
export function openArtifacts(
  base: URL = proverLocations.artifacts,
  pins: ArtifactPins = committedPins,
): Artifacts {
  validatePins(pins);
  const loadChecked = async (name: string, pin: string) => {
    const bytes = await readArtifact(new URL(name, base), name);
    if (await sha256Hex(bytes) !== pin) {
      throw new Problem("artifact_corrupted", `artifact ${name} does not match its pin`);
    }
    return bytes;
  };
  return {
    label: pins.label,
    expectedSha256: (name) => pins.files[name],
    load: (name) => loadChecked(name, pins.files[name]),
    async loadTranscript() {
      const name = "transcript.json";
      return pins.transcript === undefined ? undefined : await loadChecked(name, pins.transcript);
    },
    async loadInitialKey(circuit) {
      const pin = pins.initialKeys?.[circuit];
      return pin === undefined ? undefined : await loadChecked(`${circuit}.initial.zkey`, pin);
    },
  };
}

async function readArtifact(url: URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await proverLocations.read(url);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem("artifact_corrupted", `artifact ${name} cannot be read`, { cause });
  }
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
