/** The ceremony's arithmetic on worker threads, as many as the machine has cores. */
import { Problem } from "../../core/errors.ts";
import { locations } from "./locations.ts";
import type { Answer, Message } from "./worker.ts";
import type { Work } from "./work.ts";

/** Runs tasks of {@linkcode Work}; what it is given is copied to the thread. */
export interface Arithmetic {
  /** @throws {Problem} `invalid_ceremony` with what the arithmetic refuses, `cancelled` when it is closed */
  run<K extends keyof Work>(name: K, ...args: Parameters<Work[K]>): Promise<ReturnType<Work[K]>>;
  /** How many tasks run at a time. */
  readonly threads: number;
  /** Ends the threads; what runs is refused. */
  close(): void;
}

const MAX_THREADS = 8;

/** Starts threads, when they are first needed. */
export function openArithmetic(
  threads = Math.min(MAX_THREADS, Math.max(1, navigator.hardwareConcurrency)),
): Arithmetic {
  const idle: Worker[] = [];
  const started: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {}); // where nothing runs, nobody hears it
  let closed = false;

  const take = (): Promise<Worker> => {
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
  const give = (worker: Worker) => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };

  return {
    threads,
    async run(name, ...args) {
      const worker = await Promise.race([take(), closing.promise]);
      const answering = new Promise<Answer>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          resolve({ error: event.message });
        };
        worker.postMessage({ name, args } satisfies Message);
      });
      const answer = await Promise.race([answering, closing.promise]);
      give(worker);
      if ("error" in answer) throw new Problem("invalid_ceremony", answer.error);
      return answer.result as never;
    },
    close() {
      closed = true;
      started.forEach((worker) => worker.terminate());
      closing.reject(new Problem("cancelled"));
    },
  };
}
