/** The worker thread: runs one task at a time and keeps nothing between them. */
import { transferableBuffers } from "../threads/transferable.ts";
import { toFailureMessage, type WorkerMessage } from "../threads/worker_message.ts";
import { runTreeTask, type TreeTask, type TreeTaskResults } from "./tree_task.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<TreeTask>) => void;
  postMessage(message: WorkerMessage<TreeTaskResults[TreeTask["kind"]]>, transfer: Transferable[]): void;
};

scope.onmessage = async ({ data: task }) => {
  try {
    const result = await runTreeTask(task);
    scope.postMessage({ kind: "done", result }, transferableBuffers(result));
  } catch (error) {
    scope.postMessage(toFailureMessage(error, "tree"), []);
  }
};
