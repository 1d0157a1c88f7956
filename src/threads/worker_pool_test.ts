import assert from "node:assert/strict";
import { Problem } from "../core/errors/problem.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker_pool.ts";

interface EchoTask {
  readonly kind: "echo";
  readonly value: unknown;
}

type EchoPool = WorkerPool<EchoTask, { echo: unknown }>;

const echo = (value: unknown): EchoTask => ({ kind: "echo", value });
const uncloneable = echo(() => 1n);
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;

function source(text: string): Worker {
  return new Worker(`data:text/javascript,${encodeURIComponent(text)}`, { type: "module" });
}

const startEcho = () =>
  source(`onmessage = ({ data }) => postMessage({ kind: "done", result: data.value });`);

async function withPool(
  options: Partial<WorkerPoolOptions>,
  test: (pool: EchoPool) => Promise<void>,
): Promise<void> {
  const pool: EchoPool = new WorkerPool({
    name: "echo",
    maxWorkers: 1,
    maxQueuedTasks: 3,
    startWorker: startEcho,
    ...options,
  });
  try {
    await test(pool);
  } finally {
    pool.close();
  }
}

for (const before of [[], [echo(1)]]) {
  Deno.test(`a worker ends when idle after ${before.length} tasks and one that cannot be cloned`, async () => {
    const ended = Promise.withResolvers<void>();
    const startWorker = () => {
      const worker = startEcho();
      const terminate = worker.terminate.bind(worker);
      worker.terminate = () => {
        terminate();
        ended.resolve();
      };
      return worker;
    };
    await withPool({ idleTimeoutMs: 20, startWorker }, async (pool) => {
      for (const task of before) await pool.run(task);
      await assert.rejects(pool.run(uncloneable), code("invalid_request"));
      await within(5000, ended.promise);
      assert.equal(await pool.run(echo(2)), 2);
    });
  });
}

Deno.test("a refused task does not terminate the worker of the next one", () =>
  withPool({ idleTimeoutMs: 50 }, async (pool) => {
    const refused = pool.run(uncloneable);
    const slow = pool.run(echo(1));
    await assert.rejects(refused, code("invalid_request"));
    assert.equal(await slow, 1);
  }));

Deno.test("tasks whose worker cannot start are refused and free their queue slots", async () => {
  let broken = true;
  const startWorker = () => {
    if (broken) throw new Error("no threads left");
    return startEcho();
  };
  await withPool({ startWorker, maxQueuedTasks: 3 }, async (pool) => {
    for (let i = 0; i < 5; i++) {
      await assert.rejects(
        pool.run(echo(i)),
        (error) =>
          code("internal")(error) &&
          /^echo worker did not start: no threads left$/.test((error as Problem).message),
      );
    }
    assert.equal(pool.availableWorkers, 1);
    broken = false;
    assert.equal(await pool.run(echo(6)), 6);
  });
});

Deno.test("a worker whose module lacks a file reports it, and the next task starts a new worker", async () => {
  const starts = [() => source(`throw new Error("kernel.wasm cannot be fetched");`)];
  const startWorker = () => (starts.shift() ?? startEcho)();
  const workerModule = new URL("https://app.example/worker.js");
  await withPool({ startWorker, workerModule }, async (pool) => {
    await assert.rejects(pool.run(echo(1)), code("artifact_unavailable"));
    assert.equal(await pool.run(echo(2)), 2);
  });
});

Deno.test("a crashed worker that cannot be replaced fails the queued tasks only", async () => {
  const workers = [() => source(`onmessage = () => queueMicrotask(() => { throw new Error("lost"); });`)];
  const startWorker = () =>
    (workers.shift() ?? (() => {
      throw new Error("no threads left");
    }))();
  await withPool({ startWorker }, async (pool) => {
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => pool.run(echo(value))));
    for (const outcome of outcomes) {
      assert(outcome.status === "rejected" && code("internal")(outcome.reason));
    }
  });
});

const startSlow = () =>
  source(`onmessage = ({ data: { value } }) => {
    for (const end = performance.now() + value; performance.now() < end;);
    postMessage({ kind: "done", result: value });
  };`);

function counted(start: () => Worker) {
  let started = 0;
  const first = Promise.withResolvers<void>();
  return {
    startWorker() {
      started++;
      first.resolve();
      return start();
    },
    first: first.promise,
    get started() {
      return started;
    },
  };
}

Deno.test("a cancelled task fails at once; its worker finishes it and runs the next one", async () => {
  const workers = counted(startSlow);
  await withPool({ startWorker: workers.startWorker, cancelTimeoutMs: 10_000 }, async (pool) => {
    await pool.run(echo(0)); // it has started
    const cancel = new AbortController();
    let cancelled = false;
    const running = pool.run(echo(400), { signal: cancel.signal }).catch((error) => {
      cancelled = true;
      return error;
    });
    cancel.abort();
    const next = pool.run(echo(1));
    assert(code("cancelled")(await running));
    assert.equal(pool.availableWorkers, 0);
    assert.equal(await next.then((value) => cancelled && value), 1);
    assert.equal(pool.availableWorkers, 1);
    assert.equal(workers.started, 1);
  });
});

Deno.test("the worker of a cancelled task that does not finish in time is replaced", async () => {
  const workers = counted(startSlow);
  await withPool({ startWorker: workers.startWorker, cancelTimeoutMs: 20 }, async (pool) => {
    const cancel = new AbortController();
    const endless = pool.run(echo(Infinity), { signal: cancel.signal });
    const next = pool.run(echo(1));
    await workers.first;
    cancel.abort();
    await assert.rejects(endless, code("cancelled"));
    assert.equal(await within(5000, next), 1);
    assert.equal(workers.started, 2);
  });
});

Deno.test("without a cancel timeout, the worker of a cancelled task is terminated at once", async () => {
  const workers = counted(startSlow);
  await withPool({ startWorker: workers.startWorker }, async (pool) => {
    const cancel = new AbortController();
    const endless = pool.run(echo(Infinity), { signal: cancel.signal });
    await workers.first;
    cancel.abort();
    await assert.rejects(endless, code("cancelled"));
    assert.equal(await within(5000, pool.run(echo(1))), 1);
    assert.equal(workers.started, 2);
  });
});

Deno.test("each worker starts in its own turn of the event loop", async () => {
  const events: string[] = [];
  const last = Promise.withResolvers<void>();
  const startWorker = () => {
    events.push("start");
    setTimeout(() => events.push("turn"), 0);
    if (events.length === 6) last.resolve();
    return { postMessage() {}, terminate() {} } as unknown as Worker;
  };
  const pool: EchoPool = new WorkerPool({ name: "echo", maxWorkers: 3, maxQueuedTasks: 3, startWorker });
  const tasks = [1, 2, 3, 4].map((value) => pool.run(echo(value)).catch(code("cancelled")));
  events.push("asked");
  await within(5000, last.promise);
  assert.deepEqual(events, ["asked", "start", "turn", "start", "turn", "start"]);
  pool.close();
  assert.deepEqual(await Promise.all(tasks), [true, true, true, true]);
});

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
