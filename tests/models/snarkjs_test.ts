/**
 * Compares with snarkjs, the reference: on the committed artifacts it accepts our proofs, and we accept its
 * proofs.
 */
import assert from "node:assert/strict";
import { allCircuitNames } from "../../src/core/crypto/groth16.ts";
import { createProver } from "../../src/prover/prover.ts";
import { closeSnarkjs, openSnarkjs, referenceProof } from "../../testkit/toolchain/snarkjs.ts";
import {
  honestDeposit,
  honestSettlement,
  honestWithdrawal,
  honestWithdrawal2,
} from "../../testkit/circuits/circuit_inputs.ts";
import {
  depositProverInput,
  withdraw2ProverInput,
  withdrawProverInput,
} from "../../testkit/circuits/prover_inputs.ts";

const artifact = (name: string) => new URL(`../../artifacts/${name}`, import.meta.url);
const settlement = honestSettlement({ chunk: 65535, first: 6, count: 7 }, 3n);
const inputs = {
  withdraw: { ...honestWithdrawal(7n, 3n) },
  deposit: { ...honestDeposit(7n, 3n) },
  withdraw2: { ...honestWithdrawal2(7n, 3n) },
  settle16: { ...settlement },
};

Deno.test("snarkjs and we accept each other's proofs of all circuits, and refuse them for other signals", async () => {
  const snarkjs = await openSnarkjs();
  const prover = await createProver({ maxWorkers: 2 });
  try {
    const ours = {
      withdraw: await prover.proveWithdraw(withdrawProverInput(7n, 3n)),
      deposit: await prover.proveDeposit(depositProverInput(7n, 3n)),
      withdraw2: await prover.proveWithdraw2(withdraw2ProverInput(7n, 3n)),
      settle16: await prover.proveSettlement(settlement),
    };
    for (const circuit of allCircuitNames) {
      const [wasm, zkey] = await Promise.all(
        [`${circuit}.wasm`, `${circuit}.zkey`].map((name) => Deno.readFile(artifact(name))),
      );
      const vkey = JSON.parse(await Deno.readTextFile(artifact(`${circuit}.vkey.json`)));
      const theirs = await referenceProof(snarkjs, { wasm, zkey, inputs: inputs[circuit] });
      const { proof, publicSignals } = ours[circuit];
      assert.deepEqual(publicSignals, theirs.publicSignals);
      assert.equal(await prover.verify(circuit, theirs.proof, publicSignals), true);
      assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);

      const wrong = publicSignals.with(2, String(BigInt(publicSignals[2]) + 1n));
      assert.equal(await prover.verify(circuit, theirs.proof, wrong), false);
      assert.equal(await snarkjs.groth16.verify(vkey, wrong, proof), false);
    }
  } finally {
    prover.close();
    await closeSnarkjs();
  }
});
