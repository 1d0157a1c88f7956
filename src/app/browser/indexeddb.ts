/// <reference lib="dom" />
/**
 * The app's database: small records in a few stores. A write returns after the browser reports it as durable.
 *
 * iOS ends the connection under a page that was in the background. Then `transaction()` throws InvalidStateError, and
 * transactions that are running or committing end with UnknownError (WebKit, IDBDatabase::connectionToServerLost in
 * Source/WebCore/Modules/indexeddb/IDBDatabase.cpp). The work is repeated once with a new connection, unless the
 * browser had begun to commit a write, which may have been applied.
 */
import { Problem } from "../../core/errors/problem.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { withDeadline } from "../../core/time/deadline.ts";

const DATABASE = "tonado";
const VERSION = 1;
const stores = ["files", "leaves", "wallets", "passkeys"] as const;
/** Safari could lose the request to open a database (webkit.org/b/226547). */
const OPEN_TIMEOUT_MS = 10_000;

export type RecordStore = typeof stores[number];

/** Whether a commit was applied is unknown. */
class CommitLost extends Error {}

export class Records {
  #opened: Promise<IDBDatabase> | undefined;

  constructor(private readonly clock: Clock = systemClock) {}

  /** Throws `store_unavailable` if the browser denies storage, or does not respond. */
  async get(store: RecordStore, key: string): Promise<unknown> {
    try {
      return await this.#read(store, (records) => records.get(key));
    } catch (cause) {
      throw storageDenied(cause);
    }
  }

  /** Replaces a whole record. Throws `write_failed`; the earlier record stays then, or was replaced whole. */
  async put(store: RecordStore, key: string, value: unknown): Promise<void> {
    await this.#change(
      store,
      (records) => records.put(value, key),
      async () => isSame(await this.#read(store, (records) => records.get(key)), value),
    );
  }

  async delete(store: RecordStore, key: string): Promise<void> {
    await this.#change(
      store,
      (records) => records.delete(key),
      async () => await this.#read(store, (records) => records.count(key)) === 0,
    );
  }

  async clear(): Promise<void> {
    for (const store of stores) {
      await this.#change(
        store,
        (records) => records.clear(),
        async () => await this.#read(store, (records) => records.count()) === 0,
      );
    }
  }

  #read<T>(store: RecordStore, ask: (records: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return this.#withConnection((database) =>
      settled(ask(database.transaction(store, "readonly").objectStore(store)))
    );
  }

  /** Applies a change at most once. `isApplied` decides if the browser does not report the end of a commit. */
  async #change(
    store: RecordStore,
    apply: (records: IDBObjectStore) => IDBRequest,
    isApplied: () => Promise<boolean>,
  ): Promise<void> {
    try {
      await this.#withConnection((database) => write(database, store, apply));
    } catch (cause) {
      if (cause instanceof CommitLost && await isApplied().catch(() => false)) return;
      throw writeFailed(cause);
    }
  }

  /** Runs `work`, and once more with a new connection if it failed without effect because its connection was lost. */
  async #withConnection<T>(work: (database: IDBDatabase) => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      const opened = this.#open();
      let database: IDBDatabase | undefined;
      try {
        database = await opened;
        return await work(database);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.#forget(opened);
        database?.close();
        if (error instanceof CommitLost || attempt === 2) throw error;
      }
    }
  }

  /** Opens the database, again if the browser closed the connection. Gives up on a browser that does not respond. */
  #open(): Promise<IDBDatabase> {
    if (this.#opened !== undefined) return this.#opened;
    const opened: Promise<IDBDatabase> = withDeadline(
      OPEN_TIMEOUT_MS,
      { clock: this.clock, onTimeout: () => new DOMException("no response", "TimeoutError") },
      (signal) => openDatabase(() => this.#forget(opened), signal),
    );
    opened.catch(() => this.#forget(opened));
    return this.#opened = opened;
  }

  #forget(opened: Promise<IDBDatabase>): void {
    if (this.#opened === opened) this.#opened = undefined;
  }
}

/** A connection that arrives after the deadline is closed, because it would block other tabs. */
function openDatabase(onClosed: () => void, deadline: AbortSignal): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store);
    };
    request.onblocked = () => reject(new Error("another tab keeps an old version open"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      if (deadline.aborted) return database.close();
      database.onclose = onClosed;
      database.onversionchange = () => {
        database.close();
        onClosed();
      };
      resolve(database);
    };
  });
}

async function write(
  database: IDBDatabase,
  store: RecordStore,
  apply: (records: IDBObjectStore) => IDBRequest,
): Promise<void> {
  const transaction = database.transaction(store, "readwrite", { durability: "strict" });
  const request = apply(transaction.objectStore(store));
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    // A browser commits after the request has succeeded, so before that nothing is applied.
    transaction.onabort = () => {
      const wasSent = request.readyState === "done" && request.error === null;
      const error = transaction.error ?? new DOMException("the transaction was aborted", "AbortError");
      reject(wasSent && isConnectionLost(error) ? new CommitLost("", { cause: error }) : error);
    };
  });
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof CommitLost || /^(InvalidState|Unknown|Abort)Error$/.test(nameOf(error));
}

function isSame(found: unknown, value: unknown): boolean {
  if (!(found instanceof Uint8Array && value instanceof Uint8Array)) {
    return JSON.stringify(found) === JSON.stringify(value);
  }
  return found.length === value.length && found.every((byte, i) => byte === value[i]);
}

/** Omits the text of the cause, which may contain keys. */
function storageDenied(cause: unknown): Problem {
  const detail = isTimeout(cause)
    ? "this browser's storage does not respond. Close other tabs of this app, and load the page again"
    : `this browser gives no access to its storage (${nameOf(cause)})`;
  return new Problem("store_unavailable", detail);
}

function writeFailed(cause: unknown): Problem {
  return new Problem("write_failed", `the notes cannot be written to this browser: ${reasonOf(cause)}`);
}

function reasonOf(cause: unknown): string {
  if (nameOf(cause) === "QuotaExceededError") return "the storage is full";
  if (isTimeout(cause)) {
    return "its storage does not respond. Close other tabs of this app, and load the page again";
  }
  return `the browser refused (${nameOf(cause instanceof CommitLost ? cause.cause : cause)})`;
}

function isTimeout(cause: unknown): boolean {
  return nameOf(cause) === "TimeoutError";
}

function nameOf(cause: unknown): string {
  return cause instanceof DOMException || cause instanceof Error ? cause.name : "unknown";
}
