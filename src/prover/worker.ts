/**
 * The worker thread: one task at a time, in the order they come. It keeps parsed keys and nothing of a proof. Whatever
 * goes wrong is answered with a message; secrets are never put into one.
 */
import type { CircuitName } from "../core/groth16.ts";
import { hasWideArithmetic } from "../core/wide_arithmetic.ts";
import { initSync, Prover, Verifier } from "../../prover-wasm/pkg/prover_wasm.js";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { failure, type WorkerMessage } from "../threads/worker_message.ts";
import { computeWitness } from "./witness.ts";
import type { PieceShare, TaskResults, WorkerTask } from "./worker_task.ts";

/** Bytes of randomness that blind a proof: 48 for r and 48 for s. */
const BLINDING_BYTES = 96;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<WorkerTask>) => void;
  postMessage(message: WorkerMessage<TaskResults[keyof TaskResults], PieceShare>): void;
};

initSync({ module: hasWideArithmetic ? wideWasmBytes() : wasmBytes() });
const provers = new Map<CircuitName, Prover>();
const verifiers = new Map<CircuitName, Verifier>();

scope.onmessage = ({ data: task }) => {
  try {
    scope.postMessage({ kind: "done", result: run(task) });
  } catch (error) {
    scope.postMessage(failure(error, "prover"));
  }
};

function run(task: WorkerTask): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case "witness":
      return computeWitness(new Uint8Array(task.program).slice(), task.inputs);
    case "pieces": {
      const prover = proverOf(task.circuit, task.zkey);
      const points = task.shares.map((share) => {
        const point = prover.piece(share.piece, share.part, share.parts, task.witness);
        scope.postMessage({ kind: "piece", piece: share });
        return point;
      });
      task.witness.fill(0);
      return points;
    }
    case "assemble": {
      const { a, b1, b2, c, h } = task.pieces;
      const randomness = crypto.getRandomValues(new Uint8Array(BLINDING_BYTES));
      const proof = proverOf(task.circuit, task.zkey).assemble(a, b1, b2, c, h, randomness);
      randomness.fill(0);
      return proof;
    }
    case "verify": {
      let verifier = verifiers.get(task.circuit);
      if (verifier === undefined) verifiers.set(task.circuit, verifier = new Verifier(task.vkey));
      return verifier.verify(task.proof, task.signals);
    }
  }
}

function proverOf(circuit: CircuitName, zkey: ArrayBufferLike): Prover {
  let prover = provers.get(circuit);
  if (prover === undefined) provers.set(circuit, prover = new Prover(new Uint8Array(zkey)));
  return prover;
}
