/**
 * What pools want attached to the withdrawals of one transfer. Each question is asked once, a few at the same time, so
 * that a batch waits for its slowest answer and not for the sum of all. One pool's trouble must not hold up the others:
 * a pool that does not say in time is not asked again.
 */
import type { PoolId } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Chain } from "../ton/chain.ts";
import type { Clock } from "./clock.ts";
import type { PoolState } from "./pool_state.ts";
import { valueToAttach } from "./terms.ts";
import { within } from "./within.ts";

/** How long a pool may take to say what to attach. */
const PATIENCE_MS = 10_000;
/** Fewer than the endpoint takes: pools are followed meanwhile. */
const MOST_AT_ONCE = 4;

/** A withdrawal that needs to know what to attach; `refund` in nano. */
export interface Quoted {
  readonly pool: PoolState;
  readonly refund: bigint;
}

/** What asking needs. */
export interface QuotesDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly log: Log;
}

/** Quotes for one transfer. */
export class Quotes {
  readonly #deps: QuotesDeps;
  readonly #signal: AbortSignal;
  readonly #values = new Map<string, bigint>();
  readonly #silent = new Set<PoolId>();

  constructor(deps: QuotesDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Asks what is not known yet. Rejects only when the signal aborts. */
  async ask(wanted: readonly Quoted[]): Promise<void> {
    const open = new Map(wanted.map((quoted) => [keyOf(quoted), quoted])).values();
    const asker = async () => {
      for (const quoted of open) await this.#askOne(quoted); // they all take from the same iterator
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, asker));
  }

  /** Nano to attach; undefined when the pool did not say. */
  of(quoted: Quoted): bigint | undefined {
    return this.#values.get(keyOf(quoted));
  }

  async #askOne(quoted: Quoted): Promise<void> {
    const { pool: { id, key, deployment }, refund } = quoted;
    if (this.#silent.has(id) || this.#values.has(keyOf(quoted))) return;
    const { chain, clock, log } = this.#deps;
    try {
      const value = await within(
        PATIENCE_MS,
        { clock, signal: this.#signal },
        (signal) => valueToAttach(chain, deployment.address, refund, { signal }),
      );
      this.#values.set(keyOf(quoted), value);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      if (!this.#silent.has(id)) {
        log.warning("withdrawals of {pool} wait, it gives no quote: {error}", {
          pool: key,
          error: String(error),
        });
      }
      this.#silent.add(id);
    }
  }
}

function keyOf({ pool, refund }: Quoted): string {
  return `${pool.id} ${refund}`;
}
