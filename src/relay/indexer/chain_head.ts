/** Detects a stalled endpoint. Its answers are consistent, so the relayer would otherwise serve an old tree. */
import type { Chain } from "../../ton/chain.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { PollingIntervals } from "../polling_intervals.ts";

const MAX_REMEMBERED_SEQNOS = 16;

export class ChainHead {
  readonly #seqnos: number[] = [];
  #advancedAt = 0;
  #observedAt = 0;

  /** @param stallTimeoutMs milliseconds without a newer block until the endpoint counts as stalled */
  constructor(private readonly stallTimeoutMs: number) {}

  /** `now` in Unix milliseconds. */
  observe(seqno: number, now: number): void {
    if (this.#isAdvance(seqno)) this.#advancedAt = now;
    this.#observedAt = now;
    this.#seqnos.push(seqno);
    if (this.#seqnos.length > MAX_REMEMBERED_SEQNOS) this.#seqnos.shift();
  }

  /** State at the last response: an endpoint that does not respond is not stalled. */
  get isStalled(): boolean {
    return this.#observedAt - this.#advancedAt > this.stallTimeoutMs;
  }

  /** True for the highest seqno so far. Three rising ones in a row also count: then the highest was false. */
  #isAdvance(seqno: number): boolean {
    const answers = this.#seqnos;
    if (answers.every((other) => other < seqno)) return true;
    const [first = Infinity, second = Infinity] = answers.slice(-2);
    return first < second && second < seqno && !answers.includes(seqno);
  }
}

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
