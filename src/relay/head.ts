/**
 * Whether the endpoint's chain goes on. An endpoint that stands still contradicts nothing: it shows the same moment for
 * ever, and whoever believes it serves an old tree and waits in vain.
 */
import type { Chain } from "../ton/chain.ts";
import type { Clock } from "./clock.ts";
import type { Pace } from "./pace.ts";

/** The newest block of the endpoint, as far as it was looked at. */
export class Head {
  readonly #patience: number;
  #seqno = -1;
  #movedAt = 0;
  #seenAt = 0;

  /** @param patience milliseconds of answers that show no newer block after which it counts as standing still */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** The endpoint answered with this block at `now`, unix milliseconds. */
  seen(seqno: number, now: number): void {
    if (seqno > this.#seqno) [this.#seqno, this.#movedAt] = [seqno, now];
    this.#seenAt = now;
  }

  /** As of the last answer: an endpoint that gives none is not said to stand still. */
  get standsStill(): boolean {
    return this.#seenAt - this.#movedAt > this.#patience;
  }
}

/** Looks at the head until `signal` aborts. */
export async function watchHead(
  head: Head,
  { chain, clock, pace }: { chain: Pick<Chain, "masterchainSeqno">; clock: Clock; pace: Pace },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      head.seen(await chain.masterchainSeqno({ signal }), clock.now());
    } catch {
      // An endpoint that does not answer is the indexer's to tell of.
    }
    await clock.sleep(pace.head, signal);
  }
}
