/** A file must match its pinned hash, at every read and wherever it comes from. */
import committedPins from "../../artifacts/pins.json" with { type: "json" };
import { Problem } from "../core/errors/problem.ts";
import {
  type AnyCircuitName,
  type CircuitName,
  circuitsOfVersion,
  type Version2CircuitName,
} from "../core/crypto/groth16.ts";
import { omit } from "../core/omit.ts";
import { type ArtifactProgress, type ArtifactReadOptions, proverLocations } from "./locations.ts";

/** The label of keys that one machine made. Its operator could forge proofs. */
export const DEVELOPMENT_LABEL = "development keys, insecure";

export function isDevelopmentKey(vkeyHash: string): boolean {
  return [version1Pins, version2Pins].some(({ label, files }) =>
    label === DEVELOPMENT_LABEL && Object.values(files).includes(vkeyHash)
  );
}

const artifactKinds = ["wasm", "zkey", "vkey.json"] as const;

export type ArtifactName<Circuit extends AnyCircuitName = AnyCircuitName> =
  `${Circuit}.${typeof artifactKinds[number]}`;

/** The SHA-256 of each artifact in hex, and the kind of keys. */
export interface KeySetPins<Circuit extends AnyCircuitName> {
  readonly label: string;
  readonly files: Readonly<Record<ArtifactName<Circuit>, string>>;
  /** SHA-256 of the transcript of the ceremony that made the keys. */
  readonly transcript?: string;
  /** SHA-256 of the keys that the ceremony began with. */
  readonly initialKeys?: Readonly<Record<Circuit, string>>;
}

/** The pins of version 1 pools. Those of version 2 pools are a separate set. */
export interface ArtifactPins extends KeySetPins<CircuitName> {
  readonly version2?: KeySetPins<Version2CircuitName>;
}

export const version2Pins: KeySetPins<Version2CircuitName> = committedPins.version2;
/** The pins of version 1 alone. */
export const version1Pins: KeySetPins<CircuitName> = omit(committedPins, "version2");

/** The keys and programs of the circuits, checked against their pins. */
export interface Artifacts {
  readonly label: string;
  /** The label of the keys for version 2 pools; absent if the pins have none. */
  readonly version2Label?: string;
  expectedSha256(name: ArtifactName): string;
  /** Throws `artifact_corrupted` for a missing or wrong file, `artifact_unavailable` if a server fails. */
  load(
    name: ArtifactName,
    options?: Pick<ArtifactReadOptions, "signal">,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns undefined where the keys of a version have had no ceremony. */
  loadTranscript(version: 1 | 2): Promise<Uint8Array<ArrayBuffer> | undefined>;
  loadInitialKey(circuit: AnyCircuitName): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The transcript for the pools of each version. */
export const transcriptFiles = { 1: "transcript.json", 2: "transcript2.json" } as const;

const SHA256_PATTERN = /^[0-9a-f]{64}$/;

function validatePins(pins: ArtifactPins): void {
  validateKeySet<CircuitName>(pins, circuitsOfVersion[1]);
  const { version2 } = pins;
  if (version2 !== undefined) validateKeySet(version2, circuitsOfVersion[2]);
}

function validateKeySet<Circuit extends AnyCircuitName>(
  pins: KeySetPins<Circuit>,
  circuits: readonly Circuit[],
): void {
  const { label, files, transcript, initialKeys } = (pins ?? {}) as Partial<KeySetPins<Circuit>>;
  if (typeof label !== "string") throw new Problem("artifact_corrupted", "pins.json has no label");
  const names = circuits.flatMap((circuit) =>
    artifactKinds.map((kind): ArtifactName<Circuit> => `${circuit}.${kind}`)
  );
  for (const name of names) {
    if (!SHA256_PATTERN.test(String(files?.[name]))) throw pinMissing(name);
  }
  if (transcript !== undefined && !SHA256_PATTERN.test(String(transcript))) {
    throw new Problem("artifact_corrupted", "pins.json has no SHA-256 of the transcript");
  }
  for (const circuit of initialKeys === undefined ? [] : circuits) {
    if (!SHA256_PATTERN.test(String(initialKeys?.[circuit]))) throw pinMissing(`${circuit}.initial.zkey`);
  }
}

function pinMissing(name: string): Problem {
  return new Problem("artifact_corrupted", `pins.json has no SHA-256 of ${name}`);
}

/**
 * Keeps artifacts between visits, by the hex SHA-256 of their bytes. Neither method is trusted: what it returns is
 * checked against its pin, and an error means that the cache has nothing.
 */
export interface ArtifactCache {
  read(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  write(sha256: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** How artifacts are read. */
export interface ArtifactOptions {
  readonly cache?: ArtifactCache | undefined;
  /** Called while a file is fetched by HTTP, with the file's name. */
  readonly onProgress?: ((progress: ArtifactProgress & { readonly name: string }) => void) | undefined;
}

/**
 * Opens the keys and programs of the circuits.
 * @param base a file: or http(s): URL that ends in a slash
 * @throws {Problem} `artifact_corrupted` for malformed pins
 * @example
 * ```ts
 * const artifacts = openArtifacts(undefined, undefined, { cache, onProgress: ({ received }) => show(received) });
 * const prover = await createProver({ artifacts });
 * ```
 */
export function openArtifacts(
  base: URL = proverLocations.artifacts,
  pins: ArtifactPins = committedPins,
  options: ArtifactOptions = {},
): Artifacts {
  validatePins(pins);
  const hashes: Partial<Record<ArtifactName, string>> = { ...pins.files, ...pins.version2?.files };
  const expectedSha256 = (name: ArtifactName) => {
    const hash = hashes[name];
    if (hash === undefined) throw pinMissing(name);
    return hash;
  };
  const loadChecked = async (name: string, pin: string, signal?: AbortSignal) => {
    const cached = await readCache(options.cache, pin);
    if (cached !== undefined) return cached;
    const bytes = await readArtifact(new URL(name, base), name, { ...options, signal });
    if (await sha256Hex(bytes) !== pin) {
      throw new Problem("artifact_corrupted", `artifact ${name} does not match its pin`);
    }
    await options.cache?.write(pin, bytes).catch(() => {}); // without a cache it is fetched again
    return bytes;
  };
  return {
    label: pins.label,
    ...pins.version2 && { version2Label: pins.version2.label },
    expectedSha256,
    load: async (name, { signal } = {}) => await loadChecked(name, expectedSha256(name), signal),
    async loadTranscript(version) {
      const { transcript } = version === 2 ? pins.version2 ?? {} : pins;
      return transcript === undefined ? undefined : await loadChecked(transcriptFiles[version], transcript);
    },
    async loadInitialKey(circuit) {
      const initialKeys: Partial<Record<AnyCircuitName, string>> = {
        ...pins.initialKeys,
        ...pins.version2?.initialKeys,
      };
      const pin = initialKeys[circuit];
      return pin === undefined ? undefined : await loadChecked(`${circuit}.initial.zkey`, pin);
    },
  };
}

async function readCache(
  cache: ArtifactCache | undefined,
  pin: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await cache?.read(pin).catch(() => undefined);
  return bytes !== undefined && await sha256Hex(bytes) === pin ? bytes : undefined;
}

async function readArtifact(
  url: URL,
  name: string,
  { signal, onProgress }: ArtifactOptions & Pick<ArtifactReadOptions, "signal">,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await proverLocations.read(url, {
      signal,
      onProgress: onProgress && ((progress) => onProgress({ ...progress, name })),
    });
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem("artifact_corrupted", `artifact ${name} cannot be read`, { cause });
  }
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
