/**
 * Paths and pins of the proving artifacts, for the tools that create them. `src/prover/artifacts.ts` loads them in
 * the product.
 */
import { createHash } from "node:crypto";
import { allCircuitNames, circuitsOfVersion } from "../../src/core/crypto/groth16.ts";

export const REPOSITORY_ROOT = new URL("../../", import.meta.url);
/** The committed artifacts. */
export const ARTIFACTS_FOLDER = new URL("artifacts/", REPOSITORY_ROOT);
/** Build products that are not committed. */
export const CIRCUITS_OUTPUT = new URL("dist/circuits/", REPOSITORY_ROOT);

export { DEVELOPMENT_LABEL } from "../../src/prover/artifacts.ts";

/** The label of a set of keys, and the SHA-256 of each of its artifacts in lowercase hex. */
export interface KeySetPins {
  readonly label: string;
  readonly files: Readonly<Record<string, string>>;
}

/** `pins.json`: the artifacts of version 1 pools, and those of version 2 pools. */
interface Pins extends KeySetPins {
  /** SHA-256 of the transcript of the ceremony that produced the keys of version 1. */
  readonly transcript?: string;
  readonly initialKeys?: unknown;
  readonly version2: KeySetPins;
}

const filesOf = (names: readonly string[]) =>
  names.flatMap((name) => ["wasm", "zkey", "vkey.json"].map((kind) => `${name}.${kind}`));
export const pinnedFiles: readonly string[] = filesOf(allCircuitNames);

/** Returns the hashes of the artifacts of all versions. */
export function pinnedHashes({ files, version2 }: Pins): Readonly<Record<string, string>> {
  return { ...files, ...version2.files };
}

/** Returns the SHA-256 in lowercase hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads the committed pins. */
export async function readPins(): Promise<Pins> {
  const text = await Deno.readTextFile(new URL("pins.json", ARTIFACTS_FOLDER));
  let pins: Partial<Pins> | null;
  try {
    pins = JSON.parse(text);
  } catch (cause) {
    throw new Error("artifacts/pins.json is not JSON", { cause });
  }
  const hashes: Record<string, string> = { ...pins?.files, ...pins?.version2?.files };
  const missing = pinnedFiles.filter((file) => !/^[0-9a-f]{64}$/.test(String(hashes[file])));
  for (const set of [pins, pins?.version2]) if (typeof set?.label !== "string") missing.push("a label");
  if (missing.length > 0) throw new Error(`artifacts/pins.json lacks ${missing.join(", ")}`);
  return pins as Pins;
}

/** Pins the artifacts on disk again and keeps everything else of `pins`. All files must exist. */
export async function writePins(pins: Pins): Promise<Pins> {
  const hash = async (names: readonly string[]) => {
    const files: Record<string, string> = {};
    for (const file of filesOf(names)) {
      files[file] = sha256(await Deno.readFile(new URL(file, ARTIFACTS_FOLDER)));
    }
    return files;
  };
  const written = {
    ...pins,
    files: await hash(circuitsOfVersion[1]),
    version2: { ...pins.version2, files: await hash(circuitsOfVersion[2]) },
  };
  await Deno.writeTextFile(new URL("pins.json", ARTIFACTS_FOLDER), formatJson(written));
  return written;
}

/** Formats JSON artifacts, so that equal values have equal bytes. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
