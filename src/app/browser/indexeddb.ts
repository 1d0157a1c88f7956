/// <reference lib="dom" />
/** The app's database: small records in a few stores. A write returns after the browser reports it as durable. */
import { Problem } from "../../core/errors/problem.ts";

const DATABASE = "tonado";
const VERSION = 1;
const stores = ["files", "leaves", "wallets", "passkeys"] as const;

export type RecordStore = typeof stores[number];

export class Records {
  #opened: Promise<IDBDatabase> | undefined;

  /** Throws `store_unavailable` if the browser denies storage. */
  async get(store: RecordStore, key: string): Promise<unknown> {
    try {
      const database = await this.#open();
      return await settled(database.transaction(store, "readonly").objectStore(store).get(key));
    } catch (cause) {
      throw storageDenied(cause);
    }
  }

  /** Replaces a whole record. Throws `write_failed`; the earlier record stays then. */
  async put(store: RecordStore, key: string, value: unknown): Promise<void> {
    await this.#change(store, (records) => records.put(value, key));
  }

  async delete(store: RecordStore, key: string): Promise<void> {
    await this.#change(store, (records) => records.delete(key));
  }

  async clear(): Promise<void> {
    for (const store of stores) await this.#change(store, (records) => records.clear());
  }

  async #change(store: RecordStore, apply: (records: IDBObjectStore) => IDBRequest): Promise<void> {
    try {
      const database = await this.#open();
      const transaction = database.transaction(store, "readwrite", { durability: "strict" });
      await new Promise<void>((resolve, reject) => {
        const fail = () => reject(transaction.error ?? new Error("the transaction was aborted"));
        transaction.oncomplete = () => resolve();
        transaction.onabort = fail;
        transaction.onerror = fail;
        apply(transaction.objectStore(store));
      });
    } catch (cause) {
      throw writeFailed(cause);
    }
  }

  /** Opens the database, again if the browser closed the connection. */
  async #open(): Promise<IDBDatabase> {
    this.#opened ??= openDatabase(() => this.#opened = undefined);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

function openDatabase(onClosed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store);
    };
    request.onblocked = () => reject(new Error("another tab keeps an old version open"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onClosed;
      database.onversionchange = () => {
        database.close();
        onClosed();
      };
      resolve(database);
    };
  });
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Omits the text of the cause, which may contain keys. */
function storageDenied(cause: unknown): Problem {
  return new Problem("store_unavailable", `this browser gives no access to its storage (${nameOf(cause)})`);
}

function writeFailed(cause: unknown): Problem {
  const isFull = nameOf(cause) === "QuotaExceededError";
  const reason = isFull ? "the storage is full" : `the browser refused (${nameOf(cause)})`;
  return new Problem("write_failed", `the notes cannot be written to this browser: ${reason}`);
}

function nameOf(cause: unknown): string {
  return cause instanceof DOMException || cause instanceof Error ? cause.name : "unknown";
}
