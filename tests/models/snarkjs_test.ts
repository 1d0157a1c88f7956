/** snarkjs is the reference: it accepts what we prove, and we accept what it proves, on the committed artifacts. */
import assert from "node:assert/strict";
import { circuitNames, type Groth16Proof } from "../../src/core/crypto/groth16.ts";
import { createProver } from "../../src/prover/prover.ts";
import { closeSnarkjs, openSnarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { honestDeposit, honestWithdrawal } from "../../testkit/circuits/circuit_inputs.ts";
import { depositProverInput, withdrawProverInput } from "../../testkit/circuits/prover_inputs.ts";

const artifact = (name: string) => new URL(`../../artifacts/${name}`, import.meta.url);
const inputs = { withdraw: { ...honestWithdrawal(7n, 3n) }, deposit: { ...honestDeposit(7n, 3n) } };

Deno.test("snarkjs and we accept each other's proofs of both circuits, and refuse them for other signals", async () => {
  const snarkjs = await openSnarkjs();
  const prover = await createProver({ maxWorkers: 2 });
  try {
    const ours = {
      withdraw: await prover.proveWithdraw(withdrawProverInput(7n, 3n)),
      deposit: await prover.proveDeposit(depositProverInput(7n, 3n)),
    };
    for (const circuit of circuitNames) {
      const [program, zkey] = await Promise.all(
        [`${circuit}.wasm`, `${circuit}.zkey`].map((name) => Deno.readFile(artifact(name))),
      );
      const vkey = JSON.parse(await Deno.readTextFile(artifact(`${circuit}.vkey.json`)));
      const theirs = await snarkjs.groth16.fullProve(
        inputs[circuit],
        { type: "mem", data: program },
        { type: "mem", data: zkey },
      );
      const { proof, publicSignals } = ours[circuit];
      assert.deepEqual(publicSignals, theirs.publicSignals);
      const theirProof = theirs.proof as unknown as Groth16Proof;
      assert.equal(await prover.verify(circuit, theirProof, publicSignals), true);
      assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);

      const wrong = publicSignals.with(2, String(BigInt(publicSignals[2]) + 1n));
      assert.equal(await prover.verify(circuit, theirProof, wrong), false);
      assert.equal(await snarkjs.groth16.verify(vkey, wrong, proof), false);
    }
  } finally {
    prover.close();
    await closeSnarkjs();
  }
});
