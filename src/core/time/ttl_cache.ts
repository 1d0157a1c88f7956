import type { Clock } from "./clock.ts";

interface CacheEntry<T> {
  readonly value: Promise<T>;
  /** Unix milliseconds; Infinity while the value is being fetched. */
  expiresAt: number;
}

/** A cache whose entries expire. Concurrent requests for one key share one fetch. Failures are not cached. */
export class TtlCache<T> {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, CacheEntry<T>>();

  /** @param options `ttlMs`: milliseconds from the value's arrival; `maxEntries`: default 1 */
  constructor(
    private readonly clock: Clock,
    { ttlMs, maxEntries = 1 }: { readonly ttlMs: number; readonly maxEntries?: number },
  ) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  get(key: string, fetch: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached !== undefined && this.clock.now() <= cached.expiresAt) return cached.value;
    const entry: CacheEntry<T> = { value: fetch(), expiresAt: Infinity };
    this.#entries.delete(key); // reinsert, so that it is the newest entry
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    entry.value.then(
      () => entry.expiresAt = this.clock.now() + this.#ttlMs,
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    return entry.value;
  }
}
