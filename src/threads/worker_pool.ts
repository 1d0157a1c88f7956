/** Workers start on demand. One that crashes or does not finish a cancelled task in time is replaced. */
import { Problem } from "../core/errors/problem.ts";
import { yieldToEventLoop } from "../core/event_loop_yield.ts";
import { systemClock } from "../core/time/clock.ts";
import { MISSING_FILE, type WorkerMessage } from "./worker_message.ts";

interface PoolTask {
  readonly kind: string;
}

export interface WorkerPoolOptions {
  readonly name: string;
  readonly maxWorkers: number;
  readonly maxQueuedTasks: number; // further tasks are rejected with `verification_busy`
  /** Milliseconds after which an idle worker ends. Default: workers live until `close`. */
  readonly idleTimeoutMs?: number;
  /** Time for a worker to finish a cancelled task and be kept. Default: it is terminated at once. */
  readonly cancelTimeoutMs?: number;
  readonly startWorker: () => Worker;
  readonly workerModule?: URL | undefined;
  /** Called with the late result of a cancelled task, to wipe its secrets. */
  readonly discardResult?: (result: unknown) => void;
}

interface TaskOptions {
  readonly signal?: AbortSignal;
  readonly highPriority?: boolean; // runs before other tasks; for short tasks
  readonly transfer?: readonly Transferable[];
}

interface QueuedTask extends TaskOptions {
  readonly task: PoolTask;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface PooledWorker {
  readonly worker: Worker;
  current?: QueuedTask;
  cancelling?: boolean;
  timer?: AbortController; // ends the wait before it is terminated
}

export class WorkerPool<T extends PoolTask, Results extends Record<T["kind"], unknown>> {
  readonly #workers = new Set<PooledWorker>();
  readonly #queue: QueuedTask[] = [];
  #isStarting = false;
  #closed = false;

  constructor(private readonly options: WorkerPoolOptions) {}

  /** Workers free for tasks, including those not started yet and those that finish a cancelled task. */
  get availableWorkers(): number {
    const busy = [...this.#workers].filter((pooled) => pooled.current !== undefined).length;
    return Math.max(0, this.options.maxWorkers - busy - this.#queue.length);
  }

  /** Throws `cancelled`, `verification_busy` if the queue is full, `internal` if the worker crashed. */
  run<One extends T>(task: One, options: TaskOptions = {}): Promise<Results[One["kind"]]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw this.#closedProblem();
      if (options.signal?.aborted) throw new Problem("cancelled");
      if (this.#queue.length >= this.options.maxQueuedTasks + this.#startableWorkers) {
        throw new Problem("verification_busy");
      }
      const cancel = () => this.#cancel(queued);
      const settled = () => options.signal?.removeEventListener("abort", cancel);
      const queued: QueuedTask = {
        ...options,
        task,
        resolve: (result) => {
          settled();
          resolve(result as Results[One["kind"]]);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      options.signal?.addEventListener("abort", cancel);
      const index = options.highPriority ? this.#queue.findIndex((other) => !other.highPriority) : -1;
      this.#queue.splice(index < 0 ? this.#queue.length : index, 0, queued);
      this.#dispatch();
    });
  }

  close(): void {
    this.#closed = true;
    const workers = [...this.#workers];
    const tasks = [...workers.flatMap(({ current }) => current ?? []), ...this.#queue.splice(0)];
    for (const worker of workers) this.#terminate(worker);
    for (const task of tasks) task.reject(this.#closedProblem());
  }

  get #startableWorkers(): number {
    return this.options.maxWorkers - this.#workers.size;
  }

  #closedProblem(): Problem {
    return new Problem("cancelled", `the ${this.options.name} is closed`);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const pooled = [...this.#workers].find((pooled) => pooled.current === undefined && !pooled.cancelling);
      if (pooled === undefined) return this.#scheduleStart();
      const queued = this.#queue.shift()!; // first: any later failure belongs to this task
      try {
        this.#assign(queued, pooled);
      } catch (error) {
        queued.reject(error);
      }
    }
  }

  /** Deno blocks the caller for ten milliseconds or more, so a start has its own turn of the event loop. */
  #scheduleStart(): void {
    if (this.#isStarting || this.#startableWorkers === 0) return;
    this.#isStarting = true;
    yieldToEventLoop().then(() => {
      this.#isStarting = false;
      if (this.#queue.length === 0) return; // also after close()
      try {
        this.#startWorker();
      } catch (error) {
        this.#queue.shift()!.reject(error);
      }
      this.#dispatch();
    });
  }

  #assign(queued: QueuedTask, pooled: PooledWorker): void {
    try {
      pooled.worker.postMessage(queued.task, [...queued.transfer ?? []]);
    } catch (cause) {
      throw new Problem("invalid_request", "the inputs contain a value that cannot be cloned", { cause });
    }
    pooled.timer?.abort();
    pooled.current = queued;
  }

  #startWorker(): void {
    let worker: Worker;
    try {
      worker = this.options.startWorker();
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Problem("internal", `${this.options.name} worker did not start: ${message}`, { cause });
    }
    const pooled: PooledWorker = { worker };
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage<unknown>>) => this.#receive(pooled, data);
    worker.onerror = (event) => {
      event.preventDefault?.(); // unhandled, it would end the process; some runtimes lack the method
      this.#terminateAndReject(pooled, this.#crashProblem(event));
    };
    this.#workers.add(pooled);
    this.#markIdle(pooled);
  }

