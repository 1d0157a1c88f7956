/**
 * Worker threads and the queue before them: starts workers when there is work, replaces one that crashed or that
 * does not come to the end of a cancelled task, and holds at most a bounded number of waiting tasks. It knows nothing of what the tasks are.
 */
import { Problem } from "../core/errors.ts";
import type { WorkerMessage } from "./worker_message.ts";

/** Something to do; its kind says what comes of it. */
export interface Task {
  readonly kind: string;
}

/** How a pool runs. */
export interface WorkerPoolOptions {
  /** Whose workers they are, for messages. */
  readonly name: string;
  /** Most workers at a time. */
  readonly size: number;
  /** Most tasks that wait for one; a further one is refused with `verification_busy`. */
  readonly maxWaiting: number;
  /** Ends a worker that had no work for so long, in milliseconds; without it workers live until `close`. */
  readonly idleMs?: number;
  /**
   * How long the worker of a cancelled task may take to come to its end, in milliseconds. It then takes the next task
   * with what it has loaded; one that takes longer is ended. Without it, every such worker is ended at once.
   */
  readonly cancelMs?: number;
  readonly startWorker: () => Worker;
  /** The module that workers are started from, for messages. */
  readonly module?: URL | undefined;
  /** Given what a worker answers for a task that was cancelled meanwhile: to overwrite what is secret in it. */
  readonly discard?: (result: unknown) => void;
}

/** How one task runs. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Goes before tasks that are not: for short ones. */
  readonly urgent?: boolean;
  /** Parts of the task that are handed over rather than copied. */
  readonly transfer?: readonly Transferable[];
}

interface Job extends RunOptions {
  readonly task: Task;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Seat {
  readonly worker: Worker;
  job?: Job;
  /** Whether its task was cancelled and it has not answered yet. */
  finishing?: boolean;
  /** Ends it, when it rests or finishes for too long. */
  timer?: ReturnType<typeof setTimeout>;
}

/** A pool of workers that take tasks of type `T` and answer with `Results` by their kind. */
export class WorkerPool<T extends Task, Results extends Record<T["kind"], unknown>> {
  readonly #options: WorkerPoolOptions;
  readonly #seats = new Set<Seat>();
  readonly #waiting: Job[] = [];
  /** Set while a worker is about to be started. */
  #starting: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Workers that a further task would find free, running already or not, or coming to the end of a cancelled one. */
  get free(): number {
    const busy = [...this.#seats].filter((seat) => seat.job !== undefined).length;
    return Math.max(0, this.#options.size - busy - this.#waiting.length);
  }

  /**
   * Runs a task on the next free worker.
   *
   * @throws {Problem} what the worker reports; `cancelled` at once when the signal is aborted or the pool closed; `verification_busy` when too many wait; `internal` when the worker crashed or did not start;
   *   `invalid_request` when the task cannot be sent to one
   */
  run<One extends T>(task: One, options: RunOptions = {}): Promise<Results[One["kind"]]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw this.#closedProblem();
      if (options.signal?.aborted) throw new Problem("cancelled");
      if (this.#waiting.length >= this.#options.maxWaiting + this.#mayStart) {
        throw new Problem("verification_busy");
      }
      const cancel = () => this.#cancel(job);
      const settled = () => options.signal?.removeEventListener("abort", cancel);
      const job: Job = {
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
      const place = options.urgent ? this.#waiting.findIndex((other) => !other.urgent) : -1;
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, job);
      this.#dispatch();
    });
  }

