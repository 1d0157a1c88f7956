import { Problem } from "../core/errors/problem.ts";
import { transferableBuffers } from "./transferable.ts";
import { toFailureMessage, type WorkerMessage } from "./worker_message.ts";

/** The result's memory is moved, so that no copy remains here. `name` is for messages about failures. */
export function serveTasks<Task>(name: string, run: (task: Task) => unknown): void {
  const scope = self as unknown as {
    onmessage: (event: MessageEvent<Task>) => void;
    postMessage(message: WorkerMessage<unknown>, transfer: Transferable[]): void;
  };
  scope.onmessage = async ({ data: task }) => {
    try {
      const result = await run(task);
      scope.postMessage({ kind: "done", result }, transferableBuffers(result));
    } catch (error) {
      scope.postMessage(toFailureMessage(error, name, Problem), []);
    }
  };
}
