/**
 * Replaces the committed verification keys with test keys (trapdoor_keys.ts): verification is real, and a
 * proof takes milliseconds. Import this file before a prover is created, and only in tests.
 */
import { createHash } from "node:crypto";
import pins from "../../artifacts/pins.json" with { type: "json" };
import { allCircuitNames, circuitsOfVersion, combinedVkeyHash } from "../../src/core/crypto/groth16.ts";
import { proverLocations } from "../../src/prover/locations.ts";
import { trapdoorKey } from "../chain/trapdoor_keys.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const files = allCircuitNames.map((name) => [name, JSON.stringify(trapdoorKey(name))] as const);
const hashes = Object.fromEntries(files.map(([name, text]) => [name, sha256(text)]));

/** The vkeyHash of pools with these keys. */
export const trapdoorVkeyHash = combinedVkeyHash({ withdraw: hashes.withdraw, deposit: hashes.deposit });
/** The vkeyHash of version 2 pools with these keys. */
export const trapdoorVkeyHash2 = combinedVkeyHash(
  Object.fromEntries(circuitsOfVersion[2].map((name) => [name, hashes[name]])),
);

/** The value that a forging prover loads instead of a witness program and a proving key. It reads neither. */
const UNUSED = "unused";
const unusedFiles = ["settle16.wasm", "settle16.zkey"] as const;

/** Writes the keys into `directory`, which ends with a slash. */
export async function writeTrapdoorArtifacts(directory: string): Promise<void> {
  for (const [name, text] of files) await Deno.writeTextFile(`${directory}${name}.vkey.json`, text);
  for (const name of unusedFiles) await Deno.writeTextFile(directory + name, UNUSED);
}

/** Makes this process read its keys from `directory`. */
export function useTrapdoorArtifacts(directory: string): void {
  proverLocations.artifacts = new URL(`file://${directory}`);
  const all: Record<string, string>[] = [pins.files, pins.version2.files];
  for (const name of allCircuitNames) {
    for (const set of all) if (`${name}.vkey.json` in set) set[`${name}.vkey.json`] = hashes[name];
  }
}

/** Makes this process settle with forged proofs, which take milliseconds. Requires the test keys. */
export function useForgingProver(): void {
  proverLocations.worker = new URL("./forging_worker.ts", import.meta.url);
  for (const name of unusedFiles) pins.version2.files[name] = sha256(UNUSED);
}