  /** Ends all workers; what runs or waits is refused with `cancelled`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#starting);
    const seats = [...this.#seats];
    const jobs = [...seats.flatMap(({ job }) => job ?? []), ...this.#waiting.splice(0)];
    for (const seat of seats) this.#end(seat);
    for (const job of jobs) job.reject(this.#closedProblem());
  }

  /** Workers that are not running yet: as many tasks wait for one of these, and for nobody to become free. */
  get #mayStart(): number {
    return this.#options.size - this.#seats.size;
  }

  #closedProblem(): Problem {
    return new Problem("cancelled", `the ${this.#options.name} is closed`);
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const seat = [...this.#seats].find((seat) => seat.job === undefined && !seat.finishing);
      if (seat === undefined) return this.#startSoon();
      const job = this.#waiting.shift()!; // taken first: whatever fails from here on is this job's
      try {
        this.#hand(job, seat);
      } catch (error) {
        job.reject(error);
      }
    }
  }

  /**
   * Starts one worker more, if there may be one, in a turn of the event loop of its own: Deno holds up whoever starts a
   * worker until its thread is ready, which takes that ten milliseconds or more.
   */
  #startSoon(): void {
    if (this.#starting !== undefined || this.#mayStart === 0) return;
    this.#starting = setTimeout(() => {
      this.#starting = undefined;
      if (this.#waiting.length === 0) return;
      try {
        this.#start();
      } catch (error) {
        this.#waiting.shift()!.reject(error);
      }
      this.#dispatch();
    }, 0);
  }

  /** Gives the job to a worker without one. @throws {Problem} `invalid_request`: the worker rests on */
  #hand(job: Job, seat: Seat): void {
    try {
      seat.worker.postMessage(job.task, [...job.transfer ?? []]);
    } catch (cause) { // what cannot be cloned to a worker
      throw new Problem("invalid_request", "inputs hold what is no value", { cause });
    }
    clearTimeout(seat.timer);
    seat.job = job;
  }

  /** A new worker, at rest. @throws {Problem} `internal` */
  #start(): void {
    let worker: Worker;
    try {
      worker = this.#options.startWorker();
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Problem("internal", `${this.#options.name} worker did not start: ${message}`, { cause });
    }
    const seat: Seat = { worker };
    seat.worker.onmessage = ({ data }: MessageEvent<WorkerMessage<unknown>>) => this.#receive(seat, data);
    seat.worker.onerror = (event) => {
      event.preventDefault?.(); // not of every runtime; it reaches the caller; unhandled it would end the process
      this.#fail(seat, this.#crash(event));
    };
    this.#seats.add(seat);
    this.#rest(seat);
  }

  /** In browsers the event has a message only when the module was loaded. */
  #crash({ message }: ErrorEvent): Problem {
    const { name, module } = this.#options;
    return message || !module
      ? new Problem("internal", `${name} worker crashed: ${message}`)
      : new Problem("artifact_unavailable", `${module} cannot be loaded: the ${name} worker did not start`);
  }

  /** From here on the worker has no job, and ends when it gets none for long. */
  #rest(seat: Seat): void {
    clearTimeout(seat.timer);
    seat.job = undefined;
    seat.finishing = false;
    const { idleMs } = this.#options;
    if (idleMs !== undefined) seat.timer = setTimeout(() => this.#end(seat), idleMs);
  }

  #receive(seat: Seat, message: WorkerMessage<unknown>): void {
    const ended = !this.#seats.has(seat); // while it answered
    if (message.kind === "done" && (ended || seat.job === undefined)) this.#options.discard?.(message.result);
    if (ended) return;
    if (message.kind === "failed" && message.fatal) {
      this.#fail(seat, new Problem(message.code, message.message, { errors: message.errors }));
      return;
    }
    const { job } = seat; // none when it was cancelled
    this.#rest(seat);
    if (message.kind === "done") job?.resolve(message.result);
    else job?.reject(new Problem(message.code, message.message, { errors: message.errors }));
    this.#dispatch();
  }

  #fail(seat: Seat, error: unknown): void {
    this.#end(seat);
    seat.job?.reject(error);
    this.#dispatch();
  }

  #cancel(job: Job): void {
    const place = this.#waiting.indexOf(job);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      job.reject(new Problem("cancelled"));
      return;
    }
    const seat = [...this.#seats].find((seat) => seat.job === job);
    if (seat !== undefined) this.#abandon(seat);
  }

  /** Its task is over for the caller; the worker has a while to come to the end of it. */
  #abandon(seat: Seat): void {
    const { cancelMs } = this.#options;
    if (cancelMs === undefined) return this.#fail(seat, new Problem("cancelled"));
    seat.job?.reject(new Problem("cancelled"));
    seat.job = undefined;
    seat.finishing = true;
    seat.timer = setTimeout(() => {
      this.#end(seat);
      this.#dispatch();
    }, cancelMs);
  }

  #end(seat: Seat): void {
    clearTimeout(seat.timer);
    this.#seats.delete(seat);
    seat.worker.terminate();
  }
}
