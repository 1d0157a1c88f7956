/**
 * Writes the inputs of a small ceremony under the file names that docs/ceremony.md uses.
 *
 * Usage: deno run -A tests/support/ceremony/write_tiny_ceremony.ts FOLDER
 */
import { circuitNames } from "../../../src/core/crypto/groth16.ts";
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

const [folder] = Deno.args;
await Deno.mkdir(`${folder}/dist/circuits`, { recursive: true });
await Deno.writeFile(`${folder}/bls12381_14.ptau`, insecurePowersOfTau(TINY_POWER));
for (const circuit of circuitNames) {
  await Deno.writeFile(`${folder}/dist/circuits/${circuit}.r1cs`, tinyR1cs(circuit));
}
