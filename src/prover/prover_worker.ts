/**
 * The worker thread: runs one task at a time. Failure messages never contain secrets. After each task it
 * wipes its copies of the witness, of unblinded points and of randomness. It cannot wipe what the WASM
 * allocator has freed or what the engine copied, so a memory image of this process may contain secrets.
 */
import type { AnyCircuitName } from "../core/crypto/groth16.ts";
import { hasWideArithmetic } from "../core/crypto/wide_arithmetic.ts";
import { assemble, initSync, Key, piece, Verifier } from "../../prover-wasm/pkg/prover_wasm.js";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { toShared } from "../threads/shared_memory.ts";
import { transferableBuffers } from "../threads/transferable.ts";
import { toFailureMessage, type WorkerMessage } from "../threads/worker_message.ts";
import { computeWitness, WitnessError } from "./witness.ts";
import {
  type ProverTask,
  type ProverTaskResults,
  provingKeyPartNames,
  type ProvingKeyParts,
} from "./prover_task.ts";

const BLINDING_BYTES = 96; // 48 bytes each for r and s

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ProverTask>) => void;
  postMessage(
    message: WorkerMessage<ProverTaskResults[keyof ProverTaskResults]>,
    transfer: Transferable[],
  ): void;
};

initSync({ module: hasWideArithmetic ? wideWasmBytes() : wasmBytes() });
const verifiers = new Map<AnyCircuitName, Verifier>();

scope.onmessage = ({ data: task }) => {
  try {
    const result = executeTask(task);
    scope.postMessage({ kind: "done", result }, transferableBuffers(result)); // moved, so that no copy remains
  } catch (error) {
    scope.postMessage(toFailureMessage(error, "prover", WitnessError), []);
  } finally {
    wipeTaskSecrets(task);
  }
};

function executeTask(task: ProverTask): ProverTaskResults[keyof ProverTaskResults] {
  switch (task.kind) {
    case "witness":
      return computeWitness(new Uint8Array(task.program).slice(), task.inputs);
    case "parse_key":
      return parseProvingKey(task.zkey);
    case "msm":
      return piece(new Uint8Array(task.keyPart), task.share.part, task.share.partCount, task.witness);
    case "assemble": {
      const { a, b1, b2, c, h } = task.msmResults;
      const randomness = crypto.getRandomValues(new Uint8Array(BLINDING_BYTES));
      try {
        return assemble(new Uint8Array(task.keyPart), a, b1, b2, c, h, randomness);
      } finally {
        randomness.fill(0);
      }
    }
    case "verify": {
      let verifier = verifiers.get(task.circuit);
      if (verifier === undefined) verifiers.set(task.circuit, verifier = new Verifier(task.vkey));
      return verifier.verify(task.proof, task.signals);
    }
  }
}

function wipeTaskSecrets(task: ProverTask): void {
  if (task.kind === "msm") task.witness.fill(0);
  if (task.kind === "assemble") Object.values(task.msmResults).forEach((points) => points.fill(0));
}

function parseProvingKey(zkey: Uint8Array): ProvingKeyParts<Uint8Array> {
  const key = new Key(zkey);
  try {
    // Here, because the copies of megabytes would block the page.
    const parts = provingKeyPartNames.map((name) => [name, toShared(key.excerpt(name))] as const);
    return Object.fromEntries(parts) as unknown as ProvingKeyParts<Uint8Array>;
  } finally {
    key.free();
  }
}
