/**
 * Verification keys of the tests' own (see trapdoor_keys.ts) in the place of the committed ones: whoever imports this
 * verifies for real, but with keys under which a proof costs milliseconds. Must be imported before a prover is made, and
 * by nothing but tests.
 */
import { createHash } from "node:crypto";
import pins from "../../../artifacts/pins.json" with { type: "json" };
import { circuits, combinedVkeyHash } from "../../../src/core/groth16.ts";
import { locations } from "../../../src/prover/locations.ts";
import { trapdoorKey } from "../../support/trapdoor_keys.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const files = circuits.map((name) => [name, JSON.stringify(trapdoorKey(name))] as const);
const hashes = Object.fromEntries(files.map(([name, text]) => [name, sha256(text)]));

/** What a pool with these keys has in its registry entry. */
export const trapdoorVkeyHash = combinedVkeyHash({ withdraw: hashes.withdraw, deposit: hashes.deposit });

/** Writes the keys into `directory`, which ends in a slash. */
export async function writeTrapdoorArtifacts(directory: string): Promise<void> {
  for (const [name, text] of files) await Deno.writeTextFile(`${directory}${name}.vkey.json`, text);
}

/** Makes this process read its keys from `directory`. */
export function useTrapdoorArtifacts(directory: string): void {
  locations.artifacts = new URL(`file://${directory}`);
  for (const name of circuits) pins.files[`${name}.vkey.json`] = hashes[name];
}
