/** Computes how many withdrawals a jetton pool still accepts: it refuses those whose claims may not fit. */
import { MAX_OPEN_CLAIMS } from "../../core/protocol/pool_constants.ts";

interface ClaimsRead {
  readonly at: number; // Unix milliseconds at the start of the read
  readonly claims: number;
  readonly withdrawals: number;
}

/** Returns how many withdrawals a jetton pool with these open claims accepts. Each may add two claims. */
export function payoutRoom(openClaims: number): number {
  return Math.max(0, Math.floor((MAX_OPEN_CLAIMS - openClaims) / 2));
}

export class ClaimRoom {
  #last: ClaimsRead | undefined;
  /** An earlier read: the payouts of all withdrawals that it counted have finished since. */
  #ended: ClaimsRead | undefined;

  get openClaims(): number {
    return this.#last?.claims ?? 0;
  }

  /** `payoutMs`: the longest time until a refused payout becomes a claim. */
  update(read: ClaimsRead, payoutMs: number): void {
    const previous = this.#last;
    if (previous !== undefined && read.at - previous.at >= payoutMs) this.#ended = previous;
    this.#ended ??= read;
    this.#last = read;
  }

  /** Counts withdrawals whose payouts may still become claims that the last read does not include. */
  uncounted(withdrawals: number): number {
    const { withdrawals: ended = 0 } = this.#ended ?? {};
    return Math.max(0, Math.max(withdrawals, this.#last?.withdrawals ?? 0) - ended);
  }

  /** Returns how many more withdrawals the pool accepts even if all payouts under way are refused. */
  left(withdrawals: number): number {
    if (this.#last === undefined) return 0;
    return Math.max(0, payoutRoom(this.#last.claims) - this.uncounted(withdrawals));
  }
}
