/**
 * Replaces the keys of this process with test keys (trapdoor_keys.ts). Contracts, witnesses and verification stay
 * real, but a proof takes milliseconds. Only tests and tools may use it.
 */
import { createHash } from "node:crypto";
import jetton from "../../artifacts/contracts/jetton.json" with { type: "json" };
import jetton2 from "../../artifacts/contracts/jetton2.json" with { type: "json" };
import native from "../../artifacts/contracts/native.json" with { type: "json" };
import native2 from "../../artifacts/contracts/native2.json" with { type: "json" };
import pins from "../../artifacts/pins.json" with { type: "json" };
import { allCircuitNames, circuitsOfVersion, combinedVkeyHash } from "../../src/core/crypto/groth16.ts";
import type { PoolVersion } from "../../src/core/protocol/deployments.ts";
import { proverLocations } from "../../src/prover/locations.ts";
import { trapdoorJettonCode, trapdoorKey, trapdoorNativeCode } from "../chain/trapdoor_keys.ts";
import { v2TrapdoorCode, v2TrapdoorJettonCode } from "../chain/v2/trapdoor_codes.ts";

const contracts = [
  { artifact: native, version: 1, compile: trapdoorNativeCode },
  { artifact: jetton, version: 1, compile: trapdoorJettonCode },
  { artifact: native2, version: 2, compile: v2TrapdoorCode },
  { artifact: jetton2, version: 2, compile: v2TrapdoorJettonCode },
] as const;

let replacement: Promise<void> | undefined;

/** Returns whether this process uses test keys. */
export function usesTrapdoorKeys(): boolean {
  return replacement !== undefined;
}

/** Call this before this process loads a key or the code of a pool. It cannot be undone. */
export function useTrapdoorKeys(): Promise<void> {
  return replacement ??= replaceKeys();
}

async function replaceKeys(): Promise<void> {
  const codes = await Promise.all(contracts.map(({ compile }) => compile()));
  const hashes = replaceKeyFiles();
  const vkeyHashes: Record<PoolVersion, string> = { 1: keyHash(1, hashes), 2: keyHash(2, hashes) };
  contracts.forEach(({ artifact, version }, i) => {
    artifact.codeBoc64 = codes[i].toBoc().toString("base64");
    artifact.codeHash = codes[i].hash().toString("hex");
    artifact.vkeyHash = vkeyHashes[version];
  });
  proverLocations.worker = new URL("./forging_worker.ts", import.meta.url);
}

/** Serves the key files from memory, pins them, and returns the hashes of the verification keys by circuit. */
function replaceKeyFiles(): Record<string, string> {
  const sets: Record<string, string>[] = [pins.files, pins.version2.files];
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const hashes: Record<string, string> = {};
  const replace = (name: string, text: string) => {
    const hash = createHash("sha256").update(text).digest("hex");
    for (const set of sets) if (name in set) set[name] = hash;
    files.set(name, new TextEncoder().encode(text));
    return hash;
  };
  for (const circuit of allCircuitNames) {
    hashes[circuit] = replace(`${circuit}.vkey.json`, JSON.stringify(trapdoorKey(circuit)));
    replace(`${circuit}.zkey`, circuit); // the forging worker reads only the circuit's name
  }
  const { read } = proverLocations;
  proverLocations.read = async (file, options) =>
    files.get(file.pathname.split("/").at(-1)!)?.slice() ?? await read(file, options);
  return hashes;
}

function keyHash(version: PoolVersion, hashes: Readonly<Record<string, string>>): string {
  return combinedVkeyHash(Object.fromEntries(circuitsOfVersion[version].map((name) => [name, hashes[name]])));
}
