/**
 * Shows that the committed keys are what they say: every artifact has its pinned SHA-256, and each verification key is
 * the one that its proving key holds. Ends with 1 and names what differs.
 *
 * Usage: deno task keys:check
 */
import { circuits } from "../src/core/groth16.ts";
import { ARTIFACTS, formatJson, pinnedFiles, readPins, sha256 } from "./artifacts.ts";
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
  const exported = formatJson(await snarkjs.zKey.exportVerificationKey({ type: "mem", data }));
  const committed = await Deno.readTextFile(new URL(`${name}.vkey.json`, ARTIFACTS));
  if (exported !== committed) wrong.push(`${name}.vkey.json is not the verification key inside ${name}.zkey`);
}
await closeSnarkjs();

for (const problem of wrong) console.error(problem);
if (wrong.length > 0) Deno.exit(1);
console.log(`keys:check: ${pinnedFiles.length} artifacts match their pins and each other (${pins.label})`);
