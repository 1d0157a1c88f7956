/**
 * A prover's worker whose proofs take milliseconds. It computes the witness as the product's worker does, so that
 * the circuit's assertions hold, and then forges the proof with the secrets of the test keys (trapdoor_keys.ts).
 */
import { initSync, Verifier } from "../../prover-wasm/pkg/prover_wasm.js";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { bytesToBigint, FIELD_BYTES } from "../../src/core/crypto/field.ts";
import { type AnyCircuitName, publicSignalNames } from "../../src/core/crypto/groth16.ts";
import { proofFromCell } from "../../src/core/crypto/proof_codec.ts";
import { proofToBytes } from "../../src/prover/groth16_bytes.ts";
import type { ProverTask, ProverTaskResults } from "../../src/prover/prover_task.ts";
import { computeWitness, WitnessError } from "../../src/prover/witness.ts";
import { toFailureMessage, type WorkerMessage } from "../../src/threads/worker_message.ts";
import { forgeProof } from "../chain/trapdoor_keys.ts";

type Result = ProverTaskResults[keyof ProverTaskResults];

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ProverTask>) => void;
  postMessage(message: WorkerMessage<Result>): void;
};

initSync({ module: wasmBytes() });
const verifiers = new Map<AnyCircuitName, Verifier>();

scope.onmessage = ({ data: task }) => {
  try {
    scope.postMessage({ kind: "done", result: executeTask(task) });
  } catch (error) {
    scope.postMessage(toFailureMessage(error, "prover", WitnessError));
  }
};

function executeTask(task: ProverTask): Result {
  switch (task.kind) {
    case "parse_key": {
      const circuit = task.zkey.slice();
      return { a: circuit, b1: circuit, b2: circuit, c: circuit, h: circuit, joint: circuit };
    }
    case "witness":
      return computeWitness(new Uint8Array(task.program).slice(), task.inputs);
    case "msm": {
      const wires = 1 + publicSignalNames[circuitOf(task.keyPart)].length;
      return task.share.msm === "a" ? task.witness.slice(0, wires * FIELD_BYTES) : new Uint8Array(0);
    }
    case "assemble":
      return proofToBytes(proofFromCell(forgeProof(signalsOf(task.msmResults.a))));
    case "verify": {
      let verifier = verifiers.get(task.circuit);
      if (verifier === undefined) verifiers.set(task.circuit, verifier = new Verifier(task.vkey));
      return verifier.verify(task.proof, task.signals);
    }
  }
}

/** With test keys, a proving key holds only the circuit's name. */
function circuitOf(key: ArrayBufferLike): AnyCircuitName {
  return new TextDecoder().decode(new Uint8Array(key).slice()) as AnyCircuitName;
}

/** Returns the public signals, which follow the constant 1. The bytes are little endian. */
function signalsOf(wires: Uint8Array): bigint[] {
  return Array.from({ length: wires.length / FIELD_BYTES - 1 }, (_, i) => {
    const wire = wires.slice((i + 1) * FIELD_BYTES, (i + 2) * FIELD_BYTES);
    return bytesToBigint(wire.reverse());
  });
}
