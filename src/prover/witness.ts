/** Runs the witness programs of circom. No input value is logged or put into an error. */
import { FIELD_BYTES, FIELD_MODULUS, isFieldElement } from "../core/crypto/field_size.ts";
import type { ProblemCode } from "../core/errors/problem.ts";

export type CircuitInputs = Readonly<Record<string, bigint | readonly bigint[]>>;

/** Becomes a Problem with this code outside the worker: the table of problems would double the worker's script. */
export class WitnessError extends Error {
  override readonly name = "WitnessError";
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/** The exports of a program of circom 2.2. Field elements pass through one shared buffer. */
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

const ASSERTION_FAILED = 4;

/** Returns every wire, 32 little-endian bytes each: the constant 1, the public signals, then the rest. */
export function computeWitness(
  program: BufferSource | WebAssembly.Module,
  inputs: CircuitInputs,
): Uint8Array<ArrayBuffer> {
  const exports = instantiate(program);
  try {
    return runWitnessProgram(exports, inputs);
  } finally {
    new Uint8Array(exports.memory.buffer).fill(0); // it holds every wire, and the engine may collect it much later
  }
}

function runWitnessProgram(exports: WitnessProgram, inputs: CircuitInputs): Uint8Array<ArrayBuffer> {
  const shared = new Uint8Array(exports.memory.buffer, exports.getSharedRWMemoryStart(), FIELD_BYTES);
  exports.getRawPrime();
  if (readLittleEndian(shared) !== FIELD_MODULUS) throw incompatibleProgram();

  exports.init(1);
  let remaining = exports.getInputSize();
  for (const [name, value] of Object.entries(inputs)) {
    const values = typeof value === "bigint" ? [value] : value;
    const [high, low] = signalHash(name);
    const size = exports.getInputSignalSize(high, low);
    if (size < 1) throw new WitnessError("invalid_request", `the circuit has no input ${name}`);
    if (size !== values.length) {
      throw new WitnessError(
        "invalid_request",
        `input ${name} must have ${size} elements, not ${values.length}`,
      );
    }
    for (const [position, element] of values.entries()) {
      // The program would reduce the value and prove another number.
      if (!isFieldElement(element)) throw new WitnessError("not_in_field", `input ${name} is not in [0, r)`);
      writeLittleEndian(shared, element);
      remaining--;
      exports.setInputSignal(high, low, position); // the last input runs the circuit
    }
  }
  if (remaining !== 0) {
    throw new WitnessError("invalid_request", `${remaining} elements of the circuit's inputs are missing`);
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
        throw new WitnessError("invalid_request", `the witness program refused the inputs with code ${code}`);
      }
      throw new WitnessError(
        "constraints_unsatisfied",
        `the inputs do not satisfy the circuit${failedAt && `: ${failedAt}`}`,
      );
    },
    // "Error in template Name_3 line: 12", innermost first. It contains no values.
    printErrorMessage() {
      let message = "";
      for (let char = exports.getMessageChar(); char !== 0; char = exports.getMessageChar()) {
        message += String.fromCharCode(char);
      }
      const location = /template (?<template>\w+?)_\d+ line: (?<line>\d+)/.exec(message)?.groups;
      if (location !== undefined) failedAt ||= `template ${location.template}, line ${location.line}`;
    },
    // The circuits log nothing, and everything that they could log is secret.
    writeBufferMessage() {},
    showSharedRWMemory() {},
  };
  let exports: WitnessProgram;
  try {
    const compiled = program instanceof WebAssembly.Module ? program : new WebAssembly.Module(program);
    exports = new WebAssembly.Instance(compiled, { runtime }).exports as unknown as WitnessProgram;
    if (exports.getFieldNumLen32() * 4 !== FIELD_BYTES) throw incompatibleProgram();
  } catch (cause) {
    throw cause instanceof WitnessError ? cause : incompatibleProgram(cause);
  }
  return exports;
}

function incompatibleProgram(cause?: unknown): WitnessError {
  return new WitnessError("artifact_corrupted", "the witness program is not for the field of BLS12-381", {
    cause,
  });
}

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
