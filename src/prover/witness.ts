/**
 * Runs a witness program (the WASM that circom compiles a circuit to) and returns every wire's value. It owns the
 * calling convention of that WASM and nothing else; it never prints or puts into an error a value that it was given.
 */
import { FIELD_BYTES, FIELD_MODULUS, isFieldElement } from "../core/field.ts";
import { Problem } from "../core/errors.ts";

/** What each input signal of a circuit is set to, by the signal's name. */
export type WitnessInputs = Readonly<Record<string, bigint | readonly bigint[]>>;

/** What a witness program exports, as circom 2.2 builds it. Field elements cross in its one shared buffer. */
interface WitnessProgram {
  readonly memory: WebAssembly.Memory;
  getSharedRWMemoryStart(): number;
  getFieldNumLen32(): number;
  getRawPrime(): void;
  init(checkEveryAssertion: 0 | 1): void;
  getInputSize(): number;
  getInputSignalSize(hashHigh: number, hashLow: number): number;
  setInputSignal(hashHigh: number, hashLow: number, position: number): void;
  getWitnessSize(): number;
  getWitness(wire: number): void;
  getMessageChar(): number;
}

/** The code with which a witness program reports that a constraint does not hold. */
const ASSERTION_FAILED = 4;

/**
 * Computes the witness of a circuit.
 *
 * @param program the witness program, its bytes or compiled; each call runs a fresh instance of it
 * @param inputs a canonical field element, or an array of them, for each input signal and for no other name
 * @returns wire after wire, 32 bytes each, little endian, not in Montgomery form: what section 2 of a .wtns file holds.
 *   Wire 0 is the constant 1, the public signals follow in their order
 * @throws {Problem} `unsatisfied` naming the template and line of the constraint that does not hold; `not_in_field` or
 *   `invalid_request` naming the input that is not canonical, missing, unknown or of another length;
 *   `artifact_corrupted` when the program is not one for this field
 */
export function computeWitness(
  program: BufferSource | WebAssembly.Module,
  inputs: WitnessInputs,
): Uint8Array<ArrayBuffer> {
  const exports = instantiate(program);
  try {
    return run(exports, inputs);
  } finally {
    new Uint8Array(exports.memory.buffer).fill(0); // it holds every wire, and is collected when the engine likes
  }
}

function run(exports: WitnessProgram, inputs: WitnessInputs): Uint8Array<ArrayBuffer> {
  const shared = new Uint8Array(exports.memory.buffer, exports.getSharedRWMemoryStart(), FIELD_BYTES);
  exports.getRawPrime();
  if (readLittleEndian(shared) !== FIELD_MODULUS) throw foreignProgram();

  exports.init(1);
  let remaining = exports.getInputSize();
  for (const [name, value] of Object.entries(inputs)) {
    const values = typeof value === "bigint" ? [value] : value;
    const [high, low] = signalHash(name);
    const size = exports.getInputSignalSize(high, low);
    if (size < 1) throw new Problem("invalid_request", `the circuit has no input ${name}`);
    if (size !== values.length) {
      throw new Problem("invalid_request", `input ${name} takes ${size} elements, not ${values.length}`);
    }
    for (const [position, element] of values.entries()) {
      // The program would reduce it, and prove a statement about another number than the caller's.
      if (!isFieldElement(element)) throw new Problem("not_in_field", `input ${name} is not in [0, r)`);
      writeLittleEndian(shared, element);
      remaining--;
      exports.setInputSignal(high, low, position); // the last one runs the circuit
    }
  }
  if (remaining !== 0) {
    throw new Problem("invalid_request", `${remaining} elements of the circuit's inputs are missing`);
  }

  const wires = exports.getWitnessSize();
  const witness = new Uint8Array(wires * FIELD_BYTES);
  for (let wire = 0; wire < wires; wire++) {
    exports.getWitness(wire);
    witness.set(shared, wire * FIELD_BYTES);
  }
  return witness;
}

function instantiate(program: BufferSource | WebAssembly.Module): WitnessProgram {
  let failedAt = "";
  const runtime = {
    exceptionHandler(code: number) {
      if (code !== ASSERTION_FAILED) {
        throw new Problem("invalid_request", `the witness program refused the inputs with code ${code}`);
      }
      throw new Problem("unsatisfied", `the inputs do not satisfy the circuit${failedAt && `: ${failedAt}`}`);
    },
    // "Error in template Name_3 line: 12", from the failed constraint outwards. It carries no values.
    printErrorMessage() {
      let message = "";
      for (let char = exports.getMessageChar(); char !== 0; char = exports.getMessageChar()) {
        message += String.fromCharCode(char);
      }
      const place = /template (?<template>\w+?)_\d+ line: (?<line>\d+)/.exec(message)?.groups;
      if (place !== undefined) failedAt ||= `template ${place.template}, line ${place.line}`;
    },
    // The circuits log nothing, and what they could log are secrets.
    writeBufferMessage() {},
    showSharedRWMemory() {},
  };
  let exports: WitnessProgram;
  try {
    const compiled = program instanceof WebAssembly.Module ? program : new WebAssembly.Module(program);
    exports = new WebAssembly.Instance(compiled, { runtime }).exports as unknown as WitnessProgram;
    if (exports.getFieldNumLen32() * 4 !== FIELD_BYTES) throw foreignProgram();
  } catch (cause) {
    throw cause instanceof Problem ? cause : foreignProgram(cause);
  }
  return exports;
}

function foreignProgram(cause?: unknown): Problem {
  return new Problem("artifact_corrupted", "the witness program is not one over the field of BLS12-381", {
    cause,
  });
}

/** FNV-1a in 64 bits of the signal's name, as two 32-bit halves: how a witness program finds its inputs. */
function signalHash(name: string): [high: number, low: number] {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return [Number(hash >> 32n), Number(hash & 0xffffffffn)];
}

function writeLittleEndian(bytes: Uint8Array, x: bigint): void {
  for (let i = 0, rest = x; i < bytes.length; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
}

function readLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((x, byte) => (x << 8n) | BigInt(byte), 0n);
}
