/**
 * Where the proving artifacts lie and how they are pinned: shared by the tools that make them. What loads them in
 * the product is `src/prover/artifacts.ts`.
 */
import { createHash } from "node:crypto";
import { circuits } from "../src/core/groth16.ts";

/** The repository's root. */
export const ROOT = new URL("../", import.meta.url);
/** The committed artifacts. */
export const ARTIFACTS = new URL("artifacts/", ROOT);
/** Build products that are not committed. */
export const DIST = new URL("dist/circuits/", ROOT);

export { DEVELOPMENT_LABEL } from "../src/prover/artifacts.ts";

/** `pins.json`: what the keys are worth, and the SHA-256 of each artifact in lowercase hex. */
export interface Pins {
  readonly label: string;
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the transcript of the ceremony that the keys come from. */
  readonly transcript?: string;
}

/** Names of the pinned files. */
export const pinnedFiles: readonly string[] = circuits.flatMap((name) =>
  ["wasm", "zkey", "vkey.json"].map((kind) => `${name}.${kind}`)
);

/** SHA-256 in lowercase hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The committed pins. */
export async function readPins(): Promise<Pins> {
  const text = await Deno.readTextFile(new URL("pins.json", ARTIFACTS));
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

/** Pins the artifacts as they lie on disk now; every one of them must be there. */
export async function writePins(label: string, transcript?: string): Promise<Pins> {
  const files: Record<string, string> = {};
  for (const file of pinnedFiles) files[file] = sha256(await Deno.readFile(new URL(file, ARTIFACTS)));
  await Deno.writeTextFile(new URL("pins.json", ARTIFACTS), formatJson({ label, files, transcript }));
  return { label, files, transcript };
}

/** The one form in which JSON artifacts are written, so that equal values are equal bytes. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
