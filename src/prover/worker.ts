/**
 * The worker thread: one task at a time, in the order they come. It keeps verification keys; of proving keys it has what
 * a task brings. Whatever goes wrong is answered with a message; secrets are never put into one.
 *
 * A witness holds the note's secrets. What this thread has of it in memory of its own is overwritten or handed over
 * before the next task, also when the task fails: the witness, the memory of the witness program, unblinded points,
 * randomness. What stays until later work happens to overwrite it, or the thread ends: what the prover's WebAssembly
 * copied into its own memory, which its allocator frees without overwriting it; and what only the engine can reach, the
 * inputs' bigints and the bodies of messages. So a memory image of this process may hold secrets.
 */
import type { CircuitName } from "../core/groth16.ts";
import { hasWideArithmetic } from "../core/wide_arithmetic.ts";
import { assemble, initSync, Key, piece, Verifier } from "../../prover-wasm/pkg/prover_wasm.js";
import { wasmBytes } from "../../prover-wasm/pkg/prover_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../prover-wasm/pkg/prover_wasm_wide_bytes.ts";
import { transferable } from "../threads/transferable.ts";
import { failure, type WorkerMessage } from "../threads/worker_message.ts";
import { computeWitness } from "./witness.ts";
import {
  arraysOf,
  excerptNames,
  type KeyExcerpts,
  type TaskResults,
  type WorkerTask,
} from "./worker_task.ts";

/** Bytes of randomness that blind a proof: 48 for r and 48 for s. */
const BLINDING_BYTES = 96;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<WorkerTask>) => void;
  postMessage(
    message: WorkerMessage<TaskResults[keyof TaskResults]>,
    transfer: Transferable[],
  ): void;
};

initSync({ module: hasWideArithmetic ? wideWasmBytes() : wasmBytes() });
const verifiers = new Map<CircuitName, Verifier>();

scope.onmessage = ({ data: task }) => {
  try {
    const result = run(task);
    scope.postMessage({ kind: "done", result }, transferable(arraysOf(result))); // handed over: no copy stays
  } catch (error) {
    scope.postMessage(failure(error, "prover"), []);
  } finally {
    forget(task);
  }
};

function run(task: WorkerTask): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case "witness":
      return computeWitness(new Uint8Array(task.program).slice(), task.inputs);
    case "parse":
      return excerptsOf(task.zkey);
    case "piece":
      return piece(new Uint8Array(task.excerpt), task.share.part, task.share.parts, task.witness);
    case "assemble": {
      const { a, b1, b2, c, h } = task.pieces;
      const randomness = crypto.getRandomValues(new Uint8Array(BLINDING_BYTES));
      try {
        return assemble(new Uint8Array(task.excerpt), a, b1, b2, c, h, randomness);
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

/** Overwrites what came with a task and tells about the witness. */
function forget(task: WorkerTask): void {
  if (task.kind === "piece") task.witness.fill(0);
  if (task.kind === "assemble") { for (const points of Object.values(task.pieces)) points.fill(0); }
}

function excerptsOf(zkey: Uint8Array): KeyExcerpts<Uint8Array> {
  const key = new Key(zkey);
  try {
    const excerpts = excerptNames.map((name) => [name, key.excerpt(name)] as const);
    return Object.fromEntries(excerpts) as unknown as KeyExcerpts<Uint8Array>;
  } finally {
    key.free();
  }
}
