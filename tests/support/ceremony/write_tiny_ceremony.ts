/**
 * Writes the inputs of small ceremonies of both versions under the file names that docs/ceremony.md uses.
 *
 * Usage: deno run -A tests/support/ceremony/write_tiny_ceremony.ts FOLDER
 */
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER_2, tinyCircuits } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

const [folder] = Deno.args;
await Deno.mkdir(`${folder}/dist/circuits`, { recursive: true });
await Deno.writeFile(`${folder}/bls12381_14.ptau`, insecurePowersOfTau(TINY_POWER_2)); // large enough for both versions
for (const [circuit, r1cs] of Object.entries({ ...tinyCircuits(1), ...tinyCircuits(2) })) {
  await Deno.writeFile(`${folder}/dist/circuits/${circuit}.r1cs`, r1cs);
}
