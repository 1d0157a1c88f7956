import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { type CircuitName, circuitNames, publicSignalNames } from "../../src/core/crypto/groth16.ts";
import { type CircuitInputs, computeWitness } from "../../src/prover/witness.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import { pinnedFiles, readPins, sha256 } from "../../testkit/toolchain/artifact_pins.ts";
import { closeSnarkjs, openSnarkjs, type Snarkjs } from "../../testkit/toolchain/snarkjs.ts";
import { honestDeposit, honestWithdrawal } from "../../testkit/circuits/circuit_inputs.ts";
import { parseR1cs, readElement, readSections } from "../support/circuits/r1cs.ts";

const artifact = (file: string) => Deno.readFile(new URL(`../../artifacts/${file}`, import.meta.url));

Deno.test("the committed artifacts have their pinned SHA-256, and the label says development", async () => {
  const { label, files } = await readPins();
  assert.equal(label, "development keys, insecure");
  assert.deepEqual(Object.keys(files), pinnedFiles);
  for (const file of pinnedFiles) assert.equal(sha256(await artifact(file)), files[file], file);
});

for (const name of circuitNames) {
  Deno.test(`${name}.zkey was made for exactly the constraints of ${name}.circom`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "tonado-circuits-" });
    const compiled = await compileCircuit(name, { out: pathToFileURL(`${folder}/`) });
    await Deno.remove(folder, { recursive: true });
    const { constraints, publicInputs } = parseR1cs(compiled.r1cs);

    const expected = new Map<string, bigint>();
    const add = (matrix: number, row: number, wire: number, value: bigint) =>
      expected.set(`${matrix} ${row} ${wire}`, value);
    constraints.forEach(({ a, b }, row) => {
      for (const [wire, value] of a) add(0, row, wire, value);
      for (const [wire, value] of b) add(1, row, wire, value);
    });
    // The setup adds a row for each public signal, so that none can be exchanged for another.
    for (let wire = 0; wire <= publicInputs; wire++) add(0, constraints.length + wire, wire, 1n);

    const section = readSections(await artifact(`${name}.zkey`), "zkey").get(4)!;
    const found = new Map<string, bigint>();
    const montgomery = 2n ** 512n % FIELD_MODULUS; // snarkjs keeps coefficients as value * R^2, R = 2^256
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

const honest: Record<CircuitName, CircuitInputs> = {
  withdraw: { ...honestWithdrawal(6n) },
  deposit: { ...honestDeposit(6n) },
};

for (const name of circuitNames) {
  Deno.test(`${name}: our witness is snarkjs's, byte for byte; its proof holds for these signals and no others`, async (t) => {
    const snarkjs = await openSnarkjs();
    try {
      await proves(name, snarkjs, t);
    } finally {
      await closeSnarkjs();
    }
  });
}

async function proves(name: CircuitName, snarkjs: Snarkjs, t: Deno.TestContext) {
  const [wasm, zkey] = [await artifact(`${name}.wasm`), await artifact(`${name}.zkey`)];
  const vkey = JSON.parse(new TextDecoder().decode(await artifact(`${name}.vkey.json`)));

  const file = { type: "mem" as const, data: new Uint8Array() };
  await snarkjs.wtns.calculate(honest[name], { type: "mem", data: wasm }, file);
  const values = readSections(file.data, "wtns").get(2)!;
  assert.deepEqual(
    computeWitness(wasm, honest[name]),
    new Uint8Array(file.data.slice(values.byteOffset, values.byteOffset + values.byteLength)),
  );

  const { proof, publicSignals } = await snarkjs.groth16.prove({ type: "mem", data: zkey }, file);
  const signals = publicSignalNames[name];
  assert.deepEqual(publicSignals, signals.map((signal) => String(honest[name][signal])));
  assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);

  for (const [i, signal] of signals.entries()) {
    await t.step(`${name} refuses another ${signal} after proving`, async () => {
      for (const other of [BigInt(publicSignals[i]) + 1n, 0n, BigInt(publicSignals[i]) + FIELD_MODULUS]) {
        const altered = publicSignals.with(i, String(other));
        assert.equal(await snarkjs.groth16.verify(vkey, altered, proof), false);
      }
    });
  }
}
