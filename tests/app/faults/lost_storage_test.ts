/// <reference lib="dom" />
/**
 * IndexedDB connections that the browser ends under the page, and a database that does not open. Chromium's own
 * database is used; each fault is one that WebKit or Chromium produces.
 */
import assert from "node:assert/strict";
import { type AdapterPage, openAdapterPage, useAdapters } from "../../support/app/adapter_page.ts";
import { withBrowser } from "../../support/app/app_browser.ts";
import { serveApp } from "../../support/app/serve_app.ts";
import { chromium } from "../../support/system/chromium.ts";
import type { Adapters } from "../page/adapters.ts";

const ignore = chromium === undefined;

/**
 * How the next transaction fails. `closed`: the connection is closed before it. `request`: its request throws.
 * `aborted`: it is aborted after its request. `committing`: it is aborted after its request succeeded. `committed`: it
 * is committed, and reported as aborted.
 */
type Fault = "closed" | "request" | "aborted" | "committing" | "committed";

interface Faults {
  /** The faults of the next transactions; undefined: none. */
  next: (Fault | undefined)[];
  /** Changes that were committed. */
  applied: number;
  /** Whether requests to open the database stay silent. */
  isSilent: boolean;
  /** The number of next requests to open the database that fail. */
  failing: number;
  /** Lets the requests to open that stayed silent succeed. */
  late: (() => void)[];
}

/** Runs in the page before its scripts. */
function installFaults(): void {
  const faults: Faults = { next: [], applied: 0, isSilent: false, failing: 0, late: [] };
  Object.assign(globalThis, { faults });
  const { transaction } = IDBDatabase.prototype;
  const changing = new WeakSet<IDBTransaction>();
  let current: Fault | undefined;
  IDBDatabase.prototype.transaction = function (...given) {
    current = faults.next.shift();
    if (current === "closed") this.close();
    const made = transaction.apply(this, given);
    made.addEventListener("complete", () => changing.has(made) && faults.applied++);
    if (current === "committed") {
      made.addEventListener("complete", () => made.onabort?.(new Event("abort")));
      Object.defineProperty(made, "oncomplete", { set() {} });
    }
    return made;
  };
  for (const name of ["get", "put", "delete", "clear", "count"] as const) {
    const method = IDBObjectStore.prototype[name] as (...given: unknown[]) => IDBRequest;
    (IDBObjectStore.prototype as unknown as Record<string, unknown>)[name] = function (
      this: IDBObjectStore,
      ...given: unknown[]
    ) {
      const fault = current;
      current = undefined;
      if (fault === "request") throw new DOMException("closing", "InvalidStateError");
      const request = method.apply(this, given);
      if (this.transaction.mode === "readwrite") changing.add(this.transaction);
      if (fault === "aborted") this.transaction.abort();
      if (fault === "committing") request.addEventListener("success", () => this.transaction.abort());
      return request;
    };
  }
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...given) {
    if (faults.failing-- > 0) {
      const failed = { error: new DOMException("", "UnknownError") } as IDBOpenDBRequest; // as in WebKit
      queueMicrotask(() => failed.onerror?.(new Event("error")));
      return failed;
    }
    const request = open.apply(this, given);
    if (!faults.isSilent) return request;
    const silent = {} as IDBOpenDBRequest;
    request.addEventListener("upgradeneeded", (event) => {
      Object.assign(silent, { result: request.result });
      silent.onupgradeneeded?.(event);
    });
    request.addEventListener("success", (event) => {
      Object.assign(silent, { result: request.result });
      faults.late.push(() => silent.onsuccess?.(event));
    });
    return silent;
  };
}

type Run = AdapterPage["run"];
type Work = (adapters: Adapters) => Promise<unknown>;

/** Each read and write of the app. `result` is what it returns if `prepare` ran before. */
const operations: readonly (readonly [name: string, work: Work, result: unknown])[] = [
  ["reading the notes", async ({ files }) => [...(await files.read())!], [1, 2]],
  ["writing the notes", ({ files }) => files.write(new Uint8Array([3])), undefined],
  ["reading a wallet's session", ({ records }) => records.get("wallets", "session"), { secret: "s" }],
  [
    "writing a wallet's session",
    ({ records }) => records.put("wallets", "session", { secret: "t" }),
    undefined,
  ],
  ["deleting a wallet's session", ({ records }) => records.delete("wallets", "session"), undefined],
  ["looking for a passkey", ({ passkeys }) => passkeys.isEnrolled(), true],
  ["removing the passkey", ({ passkeys }) => passkeys.remove(), undefined],
  ["reading a page of leaves", async ({ leaves }) => (await leaves.read("page"))?.length, 32],
  ["writing a page of leaves", ({ leaves }) => leaves.write("page", new Uint8Array(64)), undefined],
  ["asking whether storage is allowed", ({ place }) => place.findFault(), undefined],
];
const writes = operations.filter(([name]) => /^(writing|deleting|removing)/.test(name));

const prepare = (run: Run) =>
  run(async ({ records }) => {
    await records.put("files", "notes.age", new Uint8Array([1, 2]));
    await records.put("wallets", "session", { secret: "s" });
    await records.put("passkeys", "passphrase", { identity: "i" });
    await records.put("leaves", "page", new Uint8Array(32));
  }, undefined);

/** Runs `work` with faults, and returns its result and the number of changes that were committed. */
async function runWith(run: Run, work: Work, next: readonly (Fault | undefined)[]) {
  await run((_, next) => {
    const { faults } = globalThis as unknown as { faults: Faults };
    Object.assign(faults, { next, applied: 0 });
  }, next);
  const outcome = await run(work, undefined).then(
    (result) => ({ result: result ?? undefined }),
    (error: Error) => ({ fault: error.message }),
  );
  const applied = await run(() => {
    const { faults } = globalThis as unknown as { faults: Faults };
    faults.next = [];
    return faults.applied;
  }, undefined);
  return { ...outcome, applied };
}

