/**
 * How the shared cache is doing, for whoever asks at `/readyz`: anybody may, as often as they like, so the cache is asked
 * once a second at most, by one question however many wait for its answer, and none of them waits for long.
 */
import type { Shared } from "../store/shared.ts";
import type { Clock } from "./clock.ts";
import { Fresh } from "./fresh.ts";
import { degraded, type Dependency, ok } from "./health.ts";
import { within } from "./within.ts";

const KEPT_MS = 1_000;
/** Longer than the cache's own patience, which tells more. */
const PATIENCE_MS = 2_000;

/** The state of one cache. */
export class CacheWatch {
  readonly #cache: Pick<Shared, "ping">;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #states: Fresh<Dependency>;

  /** @param signal aborts when the relayer ends: nothing waits for the cache then */
  constructor(cache: Pick<Shared, "ping">, clock: Clock, signal: AbortSignal) {
    this.#cache = cache;
    this.#clock = clock;
    this.#signal = signal;
    this.#states = new Fresh(clock, { ms: KEPT_MS });
  }

  /** A second old at most. Never rejects; silence for two seconds is an answer, too. */
  state(): Promise<Dependency> {
    return this.#states.get("cache", async () => {
      try {
        await within(PATIENCE_MS, { clock: this.#clock, signal: this.#signal }, () => this.#cache.ping());
        return ok;
      } catch {
        return degraded("it does not answer: no withdrawals are taken on");
      }
    });
  }
}
