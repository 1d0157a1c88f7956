/** Fetches the pools' quotes. A pool that times out is not queried again, so that it does not delay others. */
import type { PoolId } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import { withDeadline } from "../../core/time/deadline.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { computeAttachedValue } from "../withdrawals/policy.ts";

const QUOTE_TIMEOUT_MS = 10_000;
/** Below the endpoint's limit, because indexing continues. */
const MAX_CONCURRENT_QUOTES = 4;

/** `refund` in nano. */
interface QuoteRequest {
  readonly pool: PoolState;
  readonly refund: bigint;
}

interface QuotesDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly log: Log;
}

export class Quotes {
  readonly #values = new Map<string, bigint>();
  readonly #unresponsivePools = new Set<PoolId>();

  constructor(private readonly deps: QuotesDeps, private readonly signal: AbortSignal) {}

  /** Rejects only if the signal aborts. */
  async fetchAll(wanted: readonly QuoteRequest[]): Promise<void> {
    const open = new Map(wanted.map((quoted) => [quoteKey(quoted), quoted])).values();
    const fetchNext = async () => {
      for (const quoted of open) await this.#fetchOne(quoted); // workers share one iterator
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_QUOTES }, fetchNext));
  }

  get(quoted: QuoteRequest): bigint | undefined {
    return this.#values.get(quoteKey(quoted));
  }

  async #fetchOne(quoted: QuoteRequest): Promise<void> {
    const { pool: { id, key, deployment }, refund } = quoted;
    if (this.#unresponsivePools.has(id) || this.#values.has(quoteKey(quoted))) return;
    const { chain, clock, log } = this.deps;
    try {
      const quote = await withDeadline(
        QUOTE_TIMEOUT_MS,
        {
          clock,
          signal: this.signal,
          onTimeout: () => new Problem("chain_unavailable", "no response in time"),
        },
        (signal) => new Pool(chain, deployment.address).getWithdrawValue(refund, { signal }),
      );
      this.#values.set(quoteKey(quoted), computeAttachedValue(quote));
    } catch (error) {
      if (this.signal.aborted) throw error;
      if (!this.#unresponsivePools.has(id)) {
        log.warning("withdrawals of {pool} wait because the pool gives no quote: {error}", {
          pool: key,
          error: String(error),
        });
      }
      this.#unresponsivePools.add(id);
    }
  }
}

function quoteKey({ pool, refund }: QuoteRequest): string {
  return `${pool.id} ${refund}`;
}
