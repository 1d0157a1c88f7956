/** URL of this folder's worker module. A bundled program assigns its own URL before it first opens a pool. */
export const locations: { worker: URL } = { worker: new URL("./worker.ts", import.meta.url) };
