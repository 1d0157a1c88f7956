/**
 * The circuits' artifacts: witness programs, proving keys, verification keys. The pins are part of the program and not
 * read from beside the files, so nothing that fails its pin is ever used. Must not cache what it reads.
 */
import committedPins from "../../artifacts/pins.json" with { type: "json" };
import { Problem } from "../core/errors.ts";
import { type CircuitName, circuits } from "../core/groth16.ts";
import { locations } from "./locations.ts";

/** Label of keys that one machine made: whoever ran it could forge proofs. */
export const DEVELOPMENT_LABEL = "development keys, insecure";

/** Returns whether a withdrawal key, by the SHA-256 of its verification key, is this release's development key. */
export function isDevelopmentKey(vkeyHash: string): boolean {
  return committedPins.label === DEVELOPMENT_LABEL && vkeyHash === committedPins.files["withdraw.vkey.json"];
}

const kinds = ["wasm", "zkey", "vkey.json"] as const;

/** Name of an artifact's file. */
export type ArtifactName = `${CircuitName}.${typeof kinds[number]}`;

/** SHA-256 of each artifact in hex, and what kind of keys these are. */
export interface Pins {
  readonly label: string;
  readonly files: Readonly<Record<ArtifactName, string>>;
  /** SHA-256 of the transcript of the ceremony that the keys come from. */
  readonly transcript?: string;
}

/** A set of artifacts that is checked whenever it is read. */
export interface Artifacts {
  /** What kind of keys these are, to be shown wherever they are used: `development keys, insecure`. */
  readonly label: string;
  /** SHA-256 in hex that the file has, or else is refused. */
  pin(name: ArtifactName): string;
  /**
   * The file's bytes.
   *
   * @throws {Problem} `artifact_corrupted` naming the file, when it is missing or differs from its pin;
   *   `artifact_unavailable` with its URL, when a server does not return it
   */
  load(name: ArtifactName): Promise<Uint8Array<ArrayBuffer>>;
  /** The transcript of the ceremony that the keys come from, if they do; throws as `load`. */
  transcript(): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const HASH = /^[0-9a-f]{64}$/;

/** @throws {Problem} `artifact_corrupted` naming the first pin that is none */
function assertPins(pins: Pins): void {
  const { label, files, transcript } = (pins ?? {}) as Partial<Pins>;
  if (typeof label !== "string") throw new Problem("artifact_corrupted", "pins.json has no label");
  for (const name of circuits.flatMap((circuit) => kinds.map((kind): ArtifactName => `${circuit}.${kind}`))) {
    if (!HASH.test(String(files?.[name]))) {
      throw new Problem("artifact_corrupted", `pins.json has no SHA-256 of ${name}`);
    }
  }
  if (transcript !== undefined && !HASH.test(String(transcript))) {
    throw new Problem("artifact_corrupted", "pins.json has no SHA-256 of the transcript");
  }
}

/** The artifacts in the folder `base` (a file: or http(s): URL that ends in a slash). @throws {Problem} `artifact_corrupted` for malformed pins */
export function openArtifacts(base: URL = locations.artifacts, pins: Pins = committedPins): Artifacts {
  assertPins(pins);
  const checked = async (name: string, pin: string) => {
    const bytes = await read(new URL(name, base), name);
    if (await sha256(bytes) !== pin) {
      throw new Problem("artifact_corrupted", `artifact ${name} does not match its pin`);
    }
    return bytes;
  };
  return {
    label: pins.label,
    pin: (name) => pins.files[name],
    load: (name) => checked(name, pins.files[name]),
    async transcript() {
      const name = "transcript.json";
      return pins.transcript === undefined ? undefined : await checked(name, pins.transcript);
    },
  };
}

async function read(url: URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await locations.read(url);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem("artifact_corrupted", `artifact ${name} cannot be read`, { cause });
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
