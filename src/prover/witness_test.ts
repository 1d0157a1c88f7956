import assert from "node:assert/strict";
import type { ProblemCode } from "../core/errors/problem.ts";
import { FIELD_MODULUS } from "../core/crypto/field.ts";
import { honestDeposit } from "../../testkit/circuits/circuit_inputs.ts";
import { type CircuitInputs, computeWitness, WitnessError } from "./witness.ts";

const program = Deno.readFileSync(new URL("../../artifacts/deposit.wasm", import.meta.url));
const honest: CircuitInputs = { ...honestDeposit(5n) };
const incomplete = Object.fromEntries(Object.entries(honest).filter(([name]) => name !== "leafIndex"));

const refused: [string, BufferSource, CircuitInputs, ProblemCode, RegExp][] = [
  [
    "an input that the circuit does not have",
    program,
    { ...honest, fee: 1n },
    "invalid_request",
    /no input fee$/,
  ],
  ["a missing input", program, incomplete, "invalid_request", /^1 elements .* missing$/],
  ["no inputs", program, {}, "invalid_request", /^24 elements .* missing$/],
  [
    "a path that is too short",
    program,
    { ...honest, pathElements: [1n] },
    "invalid_request",
    /20 elements, not 1$/,
  ],
  [
    "an array for one element",
    program,
    { ...honest, leafIndex: [1n, 2n] },
    "invalid_request",
    /1 elements, not 2$/,
  ],
  [
    "inputs that break the circuit",
    program,
    { ...honest, newRoot: 1n },
    "constraints_unsatisfied",
    /template Deposit, line \d+$/,
  ],
  [
    "an input plus r",
    program,
    { ...honest, leafIndex: honest.leafIndex as bigint + FIELD_MODULUS },
    "not_in_field",
    /leafIndex/,
  ],
  ["an input below 0", program, { ...honest, leafIndex: -1n }, "not_in_field", /leafIndex/],
  [
    "an element of an array that is r",
    program,
    { ...honest, pathElements: [FIELD_MODULUS, ...(honest.pathElements as bigint[]).slice(1)] },
    "not_in_field",
    /pathElements/,
  ],
  ["bytes that are not WASM", program.subarray(1), honest, "artifact_corrupted", /witness program/],
  ["a program cut short", program.subarray(0, 4096), honest, "artifact_corrupted", /witness program/],
  [
    "another WASM",
    new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]),
    honest,
    "artifact_corrupted",
    /witness program/,
  ],
];
for (const [what, wasm, inputs, code, message] of refused) {
  Deno.test(`computeWitness refuses ${what}`, () => {
    assert.throws(
      () => computeWitness(wasm, inputs),
      (error) => error instanceof WitnessError && error.code === code && message.test(error.message),
    );
  });
}

Deno.test("a refusal never shows an input's value", () => {
  const secrets = { ...honest, commitment: 0xc0ffee_c0ffee_c0ffeen };
  assert.throws(() => computeWitness(program, secrets), (error) => {
    const shown = Deno.inspect(error, { depth: 9 });
    return !/c0ffee/i.test(shown) && !shown.includes(String(secrets.commitment));
  });
});

Deno.test("a program that refused inputs accepts the next ones", () => {
  const module = new WebAssembly.Module(program);
  assert.throws(() => computeWitness(module, { ...honest, newRoot: 1n }));
  assert.equal(computeWitness(module, honest).length, 9562 * 32);
});

/** Returns a WASM program that calls the exception handler with a code in `init`. */
function failingProgram(code: number): Uint8Array<ArrayBuffer> {
  const text = (name: string) => [name.length, ...new TextEncoder().encode(name)];
  const section = (id: number, bytes: readonly number[]) => [id, bytes.length, ...bytes];
  const prime = Array.from({ length: 32 }, (_, i) => Number(FIELD_MODULUS >> BigInt(8 * i) & 0xffn));
  const [i32Const, call, end] = [0x41, 0x10, 0x0b];
  const bodies = [[i32Const, 0], [i32Const, 8], [], [i32Const, code, call, 0]];
  const names = ["getSharedRWMemoryStart", "getFieldNumLen32", "getRawPrime", "init"];
  const data = [0, i32Const, 0, end, prime.length, ...prime];
  return new Uint8Array([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...section(1, [3, 0x60, 1, 0x7f, 0, 0x60, 0, 1, 0x7f, 0x60, 0, 0]),
    ...section(2, [1, ...text("runtime"), ...text("exceptionHandler"), 0, 0]),
    ...section(3, [4, 1, 1, 2, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [5, ...text("memory"), 2, 0, ...names.flatMap((name, i) => [...text(name), 0, i + 1])]),
    ...section(10, [4, ...bodies.flatMap((body) => [body.length + 2, 0, ...body, end])]),
    ...section(11, [1, ...data]),
  ]);
}

Deno.test("computeWitness names the code of an exception that is not a failed assertion", () => {
  assert.throws(() => computeWitness(failingProgram(5), honest), {
    name: "WitnessError",
    code: "invalid_request",
    message: /code 5$/,
  });
  assert.throws(() => computeWitness(failingProgram(4), honest), { code: "constraints_unsatisfied" });
});
