/** The worker thread: one task at a time. It keeps nothing between them. */
import { transferable } from "../threads/transferable.ts";
import { failure, type WorkerMessage } from "../threads/worker_message.ts";
import { perform, type TreeResults, type TreeTask } from "./tree_task.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<TreeTask>) => void;
  postMessage(message: WorkerMessage<TreeResults[TreeTask["kind"]]>, transfer: Transferable[]): void;
};

scope.onmessage = async ({ data: task }) => {
  try {
    const result = await perform(task);
    scope.postMessage({ kind: "done", result }, transferable(arraysOf(result)));
  } catch (error) {
    scope.postMessage(failure(error, "tree"), []);
  }
};

function arraysOf(result: TreeResults[TreeTask["kind"]]): readonly (Uint8Array | Uint32Array)[] {
  if (result === undefined) return [];
  if (result instanceof Uint8Array || result instanceof Uint32Array) return [result];
  return "levels" in result ? [...result.levels, result.times] : result;
}
