/**
 * Writes what a small ceremony begins with, under the names that docs/ceremony.md gives to the files of a real one.
 *
 * Usage: deno run -A tests/support/write_tiny_ceremony.ts FOLDER
 */
import { circuits } from "../../src/core/groth16.ts";
import { knownPowers } from "./known_powers.ts";
import { POWER, tinyR1cs } from "./tiny_ceremony.ts";

const [folder] = Deno.args;
await Deno.mkdir(`${folder}/dist/circuits`, { recursive: true });
await Deno.writeFile(`${folder}/bls12381_14.ptau`, knownPowers(POWER));
for (const circuit of circuits) {
  await Deno.writeFile(`${folder}/dist/circuits/${circuit}.r1cs`, tinyR1cs(circuit));
}
