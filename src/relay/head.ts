/**
 * Whether the endpoint's chain goes on. An endpoint that stands still contradicts nothing: it shows the same moment for
 * ever, and whoever believes it serves an old tree and waits in vain.
 */
import type { Chain } from "../ton/chain.ts";
import type { Clock } from "./clock.ts";
import type { Pace } from "./pace.ts";

/** Answers that are remembered. */
const MEMORY = 16;

/** The head of the endpoint, as far as it was looked at. */
export class Head {
  readonly #patience: number;
  /** The last answers, newest last. */
  readonly #answers: number[] = [];
  #movedAt = 0;
  #seenAt = 0;

  /** @param patience milliseconds of answers that show no newer block after which it counts as standing still */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** The endpoint answered with this block at `now`, unix milliseconds. */
  seen(seqno: number, now: number): void {
    if (this.#moves(seqno)) this.#movedAt = now;
    this.#seenAt = now;
    this.#answers.push(seqno);
    if (this.#answers.length > MEMORY) this.#answers.shift();
  }

  /** As of the last answer: an endpoint that gives none is not said to stand still. */
  get standsStill(): boolean {
    return this.#seenAt - this.#movedAt > this.#patience;
  }

  /**
   * Whether that is a block above all others; or the third in a row that goes up, and none of those seen before: then
   * the one above was an untruth, for nodes that are behind and stand still show the same few blocks again and again.
   */
  #moves(seqno: number): boolean {
    const answers = this.#answers;
    if (answers.every((other) => other < seqno)) return true;
    const [first = Infinity, second = Infinity] = answers.slice(-2);
    return first < second && second < seqno && !answers.includes(seqno);
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
