/**
 * Detects a chain endpoint that has stopped advancing. Such an endpoint is consistent, so without this check the
 * relayer would serve an old tree.
 */
import type { Chain } from "../../ton/chain.ts";
import { type Clock } from "../../core/time.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

const MAX_REMEMBERED_SEQNOS = 16;

/** The chain head as the endpoint reports it. */
export class ChainHead {
  readonly #stallTimeoutMs: number;
  /** The last seqnos, newest last. */
  readonly #seqnos: number[] = [];
  #advancedAt = 0;
  #observedAt = 0;

  /** @param patience milliseconds without a newer block after which the endpoint counts as stalled */
  constructor(patience: number) {
    this.#stallTimeoutMs = patience;
  }

  /** Records the endpoint's newest block at `now`, unix milliseconds. */
  observe(seqno: number, now: number): void {
    if (this.#isAdvance(seqno)) this.#advancedAt = now;
    this.#observedAt = now;
    this.#seqnos.push(seqno);
    if (this.#seqnos.length > MAX_REMEMBERED_SEQNOS) this.#seqnos.shift();
  }

  /** As of the last answer: an endpoint that does not answer is not stalled. */
  get isStalled(): boolean {
    return this.#observedAt - this.#advancedAt > this.#stallTimeoutMs;
  }

  /**
   * Returns whether the block is above all others, or the third rising one in a row with a new seqno: then the
   * highest one was false. Stalled nodes repeat the same few blocks, so they never count as an advance.
   */
  #isAdvance(seqno: number): boolean {
    const answers = this.#seqnos;
    if (answers.every((other) => other < seqno)) return true;
    const [first = Infinity, second = Infinity] = answers.slice(-2);
    return first < second && second < seqno && !answers.includes(seqno);
  }
}

/** Polls the chain head until `signal` aborts. */
export async function watchChainHead(
  head: ChainHead,
  { chain, clock, intervals }: {
    chain: Pick<Chain, "masterchainSeqno">;
    clock: Clock;
    intervals: PollingIntervals;
  },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      head.observe(await chain.masterchainSeqno({ signal }), clock.now());
    } catch {
      // The indexer reports endpoint failures.
    }
    await clock.sleep(intervals.chainHeadPollMs, signal);
  }
}
