/** Work that callers at the same time share. */

/** Returns a function that makes the value in its first call. A failed call is repeated by the next. */
export function memoizeAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  get size(): number {
    return this.#running.size;
  }

  run(key: string, work: () => Promise<T>): { readonly result: Promise<T>; readonly joined: boolean } {
    const running = this.#running.get(key);
    if (running !== undefined) return { result: running, joined: true };
    const result = work();
    this.#running.set(key, result);
    const forget = () => void this.#running.delete(key);
    result.then(forget, forget);
    return { result, joined: false };
  }
}
