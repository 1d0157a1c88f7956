/**
 * The prover's own worker, watched: after each answer it tells how many bytes that are not zero are left of the task, of
 * what was answered, and of the witness program's memory. For tests of what a worker keeps.
 */
import { arraysOf, type TaskResults, type WorkerTask } from "../../src/prover/worker_task.ts";
import type { WorkerMessage } from "../../src/threads/worker_message.ts";

/** What is left, by where. Sent after the worker's answer. */
export interface Left {
  readonly kind: "left";
  readonly witness: number;
  readonly pieces: number;
  readonly answer: number;
  readonly witnessProgram: number;
}

/** Sent first: from then on tasks are taken. */
export interface Ready {
  readonly kind: "ready";
}

type Answer = WorkerMessage<TaskResults[keyof TaskResults]>;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<WorkerTask>) => void;
  postMessage(message: Answer | Left | Ready, transfer?: Transferable[]): void;
};

const post = scope.postMessage.bind(scope);
let answers: Uint8Array[] = [];
const programs: WebAssembly.Memory[] = [];

scope.postMessage = (message, transfer = []) => {
  post(message, transfer);
  if (message.kind === "done") answers.push(...arraysOf(message.result));
};

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args: ConstructorParameters<typeof Instance>) {
    super(...args);
    if ("getWitness" in this.exports) programs.push(this.exports.memory as WebAssembly.Memory);
  }
};

await import("../../src/prover/worker.ts");
const handle = scope.onmessage;
scope.onmessage = (event) => {
  handle(event);
  const { data: task } = event;
  post({
    kind: "left",
    witness: task.kind === "piece" ? nonZero(task.witness) : 0,
    pieces: task.kind === "assemble" ? sum(Object.values(task.pieces)) : 0,
    answer: sum(answers),
    witnessProgram: sum(programs.splice(0).map(({ buffer }) => new Uint8Array(buffer))),
  });
  answers = [];
};
post({ kind: "ready" });

function sum(all: readonly Uint8Array[]): number {
  return all.reduce((sum, bytes) => sum + nonZero(bytes), 0);
}

/** None of memory that was handed over. */
function nonZero(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes.byteLength > 0 ? bytes : []) if (byte !== 0) count++;
  return count;
}
