/**
 * Leaves, nodes and the nullifier hashes of version 2 are hashed by one function. These tests show what follows where a
 * commitment is also a node or a nullifier hash (docs/circuits.md, "One hash for leaves, nodes and nullifier hashes").
 */
import assert from "node:assert/strict";
import { computeWitness, WitnessError } from "../../src/prover/witness.ts";
import { parseWitness } from "../support/circuits/r1cs.ts";
import {
  deterministicElement,
  EMPTY_LEAF,
  hashNullifier,
  hashPair,
  honestWithdrawal,
  honestWithdrawal2,
  pathBits,
  rootOf,
  TREE_LEVELS,
  type WithdrawSignals,
} from "../../testkit/circuits/circuit_inputs.ts";

const program = (name: string) =>
  new WebAssembly.Module(Deno.readFileSync(new URL(`../../artifacts/${name}.wasm`, import.meta.url)));
const programs = { withdraw: program("withdraw"), withdraw2: program("withdraw2") };
const circuits = [
  { name: "withdraw", honest: honestWithdrawal, nullifierHash: hashNullifier },
  { name: "withdraw2", honest: honestWithdrawal2, nullifierHash: hashPair },
] as const;
type Circuit = typeof circuits[number];

const LEAF = 0b1010_0110_1100_1001_0101n;
type Note = Pick<WithdrawSignals, "nullifier" | "secret">;
type Path = Pick<WithdrawSignals, "pathElements" | "pathIndices">;

/** Returns a withdrawal of a note along a path, under its own root unless another one is given. */
function withdrawal(circuit: Circuit, note: Note, path: Path, root?: bigint): WithdrawSignals {
  const leafIndex = path.pathIndices.reduce((sum, bit, level) => sum + (bit << BigInt(level)), 0n);
  return {
    ...circuit.honest(0n),
    ...note,
    ...path,
    root: root ?? rootOf(hashPair(note.nullifier, note.secret), path.pathElements, path.pathIndices),
    nullifierHash: circuit.nullifierHash(note.nullifier, leafIndex),
  };
}

function assertAccepted({ name }: Circuit, signals: WithdrawSignals): void {
  const witness = parseWitness(computeWitness(programs[name], { ...signals }));
  assert.deepEqual(witness.slice(1, 3), [signals.root, signals.nullifierHash]);
}

function assertRefused({ name }: Circuit, signals: WithdrawSignals, what: string): void {
  assert.throws(() => computeWitness(programs[name], { ...signals }), (error) => {
    return error instanceof WitnessError && error.code === "constraints_unsatisfied";
  }, what);
}

