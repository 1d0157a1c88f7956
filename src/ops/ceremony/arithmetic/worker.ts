/** Worker thread of the ceremony's arithmetic. It runs one task at a time and keeps no state between tasks. */
import { Problem } from "../../../core/errors/problem.ts";
import { serveTasks } from "../../../threads/serve_tasks.ts";
import { type ArithmeticRequest, arithmeticTasks } from "./tasks.ts";

serveTasks("ceremony", ({ name, args }: ArithmeticRequest) => {
  try {
    return (arithmeticTasks[name] as (...args: readonly unknown[]) => unknown)(...args);
  } catch (error) {
    throw new Problem("invalid_ceremony", error instanceof Error ? error.message : String(error));
  }
});
