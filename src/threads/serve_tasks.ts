import { transferableBuffers } from "./transferable.ts";
import { type ExpectedError, toFailureMessage, type WorkerMessage } from "./worker_message.ts";

/**
 * Runs each task that arrives. The result's memory is moved, so that no copy remains here.
 * @param name for messages about failures
 * @param Expected the class of errors that end a task only; every other error ends the worker
 */
export function serveTasks<Task>(
  name: string,
  Expected: ExpectedError,
  run: (task: Task) => unknown,
): void {
  const scope = self as unknown as {
    onmessage: (event: MessageEvent<Task>) => void;
    postMessage(message: WorkerMessage<unknown>, transfer: Transferable[]): void;
  };
  scope.onmessage = async ({ data: task }) => {
    try {
      const result = await run(task);
      scope.postMessage({ kind: "done", result }, transferableBuffers(result));
    } catch (error) {
      scope.postMessage(toFailureMessage(error, name, Expected), []);
    }
  };
}
