/** How many requests may be under way at once. */
import type { MiddlewareHandler } from "hono";
import { Problem } from "../core/errors.ts";
import type { HttpEnv } from "./deps.ts";

/** Places for requests; they are taken and left by {@linkcode bounded}. */
export class Places {
  #taken = 0;

  constructor(readonly most: number) {}

  get full(): boolean {
    return this.#taken >= this.most;
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#taken++;
    try {
      return await work();
    } finally {
      this.#taken--;
    }
  }
}

/** Whoever watches the relayer must be answered when it is busy. */
const ALWAYS_ANSWERED = new Set(["/livez", "/readyz", "/metrics"]);

/** Refuses with `overloaded` what would be one request too many at once. */
export function bounded(places: Places): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (places.full && !ALWAYS_ANSWERED.has(c.req.path)) throw new Problem("overloaded");
    await places.hold(next);
  };
}
