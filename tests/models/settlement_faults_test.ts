/**
 * The arguments of docs/circuits.md about `settle16`, checked on the constraint system that its key is made
 * for. The words and bits are hints, so most attacks choose them, which the witness program cannot do.
 */
import assert from "node:assert/strict";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import {
  type BatchPlace,
  CHUNK_PATH_LEVELS,
  EMPTY_LEAF,
  honestSettlement,
  pathBits,
} from "../../testkit/circuits/circuit_inputs.ts";
import { propagate } from "../support/circuits/constraint_propagation.ts";
import {
  bitOf,
  forgeWithout,
  hasFalseSignal,
  openCircuit,
  testStruckOut,
} from "../support/circuits/opened_circuit.ts";
import { constraintWires, isSatisfied, unsatisfiedConstraints } from "../support/circuits/r1cs.ts";
import {
  ATTACKED,
  honestWords,
  rootForgeries,
  settlementAttacks,
  spellSpan,
  word,
  wordAttacks,
} from "../support/circuits/settlement_attacks.ts";

const FOLLOW = ["oldRoot", "newRoot", ...Array.from({ length: 16 }, (_, slot) => `fresh[${slot}]`)];
const place = (span: bigint): BatchPlace => ({
  chunk: Number(span >> 13n),
  first: Number(span >> 9n) % 16,
  count: Number(span % 512n),
});
const honest = honestSettlement(ATTACKED, 5n);
const circuit = await openCircuit(
  "settle16",
  { ...honest },
  FOLLOW,
  ({ span }) => ({ ...honestWords(place(span as bigint)) }),
);
const { r1cs, wireOf, given, valueOf } = circuit;
const { witness, checks, broken } = propagate(r1cs, given({ ...honest }));
const CHECKS = 16 + 2 * 15 + 16 + 14 + 15;

Deno.test("every wire of the final constraints, both roots and fresh included, follows from place, leaves and path", () => {
  assert.deepEqual(witness.flatMap((value, wire) => value === undefined ? [wire] : []), []);
  assert.deepEqual(broken, []);
  assert.deepEqual([valueOf(witness, "oldRoot"), valueOf(witness, "newRoot")], [
    honest.oldRoot,
    honest.newRoot,
  ]);
  assert.deepEqual(honest.fresh.map((_, slot) => valueOf(witness, `fresh[${slot}]`)), honest.fresh);
});

