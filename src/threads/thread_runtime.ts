/** A bundle for a runtime without `Worker` replaces both functions. */
export const threadRuntime: {
  startWorker: (module: URL) => Worker;
  coreCount: () => number;
} = {
  startWorker: (module) => new Worker(module, { type: "module" }),
  coreCount: () => Math.max(1, navigator.hardwareConcurrency),
};
