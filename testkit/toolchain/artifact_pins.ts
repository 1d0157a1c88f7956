/**
 * Paths and pins of the proving artifacts, for the tools that create them. `src/prover/artifacts.ts` loads them in
 * the product.
 */
import { createHash } from "node:crypto";
import { circuitNames } from "../../src/core/crypto/groth16.ts";

export const REPOSITORY_ROOT = new URL("../../", import.meta.url);
/** The committed artifacts. */
export const ARTIFACTS_FOLDER = new URL("artifacts/", REPOSITORY_ROOT);
/** Build products that are not committed. */
export const CIRCUITS_OUTPUT = new URL("dist/circuits/", REPOSITORY_ROOT);

export { DEVELOPMENT_LABEL } from "../../src/prover/artifacts.ts";

/** `pins.json`: the label of the keys, and the SHA-256 of each artifact in lowercase hex. */
export interface Pins {
  readonly label: string;
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the transcript of the ceremony that produced the keys. */
  readonly transcript?: string;
}

export const pinnedFiles: readonly string[] = circuitNames.flatMap((name) =>
  ["wasm", "zkey", "vkey.json"].map((kind) => `${name}.${kind}`)
);

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
  const missing = pinnedFiles.filter((file) => !/^[0-9a-f]{64}$/.test(String(pins?.files?.[file])));
  if (typeof pins?.label !== "string") missing.push("label");
  if (missing.length > 0) throw new Error(`artifacts/pins.json lacks ${missing.join(", ")}`);
  return pins as Pins;
}

/** Pins the artifacts on disk. All of them must exist. */
export async function writePins(label: string, transcript?: string): Promise<Pins> {
  const files: Record<string, string> = {};
  for (const file of pinnedFiles) files[file] = sha256(await Deno.readFile(new URL(file, ARTIFACTS_FOLDER)));
  await Deno.writeTextFile(new URL("pins.json", ARTIFACTS_FOLDER), formatJson({ label, files, transcript }));
  return { label, files, transcript };
}

/** Formats JSON artifacts, so that equal values have equal bytes. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