for (const circuit of circuits) {
  const { name } = circuit;
  const path = { pathElements: circuit.honest(LEAF).pathElements, pathIndices: pathBits(LEAF) };
  const [left, right] = [deterministicElement(31n), deterministicElement(32n)];

  Deno.test(`${name}: a commitment equal to a node is a note of the node's children, with one nullifier hash`, () => {
    for (const [nullifier, secret] of [[left, right], [EMPTY_LEAF, EMPTY_LEAF]]) {
      const signals = withdrawal(circuit, { nullifier, secret }, path);
      assertAccepted(circuit, signals);
      assertRefused(circuit, { ...signals, nullifierHash: signals.nullifierHash + 1n }, "another hash");
      const swapped = { nullifier: secret, secret: nullifier };
      if (secret !== nullifier) {
        assertRefused(circuit, withdrawal(circuit, swapped, path, signals.root), "the children swapped");
      }
    }
  });

  Deno.test(`${name}: a node at any level is no leaf, whatever fills the missing levels of its path`, () => {
    const { pathElements, pathIndices } = path;
    const leaf = hashPair(left, right);
    const root = rootOf(leaf, pathElements, pathIndices);
    for (let level = 1; level < TREE_LEVELS; level++) {
      // The node is the parent at this level, and its children are known.
      const below = rootOf(leaf, pathElements.slice(0, level - 1), pathIndices.slice(0, level - 1));
      const sibling = pathElements[level - 1];
      const [nullifier, secret] = pathIndices[level - 1] === 0n ? [below, sibling] : [sibling, below];
      const above = { elements: pathElements.slice(level), bits: pathIndices.slice(level) };
      assert.equal(rootOf(hashPair(nullifier, secret), above.elements, above.bits), root);
      for (const filler of [0n, EMPTY_LEAF, root, sibling]) {
        for (const bit of [0n, 1n]) {
          const [elements, bits] = [Array(level).fill(filler), Array(level).fill(bit)];
          for (
            const longer of [
              { pathElements: [...above.elements, ...elements], pathIndices: [...above.bits, ...bits] },
              { pathElements: [...elements, ...above.elements], pathIndices: [...bits, ...above.bits] },
            ]
          ) {
            const signals = withdrawal(circuit, { nullifier, secret }, longer, root);
            assertRefused(circuit, signals, `level ${level}`);
          }
        }
      }
    }
  });

  Deno.test(`${name}: a leaf is no node, so what was hashed into a commitment is no leaf`, () => {
    const unpaid = { nullifier: left, secret: right };
    const beside = deterministicElement(33n);
    const root = rootOf(hashPair(hashPair(left, right), beside), path.pathElements, path.pathIndices);
    for (const skipped of [0, 7, TREE_LEVELS - 1, TREE_LEVELS]) {
      // The path from the unpaid note has 21 levels. Each of these leaves one of them out.
      const without = <T>(all: readonly T[]) => all.filter((_, level) => level !== skipped);
      const shorter = {
        pathElements: without([beside, ...path.pathElements]),
        pathIndices: without([0n, ...path.pathIndices]),
      };
      assertRefused(circuit, withdrawal(circuit, unpaid, shorter, root), `without level ${skipped}`);
    }
  });
}

const [, version2] = circuits;
const pathTo = (leafIndex: bigint) => ({
  pathElements: version2.honest(leafIndex).pathElements,
  pathIndices: pathBits(leafIndex),
});

Deno.test("withdraw2: a commitment equal to another note's nullifier hash is a note of that note's holder, with another hash", () => {
  const victim = version2.honest(LEAF);
  const gift = { nullifier: victim.nullifier, secret: LEAF };
  assert.equal(hashPair(gift.nullifier, gift.secret), victim.nullifierHash);
  for (const leafIndex of [LEAF + 1n, 0n]) {
    const signals = withdrawal(version2, gift, pathTo(leafIndex));
    assertAccepted(version2, signals);
    assert.notEqual(signals.nullifierHash, victim.nullifierHash);
    // Without the victim's nullifier, which the nullifier hash does not reveal, nothing opens the commitment.
    const guessed = { nullifier: victim.nullifierHash, secret: LEAF };
    assertRefused(
      version2,
      withdrawal(version2, guessed, pathTo(leafIndex), signals.root),
      "the hash itself",
    );
  }
  assertAccepted(version2, withdrawal(version2, victim, pathTo(LEAF)));
});

Deno.test("withdraw2: a note whose secret is a leaf index below 2^20 is withdrawn as any other, and reveals itself at that leaf", () => {
  const note = { nullifier: deterministicElement(34n), secret: LEAF };
  const commitment = hashPair(note.nullifier, note.secret);
  const own = withdrawal(version2, note, pathTo(LEAF));
  assertAccepted(version2, own);
  assert.equal(
    own.nullifierHash,
    commitment,
    "at the leaf that its secret names, the hash is the commitment",
  );
  assertRefused(version2, { ...own, nullifierHash: own.nullifierHash + 1n }, "another hash");
  const elsewhere = withdrawal(version2, note, pathTo(LEAF - 1n));
  assertAccepted(version2, elsewhere);
  assert.notEqual(elsewhere.nullifierHash, commitment);
  // A note with the same nullifier at that leaf reveals the commitment of this one.
  const sibling = withdrawal(version2, { ...note, secret: deterministicElement(35n) }, pathTo(LEAF));
  assertAccepted(version2, sibling);
  assert.equal(sibling.nullifierHash, commitment);
});
