import { deepEqual, equal } from "node:assert/strict";
import { Problem } from "../core/errors/problem.ts";
import { serveTasks } from "./serve_tasks.ts";

type Posted = [message: unknown, transfer: readonly Transferable[]];

async function post<Task>(task: Task, run: (task: Task) => unknown): Promise<Posted[]> {
  const posted: Posted[] = [];
  const scope = self as unknown as {
    onmessage?: ((event: { data: Task }) => Promise<void>) | null;
    postMessage?: (...args: Posted) => void;
  };
  scope.postMessage = (...args) => posted.push(args);
  try {
    serveTasks("adder", run);
    await scope.onmessage!({ data: task });
  } finally {
    scope.onmessage = null;
    delete scope.postMessage;
  }
  return posted;
}

Deno.test("a worker answers a task once, and its memory moves with the answer", async () => {
  const sum = new Uint32Array([5]);
  const posted = await post([2, 3], (numbers) => Promise.resolve(numbers.length === 2 && sum));
  deepEqual(posted, [[{ kind: "done", result: sum }, [sum.buffer]]]);
});

Deno.test("a worker that fails reports it once and transfers no memory", async () => {
  const failures: [run: () => unknown, code: string, message: string, fatal: boolean][] = [
    [
      () => Promise.reject(new Problem("invalid_request", "two numbers")),
      "invalid_request",
      "two numbers",
      false,
    ],
    [() => JSON.parse("{"), "internal", "adder: ", true],
  ];
  for (const [run, code, message, fatal] of failures) {
    const [[failure, transfer], ...more] = await post(1, run);
    const { kind, ...found } = failure as Record<string, unknown>;
    deepEqual([kind, found.code, found.fatal, transfer, more], ["failed", code, fatal, [], []]);
    equal(String(found.message).startsWith(message), true);
  }
});

Deno.test("a real worker serves task after task", async () => {
  const module = new URL("./serve_tasks.ts", import.meta.url).href;
  const source = `import { serveTasks } from ${
    JSON.stringify(module)
  }; serveTasks("adder", ({ a, b }) => a + b);`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  const ask = (task: unknown) =>
    new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(task);
    });
  deepEqual(await ask({ a: 1, b: 2 }), { kind: "done", result: 3 });
  deepEqual(await ask({ a: 3, b: 4 }), { kind: "done", result: 7 });
  worker.terminate();
});
