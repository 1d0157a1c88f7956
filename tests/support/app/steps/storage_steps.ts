/// <reference lib="dom" />
/** Simulates a browser whose storage is full until a test ends it. */
import type { Visit } from "../fault_scene.ts";

/**
 * Answers like a browser without space. `tests/app/storage_test.ts` fills a real one. Call this before the
 * app runs.
 */
export function limitStorage(page: Visit["page"]): Promise<unknown> {
  return page.evaluateOnNewDocument(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      if ("isFull" in globalThis) throw new DOMException("no space is left", "QuotaExceededError");
      return put.apply(this, args);
    };
  });
}

export const fillStorage = ({ page }: Visit) =>
  page.evaluate(() => void Object.assign(globalThis, { isFull: true }));

export const freeStorage = ({ page }: Visit) =>
  page.evaluate(() => void delete (globalThis as { isFull?: boolean }).isFull);
