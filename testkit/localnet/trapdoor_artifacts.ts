/**
 * Replaces the committed verification keys with test keys (trapdoor_keys.ts): verification is real, and a proof takes
 * milliseconds. Import it before a prover is created, and only in tests.
 */
import { createHash } from "node:crypto";
import pins from "../../artifacts/pins.json" with { type: "json" };
import { circuitNames, combinedVkeyHash } from "../../src/core/crypto/groth16.ts";
import { proverLocations } from "../../src/prover/locations.ts";
import { trapdoorKey } from "../chain/trapdoor_keys.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const files = circuitNames.map((name) => [name, JSON.stringify(trapdoorKey(name))] as const);
const hashes = Object.fromEntries(files.map(([name, text]) => [name, sha256(text)]));

/** The vkeyHash of pools with these keys. */
export const trapdoorVkeyHash = combinedVkeyHash({ withdraw: hashes.withdraw, deposit: hashes.deposit });

/** Writes the keys into `directory`, which ends with a slash. */
export async function writeTrapdoorArtifacts(directory: string): Promise<void> {
  for (const [name, text] of files) await Deno.writeTextFile(`${directory}${name}.vkey.json`, text);
}

/** Makes this process read its keys from `directory`. */
export function useTrapdoorArtifacts(directory: string): void {
  proverLocations.artifacts = new URL(`file://${directory}`);
  for (const name of circuitNames) pins.files[`${name}.vkey.json`] = hashes[name];
}
