/**
 * Shows that the committed keys are what they say: every artifact has its pinned SHA-256, each verification key is the
 * one that its proving key holds, and keys that are not for development have the transcript of a ceremony, which verifies
 * and is about these circuits. Ends with 1 and names what differs.
 *
 * Usage: deno task keys:check
 */
import { circuits } from "../src/core/groth16.ts";
import { Problem } from "../src/core/errors.ts";
import { checkPinnedKeys } from "../src/ops/ceremony/pinned_keys.ts";
import { openArtifacts } from "../src/prover/artifacts.ts";
import { ARTIFACTS, DEVELOPMENT_LABEL, formatJson, pinnedFiles, readPins, sha256 } from "./artifacts.ts";
import { compileCircuit } from "./circuits.ts";
import { closeSnarkjs, openSnarkjs } from "./snarkjs.ts";
import { readArguments } from "./flags.ts";

readArguments([]);

const wrong: string[] = [];

const pins = await readPins();
const listed = Object.keys(pins.files);
for (const file of listed) {
  if (!pinnedFiles.includes(file)) wrong.push(`pins.json lists ${file}, which is no artifact`);
}
for (const file of pinnedFiles) {
  const bytes = await Deno.readFile(new URL(file, ARTIFACTS));
  const pin = pins.files[file];
  if (pin === undefined) wrong.push(`${file} has no pin`);
  else if (sha256(bytes) !== pin) wrong.push(`${file} does not have its pinned SHA-256`);
}

const snarkjs = await openSnarkjs();
for (const name of circuits) {
  const data = await Deno.readFile(new URL(`${name}.zkey`, ARTIFACTS));
  const exported = withoutPairing(await snarkjs.zKey.exportVerificationKey({ type: "mem", data }));
  const committed = JSON.parse(await Deno.readTextFile(new URL(`${name}.vkey.json`, ARTIFACTS)));
  if (formatJson(exported) !== formatJson(withoutPairing(committed))) {
    wrong.push(`${name}.vkey.json is not the verification key inside ${name}.zkey`);
  }
}
await closeSnarkjs();

if (pins.label !== DEVELOPMENT_LABEL) wrong.push(...await ceremonyFaults());

for (const problem of wrong) console.error(problem);
if (wrong.length > 0) Deno.exit(1);
console.log(`keys:check: ${pinnedFiles.length} artifacts match their pins and each other (${pins.label})`);

/** snarkjs writes the pairing of alpha and beta along, which nothing needs and a ceremony's keys do not hold. */
function withoutPairing({ vk_alphabeta_12: _, ...key }: Record<string, unknown>): Record<string, unknown> {
  return key;
}

async function ceremonyFaults(): Promise<string[]> {
  try {
    const { circuits: begun } = await checkPinnedKeys(openArtifacts());
    const faults: string[] = [];
    for (const name of circuits) {
      const { r1cs } = await compileCircuit(name);
      if (sha256(r1cs) !== begun[name].r1cs) {
        faults.push(`transcript.json is of another circuit ${name} than this`);
      }
    }
    return faults;
  } catch (error) {
    if (error instanceof Problem) return [error.message];
    throw error;
  }
}
