import { equal, ok } from "node:assert/strict";
import { tryLock, unlockAndClose } from "./file_lock.ts";

const LOCKS = 100;

/** Starts processes without a pause, each of which has copies of all open files until it runs. */
function startProcesses(): Disposable {
  const code = `while (true) new Deno.Command("true").outputSync();`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const workers = [1, 2, 3].map(() => new Worker(url, { type: "module" }));
  return {
    [Symbol.dispose]() {
      for (const worker of workers) worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}

Deno.test("a released lock is free at once, while other processes are being started", async () => {
  const path = await Deno.makeTempFile({ prefix: "tonado-lock-" });
  using _processes = startProcesses();
  try {
    let refused = 0;
    for (let i = 0; i < LOCKS; i++) {
      const file = await Deno.open(path, { write: true });
      if (!await tryLock(file)) {
        refused++;
        file.close();
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      unlockAndClose(file);
    }
    equal(refused, 0);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("a lock excludes another one until it is released", async () => {
  const path = await Deno.makeTempFile({ prefix: "tonado-lock-" });
  using second = await Deno.open(path, { write: true });
  try {
    const first = await Deno.open(path, { write: true });
    ok(await tryLock(first));
    equal(await tryLock(second), false);
    unlockAndClose(first);
    ok(await tryLock(second));
  } finally {
    await Deno.remove(path);
  }
});
