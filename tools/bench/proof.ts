/**
 * Proofs and their verification against snarkjs. Ours is the whole of what a caller waits for: witness, proof, and its
 * verification; snarkjs is given the witness program too, and verifies nothing.
 */
import assert from "node:assert/strict";
import { type CircuitName, circuits } from "../../src/core/groth16.ts";
import { createProver, type Prover } from "../../src/prover/prover.ts";
import { honestDeposit, honestWithdrawal } from "../../tests/support/circuit_inputs.ts";
import { depositInput, withdrawInput } from "../../tests/support/proof_inputs.ts";
import { closeSnarkjs, openSnarkjs } from "../snarkjs.ts";
import type { Section } from "./section.ts";

const LEAF = 7n;
const signals = { withdraw: { ...honestWithdrawal(LEAF) }, deposit: { ...honestDeposit(LEAF) } };

const prove = {
  withdraw: (prover: Prover) => prover.proveWithdraw(withdrawInput(LEAF)),
  deposit: (prover: Prover) => prover.proveDeposit(depositInput(LEAF)),
};

const artifact = (name: string) => Deno.readFile(new URL(`../../artifacts/${name}`, import.meta.url));

const verificationKey = async (circuit: CircuitName) =>
  JSON.parse(new TextDecoder().decode(await artifact(`${circuit}.vkey.json`)));

function proofSection(circuit: CircuitName, threads: "one thread" | "all cores"): Section {
  const single = threads === "one thread";
  let prover: Prover;
  return {
    title: `Proof of a ${circuit}, ${threads}`,
    operation: "proof",
    rounds: 3,
    async open() {
      const snarkjs = await openSnarkjs();
      prover = await createProver(single ? { workers: 1 } : {});
      const [program, zkey] = await Promise.all([artifact(`${circuit}.wasm`), artifact(`${circuit}.zkey`)]);
      const theirs = () =>
        snarkjs.groth16.fullProve(
          signals[circuit],
          { type: "mem", data: program },
          { type: "mem", data: zkey },
          undefined,
          undefined,
          { singleThread: single },
        );
      const ours = () => prove[circuit](prover);
      assert.deepEqual((await ours()).publicSignals, (await theirs()).publicSignals);
      return [
        { name: "ours", operations: 1, run: ours },
        { name: "snarkjs", operations: 1, run: theirs },
      ];
    },
    async close() {
      prover.close();
      await closeSnarkjs();
    },
  };
}

function verificationSection(circuit: CircuitName): Section {
  let prover: Prover;
  return {
    title: `Verification of a ${circuit} proof`,
    operation: "proof",
    rounds: 9,
    async open() {
      const snarkjs = await openSnarkjs();
      prover = await createProver();
      const vkey = await verificationKey(circuit);
      const { proof, publicSignals } = await prove[circuit](prover);
      const ours = () => prover.verify(circuit, proof, publicSignals);
      const theirs = () => snarkjs.groth16.verify(vkey, publicSignals, proof);
      assert.deepEqual([await ours(), await theirs()], [true, true]);
      return [
        { name: "ours", operations: 1, run: ours },
        { name: "snarkjs", operations: 1, run: theirs },
      ];
    },
    async close() {
      prover.close();
      await closeSnarkjs();
    },
  };
}

export const proofSections: readonly Section[] = [
  ...circuits.flatMap((circuit) => [proofSection(circuit, "one thread"), proofSection(circuit, "all cores")]),
  verificationSection("withdraw"),
];
