/** A bundled program assigns its own URL before it opens a pool. */
export const locations: { worker: URL } = { worker: new URL("./worker.ts", import.meta.url) };
