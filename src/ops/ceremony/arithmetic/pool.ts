import { threadRuntime } from "../../../threads/thread_runtime.ts";
import { WorkerPool } from "../../../threads/worker_pool.ts";
import { locations } from "./locations.ts";
import type { ArithmeticRequest, ArithmeticTasks } from "./tasks.ts";

/** Arguments are copied to the thread. */
export interface ArithmeticPool {
  /** Throws `invalid_ceremony` if the arithmetic rejects the arguments, `cancelled` after `close`. */
  run<K extends keyof ArithmeticTasks>(
    name: K,
    ...args: Parameters<ArithmeticTasks[K]>
  ): Promise<ReturnType<ArithmeticTasks[K]>>;
  readonly threads: number;
  /** Running tasks fail. */
  close(): void;
}

const MAX_THREADS = 8;

export function openArithmeticPool(
  threads = Math.min(MAX_THREADS, threadRuntime.coreCount()),
): ArithmeticPool {
  const pool = new WorkerPool<ArithmeticRequest, { arithmetic: unknown }>({
    name: "ceremony",
    maxWorkers: threads,
    maxQueuedTasks: Infinity,
    startWorker: () => threadRuntime.startWorker(locations.worker),
  });
  return {
    threads,
    run: async (name, ...args) => await pool.run({ kind: "arithmetic", name, args }) as never,
    close: () => pool.close(),
  };
}
