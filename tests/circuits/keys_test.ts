import assert from "node:assert/strict";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { allCircuitNames, type AnyCircuitName, publicSignalNames } from "../../src/core/crypto/groth16.ts";
import { type CircuitInputs, computeWitness } from "../../src/prover/witness.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import { pinnedFiles, pinnedHashes, readPins, sha256 } from "../../testkit/toolchain/artifact_pins.ts";
import { closeSnarkjs, openSnarkjs, referenceProof, type Snarkjs } from "../../testkit/toolchain/snarkjs.ts";
import {
  honestDeposit,
  honestSettlement,
  honestWithdrawal,
  honestWithdrawal2,
} from "../../testkit/circuits/circuit_inputs.ts";
import { inputValue } from "../support/circuits/opened_circuit.ts";
import { parseR1cs, readElement, readSections } from "../support/circuits/r1cs.ts";

const artifact = (file: string) => Deno.readFile(new URL(`../../artifacts/${file}`, import.meta.url));

Deno.test("the committed artifacts have their pinned SHA-256, and the labels say development", async () => {
  const pins = await readPins();
  for (const { label } of [pins, pins.version2]) assert.equal(label, "development keys, insecure");
  const hashes = pinnedHashes(pins);
  assert.deepEqual(Object.keys(hashes), pinnedFiles);
  for (const file of pinnedFiles) assert.equal(sha256(await artifact(file)), hashes[file], file);
});

for (const name of allCircuitNames) {
  Deno.test(`${name}.zkey was made for exactly the constraints of ${name}.circom`, async () => {
    const { r1cs } = await compileCircuit(name);
    const { constraints, publicInputs } = parseR1cs(r1cs);

    const expected = new Map<string, bigint>();
    const add = (matrix: number, row: number, wire: number, value: bigint) =>
      expected.set(`${matrix} ${row} ${wire}`, value);
    constraints.forEach(({ a, b }, row) => {
      for (const [wire, value] of a) add(0, row, wire, value);
      for (const [wire, value] of b) add(1, row, wire, value);
    });
    // The setup adds a row for each public signal, so that no signal can be exchanged for another.
    for (let wire = 0; wire <= publicInputs; wire++) add(0, constraints.length + wire, wire, 1n);

    const section = readSections(await artifact(`${name}.zkey`), "zkey").get(4)!;
    const found = new Map<string, bigint>();
    const montgomery = 2n ** 512n % FIELD_MODULUS; // snarkjs stores coefficients as value * R^2, R = 2^256
    for (let at = 4; at < section.byteLength; at += 44) {
      const [matrix, row, wire] = [0, 4, 8].map((offset) => section.getUint32(at + offset, true));
      found.set(`${matrix} ${row} ${wire}`, readElement(section, at + 12));
    }
    assert.equal(found.size, section.getUint32(0, true));
    assert.equal(found.size, expected.size);
    for (const [place, value] of expected) {
      assert.equal(found.get(place), value * montgomery % FIELD_MODULUS, place);
    }
  });
}

const honest: Record<AnyCircuitName, CircuitInputs> = {
  withdraw: { ...honestWithdrawal(6n) },
  withdraw2: { ...honestWithdrawal2(6n) },
  settle16: { ...honestSettlement({ chunk: 77, first: 3, count: 9 }) },
  deposit: { ...honestDeposit(6n) },
};

for (const name of allCircuitNames) {
  Deno.test(`${name}: our witness is snarkjs's, byte for byte; its proof holds for these signals and no others`, async (t) => {
    const snarkjs = await openSnarkjs();
    try {
      await proves(name, snarkjs, t);
    } finally {
      await closeSnarkjs();
    }
  });
}

async function proves(name: AnyCircuitName, snarkjs: Snarkjs, t: Deno.TestContext) {
  const [wasm, zkey] = [await artifact(`${name}.wasm`), await artifact(`${name}.zkey`)];
  const vkey = JSON.parse(new TextDecoder().decode(await artifact(`${name}.vkey.json`)));

  const inputs = honest[name];
  const { witness, proof, publicSignals } = await referenceProof(snarkjs, { wasm, zkey, inputs });
  const values = readSections(witness, "wtns").get(2)!;
  assert.deepEqual(
    computeWitness(wasm, inputs),
    new Uint8Array(witness.slice(values.byteOffset, values.byteOffset + values.byteLength)),
  );

  const signals = publicSignalNames[name];
  assert.deepEqual(publicSignals, signals.map((signal) => String(inputValue(inputs, signal))));
  assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);

  for (const [i, signal] of signals.entries()) {
    await t.step(`${name} refuses another ${signal} after proving`, async () => {
      const value = BigInt(publicSignals[i]);
      for (const other of [value + 1n, value === 0n ? 2n : 0n, value + FIELD_MODULUS]) {
        const altered = publicSignals.with(i, String(other));
        assert.equal(await snarkjs.groth16.verify(vkey, altered, proof), false);
      }
    });
  }
}
