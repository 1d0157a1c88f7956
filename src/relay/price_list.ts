/** The chain's prices, remembered for a while: they change by a vote of the validators, rarely and announced. */
import type { Chain } from "../ton/chain.ts";
import { type Prices, readPrices } from "../ton/prices.ts";
import type { Clock } from "./clock.ts";

const KEPT_MS = 600_000;

/** Prices of one chain. */
export class PriceList {
  readonly #chain: Chain;
  readonly #clock: Clock;
  #known: { readonly prices: Promise<Prices>; readonly at: number } | undefined;

  constructor(chain: Chain, clock: Clock) {
    this.#chain = chain;
    this.#clock = clock;
  }

  /** Prices that were in force ten minutes ago at the earliest. */
  current(): Promise<Prices> {
    const now = this.#clock.now();
    if (this.#known === undefined || now - this.#known.at > KEPT_MS) {
      const prices = readPrices(this.#chain);
      this.#known = { prices, at: now };
      prices.catch(() => this.#known = undefined); // asked again by the next one
    }
    return this.#known.prices;
  }
}
