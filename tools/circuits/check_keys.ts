/**
 * Verifies the committed keys: every artifact has its pinned SHA-256, each verification key belongs to its proving
 * key and has no point at infinity or outside the group, and keys other than development keys have the transcript of a
 * ceremony that verifies for these circuits. Exits with 1 and names what differs.
 *
 * Usage: deno task keys:check
 */
import { allCircuitNames, circuitsOfVersion } from "../../src/core/crypto/groth16.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { checkPinnedKeys } from "../../src/ops/keys/pinned_keys.ts";
import { assertSoundKey } from "../../src/ops/keys/sound_key.ts";
import { openArtifacts, transcriptFiles } from "../../src/prover/artifacts.ts";
import {
  ARTIFACTS_FOLDER,
  DEVELOPMENT_LABEL,
  formatJson,
  pinnedFiles,
  pinnedHashes,
  readPins,
  sha256,
} from "../../testkit/toolchain/artifact_pins.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import { closeSnarkjs, openSnarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { readArguments } from "../shared/arguments.ts";
import { omit } from "../../src/core/omit.ts";

readArguments([]);

const wrong: string[] = [];

const pins = await readPins();
const hashes = pinnedHashes(pins);
for (const file of Object.keys(hashes)) {
  if (!pinnedFiles.includes(file)) wrong.push(`pins.json lists ${file}, which is no artifact`);
}
for (const file of pinnedFiles) {
  const bytes = await Deno.readFile(new URL(file, ARTIFACTS_FOLDER));
  const pin = hashes[file];
  if (pin === undefined) wrong.push(`${file} has no pin`);
  else if (sha256(bytes) !== pin) wrong.push(`${file} does not have its pinned SHA-256`);
}

const snarkjs = await openSnarkjs();
for (const name of allCircuitNames) {
  const data = await Deno.readFile(new URL(`${name}.zkey`, ARTIFACTS_FOLDER));
  const exported = withoutPairing(await snarkjs.zKey.exportVerificationKey({ type: "mem", data }));
  const committed = JSON.parse(await Deno.readTextFile(new URL(`${name}.vkey.json`, ARTIFACTS_FOLDER)));
  if (formatJson(exported) !== formatJson(withoutPairing(committed))) {
    wrong.push(`${name}.vkey.json is not the verification key inside ${name}.zkey`);
  }
  wrong.push(...await faultsOf(() => assertSoundKey(`${name}.vkey.json`, committed)));
}
await closeSnarkjs();

if (pins.label !== DEVELOPMENT_LABEL) wrong.push(...await faultsOf(() => ceremonyFaults(1)));
if (pins.version2.label !== DEVELOPMENT_LABEL) wrong.push(...await faultsOf(() => ceremonyFaults(2)));

for (const problem of wrong) console.error(problem);
if (wrong.length > 0) Deno.exit(1);
console.log(
  `keys:check: ${pinnedFiles.length} artifacts match their pins and each other ` +
    `(version 1: ${pins.label}; version 2: ${pins.version2.label})`,
);

/** Removes the pairing of alpha and beta, which snarkjs adds and a ceremony's keys do not contain. */
function withoutPairing(key: Record<string, unknown>): Record<string, unknown> {
  return omit(key, "vk_alphabeta_12");
}

/** Returns the faults that a check returns, or the message of the problem that it throws. */
async function faultsOf(check: () => void | Promise<string[]>): Promise<string[]> {
  try {
    return await check() ?? [];
  } catch (error) {
    if (error instanceof Problem) return [error.message];
    throw error;
  }
}

async function ceremonyFaults(version: 1 | 2): Promise<string[]> {
  const { circuits: begun } = await checkPinnedKeys(openArtifacts(), version);
  const faults: string[] = [];
  for (const name of circuitsOfVersion[version]) {
    const { r1cs } = await compileCircuit(name);
    if (sha256(r1cs) === begun[name].r1cs) continue;
    faults.push(`${transcriptFiles[version]} is of another circuit ${name} than this`);
  }
  return faults;
}