  /** In browsers the event has no message if the module was not loaded. */
  #crashProblem({ message }: ErrorEvent): Problem {
    const { name, workerModule } = this.options;
    const isIncomplete = !message || message.endsWith(MISSING_FILE);
    return workerModule && isIncomplete
      ? new Problem(
        "artifact_unavailable",
        `${workerModule} cannot be loaded: the ${name} worker did not start`,
      )
      : new Problem("internal", `${name} worker crashed: ${message}`);
  }

  #markIdle(pooled: PooledWorker): void {
    pooled.timer?.abort();
    pooled.current = undefined;
    pooled.cancelling = false;
    const { idleTimeoutMs } = this.options;
    if (idleTimeoutMs !== undefined) this.#after(idleTimeoutMs, pooled, () => this.#terminate(pooled));
  }

  #receive(pooled: PooledWorker, message: WorkerMessage<unknown>): void {
    const isTerminated = !this.#workers.has(pooled); // while its message was in transit
    if (message.kind === "done" && (isTerminated || pooled.current === undefined)) {
      this.options.discardResult?.(message.result);
    }
    if (isTerminated) return;
    if (message.kind === "failed" && message.fatal) {
      this.#terminateAndReject(
        pooled,
        new Problem(message.code, message.message, { errors: message.errors }),
      );
      return;
    }
    const { current } = pooled; // undefined if it was cancelled
    this.#markIdle(pooled);
    if (message.kind === "done") current?.resolve(message.result);
    else current?.reject(new Problem(message.code, message.message, { errors: message.errors }));
    this.#dispatch();
  }

  #terminateAndReject(pooled: PooledWorker, error: unknown): void {
    this.#terminate(pooled);
    pooled.current?.reject(error);
    this.#dispatch();
  }

  #cancel(queued: QueuedTask): void {
    const index = this.#queue.indexOf(queued);
    if (index >= 0) {
      this.#queue.splice(index, 1);
      queued.reject(new Problem("cancelled"));
      return;
    }
    const pooled = [...this.#workers].find((pooled) => pooled.current === queued);
    if (pooled !== undefined) this.#cancelRunning(pooled);
  }

  #cancelRunning(pooled: PooledWorker): void {
    const { cancelTimeoutMs } = this.options;
    if (cancelTimeoutMs === undefined) return this.#terminateAndReject(pooled, new Problem("cancelled"));
    pooled.current?.reject(new Problem("cancelled"));
    pooled.current = undefined;
    pooled.cancelling = true;
    this.#after(cancelTimeoutMs, pooled, () => {
      this.#terminate(pooled);
      this.#dispatch();
    });
  }

  #after(ms: number, pooled: PooledWorker, act: () => void): void {
    const { signal } = pooled.timer = new AbortController();
    systemClock.sleep(ms, signal).then(() => {
      if (!signal.aborted) act();
    });
  }

  #terminate(pooled: PooledWorker): void {
    pooled.timer?.abort();
    this.#workers.delete(pooled);
    pooled.worker.terminate();
  }
}
