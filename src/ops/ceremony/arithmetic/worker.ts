/** Worker thread of the ceremony's arithmetic. It runs one task at a time and keeps no state between tasks. */
import { arithmeticTasks } from "./tasks.ts";

/** A task sent to the worker. */
export interface WorkerRequest {
  readonly name: keyof typeof arithmeticTasks;
  readonly args: readonly unknown[];
}

/** The result of a task. */
export type WorkerResponse = { readonly result: unknown } | { readonly error: string };

const scope = self as unknown as {
  onmessage: (event: MessageEvent<WorkerRequest>) => void;
  postMessage(response: WorkerResponse): void;
};

scope.onmessage = ({ data: { name, args } }) => {
  try {
    scope.postMessage({
      result: (arithmeticTasks[name] as (...args: readonly unknown[]) => unknown)(...args),
    });
  } catch (error) {
    scope.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
