/** Which tasks a pool accepts, in which order they run, and what becomes of late results. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { WorkerMessage } from "./worker_message.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker_pool.ts";

interface NumberTask {
  readonly kind: "number";
  readonly value: number;
}
type NumberPool = WorkerPool<NumberTask, { number: unknown }>;

const number = (value: number): NumberTask => ({ kind: "number", value });

/** A worker that answers when the test says so. */
class ManualWorker {
  onmessage?: (event: MessageEvent<WorkerMessage<unknown>>) => void;
  onerror?: (event: ErrorEvent) => void;
  readonly tasks: number[] = [];
  transferred: readonly unknown[] = [];
  terminated = 0;

  postMessage(task: NumberTask, transfer: readonly unknown[]): void {
    this.tasks.push(task.value);
    this.transferred = transfer;
  }
  terminate(): void {
    this.terminated++;
  }
  answer(message: WorkerMessage<unknown>): void {
    this.onmessage!({ data: message } as MessageEvent<WorkerMessage<unknown>>);
  }
  done(result: unknown): void {
    this.answer({ kind: "done", result });
  }
}

async function withPool(
  options: Partial<WorkerPoolOptions>,
  test: (pool: NumberPool, workers: ManualWorker[]) => Promise<void>,
): Promise<void> {
  const workers: ManualWorker[] = [];
  const startWorker = () => {
    workers.push(new ManualWorker());
    return workers.at(-1) as unknown as Worker;
  };
  const pool: NumberPool = new WorkerPool({
    name: "numbers",
    maxWorkers: 1,
    maxQueuedTasks: 2,
    startWorker,
    ...options,
  });
  try {
    await test(pool, workers);
  } finally {
    pool.close();
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const start = (pool: NumberPool, value: number, options: Parameters<NumberPool["run"]>[1] = {}) => {
  const running = pool.run(number(value), options);
  running.catch(() => {});
  return running;
};

Deno.test("the queue accepts its maximum number of tasks, and refuses one more", () =>
  withPool({}, async (pool, workers) => {
    for (const value of [1, 2, 3]) start(pool, value); // one for the worker that is not started yet
    await rejects(pool.run(number(4)), { code: "verification_busy" });
    await turn();
    equal(pool.availableWorkers, 0);
    await rejects(pool.run(number(4)), { code: "verification_busy" });
    workers[0].done("first");
    start(pool, 5);
    await rejects(pool.run(number(6)), { code: "verification_busy" });
    deepEqual(workers[0].tasks, [1, 2]);
  }));

Deno.test("tasks of high priority run before the others, each kind in its order", () =>
  withPool({ maxQueuedTasks: 9 }, async (pool, workers) => {
    start(pool, 0);
    await turn();
    for (const value of [1, 2]) start(pool, value);
    for (const value of [11, 12]) start(pool, value, { highPriority: true });
    start(pool, 3);
    for (let i = 0; i < 5; i++) workers[0].done(i);
    deepEqual(workers[0].tasks, [0, 11, 12, 1, 2, 3]);
  }));

Deno.test("a pool has as many workers as tasks, and no more than its bound", () =>
  withPool({ maxWorkers: 2, maxQueuedTasks: 9 }, async (pool, workers) => {
    equal(pool.availableWorkers, 2);
    start(pool, 1);
    equal(pool.availableWorkers, 1);
    await turn();
    deepEqual([workers.length, pool.availableWorkers], [1, 1]);
    for (const value of [2, 3]) start(pool, value);
    await turn();
    await turn();
    deepEqual([workers.map(({ tasks }) => tasks), pool.availableWorkers], [[[1], [2]], 0]);
    workers[1].done("second");
    deepEqual(workers.map(({ tasks }) => tasks), [[1], [2, 3]]);
    workers[0].done("first");
    equal(pool.availableWorkers, 1);
  }));

Deno.test("a queued task that is cancelled never runs, and those behind it do", () =>
  withPool({}, async (pool, workers) => {
    const cancel = new AbortController();
    start(pool, 1);
    await turn();
    const [first, second] = [start(pool, 2, { signal: cancel.signal }), start(pool, 3)];
    cancel.abort();
    await rejects(first, { code: "cancelled" });
    workers[0].done("one");
    deepEqual([workers.length, workers[0].tasks, workers[0].terminated], [1, [1, 3], 0]);
    workers[0].done("three");
    equal(await second, "three");
    await rejects(pool.run(number(4), { signal: cancel.signal }), { code: "cancelled" });
    deepEqual(workers[0].tasks, [1, 3]);
  }));

Deno.test("a signal that aborts after its task has ended does not end the worker", () =>
  withPool({}, async (pool, workers) => {
    const cancel = new AbortController();
    const first = start(pool, 1, { signal: cancel.signal });
    await turn();
    workers[0].done("one");
    equal(await first, "one");
    const second = start(pool, 2);
    cancel.abort();
    workers[0].done("two");
    equal(await second, "two");
    deepEqual([workers.length, workers[0].terminated], [1, 0]);
  }));

Deno.test("only a late result is passed to the callback that wipes it", async () => {
  const discarded: unknown[] = [];
  const discardResult = (result: unknown) => discarded.push(result);
  await withPool({ discardResult, cancelTimeoutMs: 60_000 }, async (pool, workers) => {
    const cancel = new AbortController();
    const cancelled = start(pool, 1, { signal: cancel.signal });
    await turn();
    cancel.abort();
    await rejects(cancelled, { code: "cancelled" });
    workers[0].done("late");
    deepEqual(discarded, ["late"]);
    const second = start(pool, 2);
    workers[0].done("in time");
    equal(await second, "in time");
    start(pool, 3);
    pool.close();
    workers[0].done("after the end");
    deepEqual(discarded, ["late", "after the end"]);
  });
});

Deno.test("a task that fails keeps its worker; a fault of the worker replaces it, and the next task runs", () =>
  withPool({}, async (pool, workers) => {
    const first = start(pool, 1);
    await turn();
    const failed = { kind: "failed", code: "invalid_request", message: "bad", errors: [] } as const;
    workers[0].answer({ ...failed, fatal: false });
    await rejects(first, { code: "invalid_request", message: "bad" });
    const [second, third] = [start(pool, 2), start(pool, 3)];
    workers[0].answer({ ...failed, fatal: true });
    await rejects(second, { code: "invalid_request" });
    deepEqual(workers.map(({ terminated }) => terminated), [1]);
    await turn();
    workers[1].done("three");
    equal(await third, "three");
    workers[0].answer({ ...failed, fatal: true }); // in transit when it was terminated
    deepEqual(workers.map(({ terminated }) => terminated), [1, 0]);
  }));

Deno.test("a crash error names the worker, or the module that could not be loaded", async () => {
  const workerModule = new URL("file:///worker.ts");
  for (
    const [options, message, expected] of [
      [{}, "lost", { code: "internal", message: /numbers worker crashed: lost/ }],
      [{ workerModule }, "lost", { code: "internal", message: /numbers worker crashed: lost/ }],
      [{ workerModule }, "", { code: "artifact_unavailable", message: /worker\.ts cannot be loaded/ }],
    ] as const
  ) {
    await withPool(options, async (pool, workers) => {
      const running = start(pool, 1);
      await turn();
      let prevented = 0;
      workers[0].onerror!({ message, preventDefault: () => prevented++ } as unknown as ErrorEvent);
      await rejects(running, expected);
      deepEqual([workers[0].terminated, prevented], [1, 1]);
    });
  }
});

Deno.test("a closed pool ends its workers and tasks, and accepts none", () =>
  withPool({ maxWorkers: 2 }, async (pool, workers) => {
    const running = start(pool, 1);
    await turn();
    const queued = [start(pool, 2), start(pool, 3)];
    pool.close();
    for (const task of [running, ...queued, start(pool, 4)]) {
      await rejects(task, { code: "cancelled", message: /the numbers is closed/ });
    }
    await turn();
    deepEqual(workers.map(({ tasks, terminated }) => [tasks, terminated]), [[[1], 1]]);
  }));

Deno.test("memory that a task transfers is moved", () =>
  withPool({}, async (pool, workers) => {
    const memory = new ArrayBuffer(8);
    start(pool, 1, { transfer: [memory] });
    await turn();
    deepEqual(workers[0].transferred, [memory]);
  }));
