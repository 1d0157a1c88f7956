/** The chain's prices, remembered for a while: they change by a vote of the validators, rarely and announced. */
import type { Chain } from "../ton/chain.ts";
import { type Prices, readPrices } from "../ton/prices.ts";
import type { Clock } from "./clock.ts";
import { Fresh } from "./fresh.ts";

const KEPT_MS = 600_000;

/** Prices of one chain. */
export class PriceList {
  readonly #chain: Chain;
  readonly #prices: Fresh<Prices>;

  constructor(chain: Chain, clock: Clock) {
    this.#chain = chain;
    this.#prices = new Fresh(clock, { ms: KEPT_MS });
  }

  /** Prices that were in force ten minutes ago at the earliest. @throws {Problem} `chain_unavailable` and the like, `overloaded` */
  current(): Promise<Prices> {
    return this.#prices.get("prices", () => readPrices(this.#chain, { patient: true }));
  }
}
