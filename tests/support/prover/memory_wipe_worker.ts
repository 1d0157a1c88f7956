/**
 * Runs the prover's worker and reports after each answer how many non-zero bytes remain of the task, of the answer,
 * and of the witness program's memory.
 */
import type { ProverTask, ProverTaskResults } from "../../../src/prover/prover_task.ts";
import { typedArraysIn } from "../../../src/threads/transferable.ts";
import type { WorkerMessage } from "../../../src/threads/worker_message.ts";

/** The number of non-zero bytes that remain, sent after the worker's answer. */
export interface RemainingBytes {
  readonly kind: "left";
  readonly witness: number;
  readonly pieces: number;
  readonly answer: number;
  readonly witnessProgram: number;
}

/** The first message. The worker accepts tasks after it. */
export interface WorkerReady {
  readonly kind: "ready";
}

type Answer = WorkerMessage<ProverTaskResults[keyof ProverTaskResults]>;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ProverTask>) => void;
  postMessage(message: Answer | RemainingBytes | WorkerReady, transfer?: Transferable[]): void;
};

const post = scope.postMessage.bind(scope);
let answers: Uint8Array[] = [];
const programs: WebAssembly.Memory[] = [];

scope.postMessage = (message, transfer = []) => {
  post(message, transfer);
  if (message.kind === "done") answers.push(...typedArraysIn(message.result) as Uint8Array[]);
};

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args: ConstructorParameters<typeof Instance>) {
    super(...args);
    if ("getWitness" in this.exports) programs.push(this.exports.memory as WebAssembly.Memory);
  }
};

await import("../../../src/prover/prover_worker.ts");
const handle = scope.onmessage;
scope.onmessage = (event) => {
  handle(event);
  const { data: task } = event;
  post({
    kind: "left",
    witness: task.kind === "msm" ? nonZero(task.witness) : 0,
    pieces: task.kind === "assemble" ? sum(Object.values(task.msmResults)) : 0,
    answer: sum(answers),
    witnessProgram: sum(programs.splice(0).map(({ buffer }) => new Uint8Array(buffer))),
  });
  answers = [];
};
post({ kind: "ready" });

function sum(all: readonly Uint8Array[]): number {
  return all.reduce((sum, bytes) => sum + nonZero(bytes), 0);
}

/** Returns 0 for memory that was transferred. */
function nonZero(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes.byteLength > 0 ? bytes : []) if (byte !== 0) count++;
  return count;
}
