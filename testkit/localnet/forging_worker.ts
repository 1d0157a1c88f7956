/**
 * A prover's worker whose proofs take milliseconds: it computes the public signals of a settlement from its
 * inputs and forges the proof with the secrets of the test keys (trapdoor_keys.ts). It verifies as the
 * product's worker does.
 */
import { initSync, Verifier } from "../../prover-wasm/pkg/prover_wasm.js";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { bytesToBigint, FIELD_BYTES, fieldToBytes } from "../../src/core/crypto/field.ts";
import { type AnyCircuitName, CHUNK_SLOTS } from "../../src/core/crypto/groth16.ts";
import { proofFromCell } from "../../src/core/crypto/proof_codec.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { proofToBytes } from "../../src/prover/groth16_bytes.ts";
import type { ProverTask, ProverTaskResults } from "../../src/prover/prover_task.ts";
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
    scope.postMessage(toFailureMessage(error, "prover", Problem));
  }
};

function executeTask(task: ProverTask): Result {
  switch (task.kind) {
    case "parse_key": {
      const part = new Uint8Array(1);
      return { a: part, b1: part, b2: part, c: part, h: part, joint: part };
    }
    case "witness":
      return witnessOf(task.inputs as unknown as SettlementSignals);
    case "msm":
      return task.share.msm === "a" ? task.witness.slice() : new Uint8Array(0);
    case "assemble":
      return proofToBytes(proofFromCell(forgeProof(signalsOf(task.msmResults.a))));
    case "verify": {
      let verifier = verifiers.get(task.circuit);
      if (verifier === undefined) verifiers.set(task.circuit, verifier = new Verifier(task.vkey));
      return verifier.verify(task.proof, task.signals);
    }
  }
}

interface SettlementSignals {
  readonly oldRoot: bigint;
  readonly newRoot: bigint;
  readonly span: bigint;
  readonly settler: bigint;
  readonly fresh: readonly bigint[];
}

/** Returns the wire 1 and the public signals, each little endian. */
function witnessOf({ oldRoot, newRoot, span, settler, fresh }: SettlementSignals): Uint8Array<ArrayBuffer> {
  const wires = [1n, oldRoot, newRoot, span, settler, ...fresh];
  const bytes = new Uint8Array(wires.length * FIELD_BYTES);
  wires.forEach((wire, i) => bytes.set(fieldToBytes(BigInt(wire)).reverse(), i * FIELD_BYTES));
  return bytes;
}

function signalsOf(witness: Uint8Array): bigint[] {
  return Array.from({ length: 4 + CHUNK_SLOTS }, (_, i) => {
    const wire = witness.slice((i + 1) * FIELD_BYTES, (i + 2) * FIELD_BYTES);
    return bytesToBigint(wire.reverse());
  });
}