Deno.test(`all constraints but the ${CHECKS} of the words and bits define one wire each, so none is idle`, () => {
  assert.equal(checks.length, CHECKS);
  const free = r1cs.wires - 1 - given({ ...honest }).size;
  assert.equal(r1cs.constraints.length, free + CHECKS);
  const hints = new Set([0, wireOf.get("main.span")!]);
  for (const [signal, wire] of wireOf) {
    if (/^main\.(chunkBits|isOld|isFilled)\[/.test(signal)) hints.add(wire);
  }
  for (const row of checks) {
    assert.ok([...constraintWires(r1cs.constraints[row])].every((wire) => hints.has(wire)));
  }
});

Deno.test("each check of the words or bits alone refuses false ones", () => {
  const refused = wordAttacks().map(({ statement, words }) => {
    const values = Array.from({ length: r1cs.wires }, () => 0n).with(0, 1n);
    for (const [wire, value] of given({ span: spellSpan(words) }, { ...words })) values[wire] = value;
    const broken = checks.filter((row) => !isSatisfied(r1cs.constraints[row], values));
    assert.equal(broken.length, 1, statement);
    return broken[0];
  });
  assert.deepEqual([...new Set(refused)].sort(), [...checks].sort());
});

Deno.test("no other words than the two that span spells are accepted", () => {
  const rowsOf = (signal: string) => {
    const own = new Set([
      0,
      ...Array.from({ length: 16 }, (_, i) => wireOf.get(`main.${signal}[${i}]`) ?? 0),
    ]);
    return checks.map((row) => r1cs.constraints[row])
      .filter((constraint) => [...constraintWires(constraint)].every((wire) => own.has(wire)));
  };
  const accepted = (signal: string, length: number) => {
    const rows = rowsOf(signal);
    const values = Array.from({ length: r1cs.wires }, () => 0n).with(0, 1n);
    const found: number[] = [];
    for (let bits = 0; bits < 2 ** length; bits++) {
      for (let i = 0; i < length; i++) values[wireOf.get(`main.${signal}[${i}]`)!] = BigInt((bits >> i) & 1);
      if (rows.every((row) => isSatisfied(row, values))) found.push(bits);
    }
    return found;
  };
  // Neither has a wire: isOld[15] is the constant 0, and isFilled[15] is the rest of span.
  const unary = Array.from({ length: 16 }, (_, count) => 2 ** count - 1);
  assert.equal(wireOf.has("main.isOld[15]") || wireOf.has("main.isFilled[15]"), false);
  assert.deepEqual(accepted("isOld", 15), unary);
  assert.deepEqual(accepted("isFilled", 15), unary);
});

Deno.test("the checks of single bits spell span, each with its own weight, so it has one spelling", () => {
  const forms = checks.map((row) => r1cs.constraints[row]).flatMap((constraint) =>
    bitOf(r1cs, constraint) ?? []
  );
  assert.equal(forms.length, 16 + 15 + 16);
  const single = forms.filter((form) => form.size === 1).map((form) => [...form][0]);
  assert.ok(single.every(([, coefficient]) => coefficient === 1n));
  const wires = (signal: string, count: number) =>
    Array.from({ length: count }, (_, i) => wireOf.get(`main.${signal}[${i}]`)!);
  const [chunkBits, isOld, isFilled] = [wires("chunkBits", 16), wires("isOld", 15), wires("isFilled", 15)];
  assert.deepEqual(new Set(single.map(([wire]) => wire)), new Set([...chunkBits, ...isOld, ...isFilled]));
  // isFilled[15] = span - 2^13 chunk - 511 (number of old slots) - (number of the other filled slots).
  const minus = (x: bigint) => FIELD_MODULUS - x;
  const [last] = forms.filter((form) => form.size > 1);
  assert.deepEqual(
    last,
    new Map([
      [wireOf.get("main.span")!, 1n],
      ...chunkBits.map((wire, i) => [wire, minus(1n << BigInt(13 + i))] as const),
      ...isOld.map((wire) => [wire, minus(511n)] as const),
      ...isFilled.map((wire) => [wire, minus(1n)] as const),
    ]),
  );
});

for (const { name, place, honest: own, leaves, isOld, isFilled } of rootForgeries) {
  Deno.test(`settle16: one constraint alone refuses what the pool cannot notice: ${name}`, () => {
    const inputs = honestSettlement(place, 5n, (slot) => own[slot]);
    const words = { chunkBits: pathBits(BigInt(place.chunk), CHUNK_PATH_LEVELS), isOld, isFilled };
    assert.equal(spellSpan(words), inputs.span);
    const padded = inputs.leaves.map((_, slot) => leaves[slot] ?? 0n);
    const { witness, broken } = propagate(r1cs, given({ ...inputs, leaves: padded }, { ...words }));
    assert.equal(broken.length, 1);
    assert.equal(valueOf(witness, "oldRoot"), inputs.oldRoot);
    assert.deepEqual(inputs.fresh.map((_, slot) => valueOf(witness, `fresh[${slot}]`)), inputs.fresh);
    assert.notEqual(valueOf(witness, "newRoot"), inputs.newRoot);
  });
}

Deno.test("with any one constraint of a sample left out, a false witness satisfies all others", () => {
  const full = witness as readonly bigint[];
  const settler = r1cs.constraints.findIndex((row) =>
    constraintWires(row).has(wireOf.get("main.settlerSquare")!)
  );
  const words = new Set(
    ["isOld", "isFilled"].flatMap((signal) => word(15).map((_, i) => wireOf.get(`main.${signal}[${i}]`))),
  );
  const slots = r1cs.constraints.flatMap((row, i) =>
    !checks.includes(i) && [...constraintWires(row)].some((wire) => words.has(wire)) ? [i] : []
  );
  assert.equal(slots.length, 15 + 16 + 16); // before the batch, after it, and of fresh
  const step = Math.floor(r1cs.constraints.length / 7);
  const spread = Array.from({ length: 7 }, (_, i) => i * step).filter((row) => !checks.includes(row));
  for (
    const row of new Set([
      ...spread,
      ...slots.filter((slot, i) => slot === slots.at(-1) || i % 8 === 0),
      settler,
    ])
  ) {
    const forged = forgeWithout(circuit, full, row);
    assert.ok(forged, `constraint ${row}`);
    assert.deepEqual(unsatisfiedConstraints(r1cs, forged), [r1cs.constraints[row]]);
    assert.equal(hasFalseSignal(circuit, forged), row !== settler);
  }
});

Deno.test("commitments that equal the empty leaf change no root", () => {
  const inputs = honestSettlement({ chunk: 3, first: 4, count: 6 }, 5n, (slot) => slot < 4 ? 7n : EMPTY_LEAF);
  const { witness, broken } = propagate(r1cs, given({ ...inputs }));
  assert.deepEqual(broken, []);
  assert.equal(valueOf(witness, "newRoot"), valueOf(witness, "oldRoot"));
});

testStruckOut("settle16", honestSettlement(ATTACKED, 5n), settlementAttacks);
