/**
 * How worker threads are started and how many make sense. The one place to change for runtimes that do not have the web's
 * `Worker`: whoever bundles the library for them assigns to it before the first worker.
 */
export const threads: {
  start: (module: URL) => Worker;
  /** Cores of this machine, at least 1. */
  cores: () => number;
} = {
  start: (module) => new Worker(module, { type: "module" }),
  cores: () => Math.max(1, navigator.hardwareConcurrency),
};
