import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AnyCircuitName, circuitsOf, type PerCircuit } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import { ceremonyProblem, equalBytes } from "./section_file.ts";
import { MAX_TRANSCRIPT_BYTES, maxKeyBytes } from "./size_limits.ts";
import { keyEntries, parseTranscript, type Transcript, transcriptBytes } from "./transcript/transcript.ts";
import { parseZkey, serializeZkey, type Zkey } from "./zkey.ts";

export interface CeremonyFolder {
  /** Returns undefined for a missing file. Throws `invalid_config` if it is too large or unreadable. */
  read(name: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Returns whether an entry exists, readable or not. */
  has(name: string): Promise<boolean>;
  /** Creates the folder if needed. Throws `write_failed`. */
  assertWritable(): Promise<void>;
  /** Locks the folder until disposal or exit. Throws `folder_in_use` at once, or `write_failed`. */
  lock(): Promise<Disposable>;
  /** Writes a file atomically. Creates missing folders. */
  write(name: string, content: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

export type CircuitKeys = PerCircuit<Zkey>;

export const TRANSCRIPT_FILE = "transcript.json";

export async function forEachCircuit<T>(
  circuits: readonly AnyCircuitName[],
  work: (circuit: AnyCircuitName) => Promise<T>,
): Promise<PerCircuit<T>> {
  const values: Record<string, T> = {};
  for (const circuit of circuits) values[circuit] = await work(circuit);
  return values;
}

export function keyFileName(circuit: AnyCircuitName, contributions: number): string {
  return `${circuit}.${contributions}.zkey`;
}

export interface KeyPair {
  readonly initial: CircuitKeys;
  readonly current: CircuitKeys;
}

/** A folder as read once. What is checked and what is then written must come from the same reading. */
export interface LoadedCeremony {
  readonly transcript: Transcript;
  readonly keys: KeyPair | Problem;
}

export async function loadCeremony(folder: Pick<CeremonyFolder, "read">): Promise<LoadedCeremony> {
  const transcript = await readTranscript(folder);
  try {
    const initial = await readKeys(folder, transcript, 0);
    const contributions = keyEntries(transcript).length;
    const current = contributions === 0 ? initial : await readKeys(folder, transcript, contributions);
    return { transcript, keys: { initial, current } };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_ceremony") throw error;
    return { transcript, keys: error };
  }
}

export function requireKeys({ keys }: LoadedCeremony): KeyPair {
  if (keys instanceof Problem) throw keys;
  return keys;
}

/** Throws `invalid_ceremony` for a missing or malformed transcript. */
export async function readTranscript(folder: Pick<CeremonyFolder, "read">): Promise<Transcript> {
  const bytes = await folder.read(TRANSCRIPT_FILE, MAX_TRANSCRIPT_BYTES);
  if (bytes === undefined) {
    throw ceremonyProblem(
      "ceremony",
      `has no ${TRANSCRIPT_FILE}: begin one with \`tonado ceremony init\``,
      "Or give the folder that contains one.",
    );
  }
  return parseTranscript(bytes);
}

/** Their hashes must match the transcript. */
async function readKeys(
  folder: Pick<CeremonyFolder, "read">,
  transcript: Transcript,
  contributions: number,
): Promise<CircuitKeys> {
  const read = async (circuit: AnyCircuitName) => {
    const file = keyFileName(circuit, contributions);
    const bytes = await folder.read(
      file,
      maxKeyBytes(transcript.circuits[circuit].constraints, contributions),
    );
    if (bytes === undefined) {
      throw ceremonyProblem("ceremony", `lacks ${file}`, "Copy the whole folder again from its source.");
    }
    const expected = contributions === 0
      ? transcript.circuits[circuit].zkey
      : keyEntries(transcript)[contributions - 1].keys[circuit].zkey;
    if (bytesToHex(sha256(bytes)) !== expected) {
      throw ceremonyProblem(
        file,
        "does not have the hash in the transcript",
        "Copy the whole folder again. If the error persists, do not use this folder.",
      );
    }
    return await parseZkey(bytes, file);
  };
  return await forEachCircuit(circuitsOf(transcript.circuits), read);
}

/** Throws `invalid_ceremony` if a different initial key would be replaced: there may be no copy of it. */
export async function assertNoOtherKeys(
  folder: CeremonyFolder,
  keys: CircuitKeys,
  constraints: PerCircuit<number>,
): Promise<void> {
  for (const circuit of circuitsOf(keys)) {
    const file = keyFileName(circuit, 0);
    const existing = await folder.read(file, maxKeyBytes(constraints[circuit], 0));
    if (existing === undefined || equalBytes(existing, serializeZkey(keys[circuit]))) continue;
    throw ceremonyProblem(
      file,
      "already exists in this folder with another key and is not replaced",
      "Begin in another folder, or move the file away.",
    );
  }
}

/** The transcript names existing files only and comes last, so an interrupted run leaves a valid folder. */
export async function writeContribution(
  folder: CeremonyFolder,
  keys: CircuitKeys,
  next: (written: PerCircuit<{ key: Zkey; sha256: string }>) => Promise<Transcript>,
): Promise<Transcript> {
  const circuits = circuitsOf(keys);
  const round = keys[circuits[0]].contributions.length;
  const written = await forEachCircuit(circuits, async (circuit) => {
    const bytes = serializeZkey(keys[circuit]);
    await folder.write(keyFileName(circuit, round), bytes);
    return { key: keys[circuit], sha256: bytesToHex(sha256(bytes)) };
  });
  const transcript = await next(written);
  await folder.write(TRANSCRIPT_FILE, transcriptBytes(transcript));
  if (round > 1) {
    for (const circuit of circuits) await folder.remove(keyFileName(circuit, round - 1));
  }
  return transcript;
}
