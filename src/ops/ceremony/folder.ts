/** A ceremony's folder: the transcript, the initial keys, and those after the last contribution. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type CircuitName, circuits } from "../../core/groth16.ts";
import { refused, sameBytes } from "./sections.ts";
import { LARGEST_TRANSCRIPT, largestKey } from "./sizes.ts";
import { parseTranscript, type Transcript, transcriptBytes } from "./transcript.ts";
import { parseZkey, writeZkey, type Zkey } from "./zkey.ts";

/** Files of one folder. */
export interface Folder {
  /**
   * Undefined for a file that is not there.
   *
   * @param most bytes that it may have
   * @throws {Problem} `invalid_config` for one that has more, or cannot be read
   */
  read(name: string, most: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Whether something of that name is there, be it readable or not. */
  has(name: string): Promise<boolean>;
  /** Makes the folder, if it is missing, and sees whether files can be written there. @throws {Problem} `cannot_write` */
  assertWritable(): Promise<void>;
  /**
   * Makes the folder, if it is missing, and keeps other runs from changing it until the lock is given back, or this process
   * ends.
   *
   * @throws {Problem} `already_running` at once when another one has it, `cannot_write`
   */
  lock(): Promise<Disposable>;
  /** Writes a file whole or not at all, in place of one of that name; makes folders that are missing. */
  write(name: string, content: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Both circuits' keys. */
export type Keys = Readonly<Record<CircuitName, Zkey>>;

/** The transcript's file. */
export const TRANSCRIPT = "transcript.json";

/** The file of a circuit's key after so many contributions. */
export function keyFile(circuit: CircuitName, contributions: number): string {
  return `${circuit}.${contributions}.zkey`;
}

/** @throws {Problem} `invalid_ceremony` when there is none, or a malformed one */
export async function readTranscript(folder: Folder): Promise<Transcript> {
  const bytes = await folder.read(TRANSCRIPT, LARGEST_TRANSCRIPT);
  if (bytes === undefined) {
    throw refused(
      "ceremony",
      `has no ${TRANSCRIPT}: begin one with \`tonado ceremony init\``,
      "Or name the folder that has it.",
    );
  }
  return parseTranscript(bytes);
}

/**
 * Both keys after so many contributions, which must have the hashes that the transcript says.
 *
 * @throws {Problem} `invalid_ceremony`
 */
export async function readKeys(folder: Folder, transcript: Transcript, contributions: number): Promise<Keys> {
  const read = async (circuit: CircuitName) => {
    const file = keyFile(circuit, contributions);
    const bytes = await folder.read(
      file,
      largestKey(transcript.circuits[circuit].constraints, contributions),
    );
    if (bytes === undefined) {
      throw refused("ceremony", `lacks ${file}`, "Copy the folder again, whole, from where it came.");
    }
    const said = contributions === 0
      ? transcript.circuits[circuit].zkey
      : transcript.contributions[contributions - 1].keys[circuit].zkey;
    if (bytesToHex(sha256(bytes)) !== said) {
      throw refused(
        file,
        "does not have the hash that the transcript says",
        "Copy the folder again, whole; if it stays, build nothing on it.",
      );
    }
    return await parseZkey(bytes, file);
  };
  return { withdraw: await read("withdraw"), deposit: await read("deposit") };
}

/**
 * Refuses to replace an initial key that is another one: whoever brought it may have no copy. The same one is what a run
 * that was cut off has left.
 *
 * @throws {Problem} `invalid_ceremony`
 */
export async function assertNoOtherKeys(
  folder: Folder,
  keys: Keys,
  constraints: Readonly<Record<CircuitName, number>>,
): Promise<void> {
  for (const circuit of circuits) {
    const file = keyFile(circuit, 0);
    const there = await folder.read(file, largestKey(constraints[circuit], 0));
    if (there === undefined || sameBytes(there, writeZkey(keys[circuit]))) continue;
    throw refused(
      file,
      "is in this folder already, is another key, and is not replaced",
      "Begin in another folder, or move the file away.",
    );
  }
}

/**
 * Adds what a contribution made. The transcript comes last, and names files that are there: a run that is cut off leaves
 * the folder as it was.
 *
 * @param next the transcript with the contribution, from the keys' hashes
 * @returns the transcript that was written
 */
export async function writeRound(
  folder: Folder,
  keys: Keys,
  next: (written: Record<CircuitName, { key: Zkey; sha256: string }>) => Promise<Transcript>,
): Promise<Transcript> {
  const written: Partial<Record<CircuitName, { key: Zkey; sha256: string }>> = {};
  const round = keys.withdraw.contributions.length;
  for (const circuit of circuits) {
    const bytes = writeZkey(keys[circuit]);
    await folder.write(keyFile(circuit, round), bytes);
    written[circuit] = { key: keys[circuit], sha256: bytesToHex(sha256(bytes)) };
  }
  const transcript = await next(written as Record<CircuitName, { key: Zkey; sha256: string }>);
  await folder.write(TRANSCRIPT, transcriptBytes(transcript));
  if (round > 1) { for (const circuit of circuits) await folder.remove(keyFile(circuit, round - 1)); }
  return transcript;
}
