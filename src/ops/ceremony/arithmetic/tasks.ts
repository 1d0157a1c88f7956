/** Points are encoded as in files, scalars as 32 bytes little endian. The caller overwrites seeds. */
import { sha256 } from "@noble/hashes/sha2.js";
import {
  challenged,
  Circuit,
  differencesG1,
  firstUnsoundG1,
  firstUnsoundG2,
  generatorG1,
  generatorG2,
  hashedG1,
  hashedG2,
  hCombination,
  initSync,
  lagrangeCombination,
  randomScalars,
  sameRatio,
  sumG1,
  sumG2,
} from "../../../../ceremony-wasm/pkg/ceremony_wasm.js";
import { wasmBytes } from "../../../../ceremony-wasm/pkg/ceremony_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../../ceremony-wasm/pkg/ceremony_wasm_wide_bytes.ts";
import { hasWideArithmetic } from "../../../core/crypto/wide_arithmetic.ts";
import { type SecretArithmetic, withSecretInstance } from "./secret_instance.ts";

const module = new WebAssembly.Module(hasWideArithmetic ? wideWasmBytes() : wasmBytes());
initSync({ module });

type CircuitSection = "A" | "B1" | "B2" | "IC" | "L";

export const arithmeticTasks = {
  challenged,
  differencesG1,
  firstUnsoundG1,
  firstUnsoundG2,
  generatorG1,
  generatorG2,
  hashedG1,
  hashedG2,
  hCombination,
  lagrangeCombination,
  randomScalars,
  sameRatio,
  sumG1,
  sumG2,

  circuit: (r1cs: Uint8Array) =>
    withCircuit(r1cs, (circuit) => ({
      variables: circuit.variables,
      public: circuit.public,
      constraints: circuit.constraints,
      domain: circuit.domain,
      coefficients: circuit.coefficients(),
    })),
  combination: (r1cs: Uint8Array, section: CircuitSection, scalars: Uint8Array) =>
    withCircuit(r1cs, (circuit) => circuit.combination(section, scalars)),
  points: (
    r1cs: Uint8Array,
    section: CircuitSection,
    first: number,
    count: number,
    bases: Uint8Array,
  ) =>
    withCircuit(
      r1cs,
      (circuit) =>
        section === "B2"
          ? circuit.pointsG2(section, first, count, bases)
          : circuit.pointsG1(section, first, count, bases),
    ),

  opening: (seed: Uint8Array) => withSecret(seed, (secret) => secret.opening()),
  answer: (seed: Uint8Array, challenge: Uint8Array, delta1: Uint8Array, delta2: Uint8Array) =>
    withSecret(seed, (secret) => ({
      answer: secret.answer(challenge),
      delta1: secret.timesG1(delta1),
      delta2: secret.timesG2(delta2),
    })),
  divide: (seed: Uint8Array, points: Uint8Array) => withSecret(seed, (secret) => secret.divide(points)),

  hashTimes(bytes: Uint8Array, times: number): Uint8Array {
    let hash = bytes;
    for (let i = 0; i < times; i++) hash = sha256(hash);
    return hash;
  },
};

export type ArithmeticTasks = typeof arithmeticTasks;

export interface ArithmeticRequest {
  readonly kind: "arithmetic";
  readonly name: keyof ArithmeticTasks;
  readonly args: readonly unknown[];
}

function withCircuit<T>(r1cs: Uint8Array, use: (circuit: Circuit) => T): T {
  const circuit = new Circuit(r1cs);
  try {
    return use(circuit);
  } finally {
    circuit.free();
  }
}

function withSecret<T>(seed: Uint8Array, use: (secret: SecretArithmetic) => T): T {
  return withSecretInstance(module, seed, use);
}
