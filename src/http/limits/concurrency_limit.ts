import type { MiddlewareHandler } from "hono";
import { Problem } from "../../core/errors/problem.ts";
import type { HttpEnv } from "../dependencies.ts";

export class ConcurrencyLimit {
  #inProgress = 0;

  constructor(readonly max: number) {}

  get full(): boolean {
    return this.#inProgress >= this.max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#inProgress++;
    try {
      return await work();
    } finally {
      this.#inProgress--;
    }
  }
}

/** Monitoring must work while the relayer is overloaded. */
const EXEMPT_PATHS = new Set(["/livez", "/readyz", "/metrics"]);

export function limitConcurrency(requestLimit: ConcurrencyLimit): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (requestLimit.full && !EXEMPT_PATHS.has(c.req.path)) throw new Problem("overloaded");
    await requestLimit.run(next);
  };
}
