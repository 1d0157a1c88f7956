/** Runs the ceremony's arithmetic on worker threads, by default one for each core, at most eight. */
import { Problem } from "../../../core/errors/problem.ts";
import { locations } from "./locations.ts";
import type { WorkerRequest, WorkerResponse } from "./worker.ts";
import type { ArithmeticTasks } from "./tasks.ts";

/** Runs tasks of {@linkcode ArithmeticTasks}. Arguments are copied to the thread. */
export interface ArithmeticPool {
  /** @throws {Problem} `invalid_ceremony` if the arithmetic rejects the arguments, `cancelled` if the pool is closed */
  run<K extends keyof ArithmeticTasks>(
    name: K,
    ...args: Parameters<ArithmeticTasks[K]>
  ): Promise<ReturnType<ArithmeticTasks[K]>>;
  /** Number of concurrent tasks. */
  readonly threads: number;
  /** Terminates the threads. Running tasks fail. */
  close(): void;
}

const MAX_THREADS = 8;

/** Opens a pool. It starts each thread when it is first needed. */
export function openArithmeticPool(
  threads = Math.min(MAX_THREADS, Math.max(1, navigator.hardwareConcurrency)),
): ArithmeticPool {
  const idle: Worker[] = [];
  const started: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {}); // handled even if no task runs
  let closed = false;

  const acquire = (): Promise<Worker> => {
    if (closed) return closing.promise;
    const free = idle.pop();
    if (free) return Promise.resolve(free);
    if (started.length < threads) {
      const worker = new Worker(locations.worker, { type: "module" });
      started.push(worker);
      return Promise.resolve(worker);
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (worker: Worker) => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };

  return {
    threads,
    async run(name, ...args) {
      const worker = await Promise.race([acquire(), closing.promise]);
      const responding = new Promise<WorkerResponse>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          resolve({ error: event.message });
        };
        worker.postMessage({ name, args } satisfies WorkerRequest);
      });
      const response = await Promise.race([responding, closing.promise]);
      release(worker);
      if ("error" in response) throw new Problem("invalid_ceremony", response.error);
      return response.result as never;
    },
    close() {
      closed = true;
      started.forEach((worker) => worker.terminate());
      closing.reject(new Problem("cancelled"));
    },
  };
}