/** The records of all stores, as text. */
const contentOf = (run: Run) =>
  run(async ({ records }) =>
    JSON.stringify([
      await records.get("files", "notes.age"),
      await records.get("wallets", "session"),
      await records.get("passkeys", "passphrase"),
      (await records.get("leaves", "page") as Uint8Array | undefined)?.length,
    ]), undefined);

Deno.test({
  name: "each read and write survives the loss of its connection, and a change is applied once",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      for (const [name, work, result] of operations) {
        const isWrite = writes.some(([each]) => each === name);
        await prepare(run);
        await runWith(run, work, []);
        const expected = await contentOf(run);
        for (const fault of ["closed", "request", "aborted"] as const) {
          await prepare(run);
          const outcome = await runWith(run, work, [fault]);
          assert.deepEqual(outcome, { result, applied: isWrite ? 1 : 0 }, `${name}, ${fault}`);
          assert.equal(await contentOf(run), expected, `${name}, ${fault}`);
        }
      }
    }),
});

Deno.test({
  name: "erasing everything survives the loss of its connection at each store",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      for (const fault of ["closed", "request", "aborted"] as const) {
        for (let at = 0; at < 4; at++) {
          await prepare(run);
          const outcome = await runWith(run, ({ files }) => files.remove(), [...Array(at), fault]);
          assert.deepEqual(outcome, { result: undefined, applied: 4 }, `${fault} at ${at}`);
          assert.equal(await contentOf(run), "[null,null,null,null]", `${fault} at ${at}`);
        }
      }
    }),
});

Deno.test({
  name: "a change that may have been applied is not repeated: the record decides what is reported",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      for (const [name, work] of writes) {
        await prepare(run);
        const before = await contentOf(run);
        const lost = await runWith(run, work, ["committing"]);
        // A page of leaves is only a cache, so its fault is not reported.
        if (!name.includes("leaves")) assert.match(JSON.stringify(lost), /write_failed: .*AbortError/, name);
        assert.equal(lost.applied, 0, name);
        assert.equal(await contentOf(run), before, name);
        const kept = await runWith(run, work, ["committed"]);
        assert.deepEqual(kept, { result: undefined, applied: 1 }, name);
        assert.notEqual(await contentOf(run), before, name);
      }
    }),
});

Deno.test({
  name: "a connection that is lost twice is reported, and the next read and write work without a reload",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      const [[, read], [, write]] = operations;
      for (const fault of ["closed", "request", "aborted"] as const) {
        await prepare(run);
        assert.match(JSON.stringify(await runWith(run, read, [fault, fault])), /store_unavailable: /);
        assert.deepEqual(await runWith(run, read, []), { result: [1, 2], applied: 0 });
        assert.match(JSON.stringify(await runWith(run, write, [fault, fault])), /write_failed: /);
        assert.deepEqual(await runWith(run, write, []), { result: undefined, applied: 1 });
      }
    }),
});

Deno.test({
  name: "a database that fails to open is opened once more",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      const read = (failing: number) =>
        run(({ Records }, failing) => {
          Object.assign((globalThis as unknown as { faults: Faults }).faults, { failing });
          const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };
          return new Records(clock).get("files", "notes.age").then(
            () => "read",
            ({ code }) => code as string,
          );
        }, failing);
      assert.deepEqual([await read(1), await read(2), await read(0)], ["read", "store_unavailable", "read"]);
    }),
});

Deno.test({
  name: "a database that does not open is given up with the next step, and opens later without a reload",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      const failures = await run(async ({ Records }) => {
        const { faults } = globalThis as unknown as { faults: Faults };
        faults.isSilent = true;
        const expired = { now: () => 0, sleep: () => Promise.resolve() };
        const failureOf = (work: Promise<unknown>) => work.then(() => "none", (error) => error.message);
        return [
          await failureOf(new Records(expired).get("files", "notes.age")),
          await failureOf(new Records(expired).put("files", "notes.age", new Uint8Array([1]))),
        ];
      }, undefined);
      for (const failure of failures) {
        assert.match(
          failure,
          /storage does not respond\. Close other tabs of this app, and load the page again/,
        );
      }
      const later = await run(async ({ Records }) => {
        const { faults } = globalThis as unknown as { faults: Faults };
        let expire = () => {};
        const clock = { now: () => 0, sleep: () => new Promise<void>((resolve) => expire = resolve) };
        const records = new Records(clock);
        const first = records.get("files", "notes.age").then(() => "opened", () => "given up");
        expire();
        const outcome = await first;
        faults.isSilent = false;
        await records.put("files", "notes.age", new Uint8Array([5]));
        return [outcome, await records.get("files", "notes.age")];
      }, undefined) as [string, unknown];
      assert.equal(later[0], "given up");
      // Connections that open after all do not block the deletion of the database.
      const deleted = await run(async () => {
        const { faults } = globalThis as unknown as { faults: Faults };
        while (faults.late.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
        for (const succeed of faults.late) succeed();
        return await new Promise((resolve) => {
          const request = indexedDB.deleteDatabase("tonado");
          request.onsuccess = () => resolve("deleted");
          request.onblocked = () => resolve("blocked");
        });
      }, undefined);
      assert.equal(deleted, "deleted");
    }),
});

async function onPage(use: (page: AdapterPage) => Promise<void>): Promise<void> {
  await useAdapters();
  const served = await serveApp();
  try {
    await withBrowser(async (browser) => {
      await use(
        await openAdapterPage(browser, served.url, (page) => page.evaluateOnNewDocument(installFaults)),
      );
    });
  } finally {
    await served.close();
  }
}
