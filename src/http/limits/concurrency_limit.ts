import type { MiddlewareHandler } from "hono";
import { Problem } from "../../core/errors/problem.ts";
import type { HttpEnv } from "../dependencies.ts";

export class ConcurrencyLimit {
  #taken = 0;

  constructor(readonly max: number) {}

  get full(): boolean {
    return this.#taken >= this.max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#taken++;
    try {
      return await work();
    } finally {
      this.#taken--;
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
