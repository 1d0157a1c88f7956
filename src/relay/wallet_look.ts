/**
 * The wallet's account as far as an endpoint is believed about it. An answer may be old, of a node that is behind, or
 * untrue: chain time is held against our own clock, and the seqno against a second endpoint where there is one.
 */
import { Problem } from "../core/errors.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet, WalletState } from "../ton/wallet.ts";
import type { Clock } from "./clock.ts";

/** Seconds that chain time and our clock may be apart: more, and one of the two is wrong. */
const MOST_APART = 120;
/** Seconds that a node may be behind the chain. */
const NODE_LAG = 30;
/** For so long after it was seen, milliseconds, a wrong time is told of. */
const TOLD_MS = 60_000;

/** What is looked at, and how. */
export interface WalletLookDeps {
  readonly wallet: Wallet;
  readonly chain: Pick<Chain, "get">;
  readonly clock: Clock;
  /** Whether chain time is the time of day: that of a local network may be moved. */
  readonly realTime: boolean;
  /** Whether get methods are answered by another endpoint than accounts. */
  readonly verified: boolean;
}

/** One look. */
export interface SeenWallet extends WalletState {
  /** Unix seconds that are over by chain time and by our clock too, and on a node that is behind. */
  readonly passed: number;
  /** No transfer that was signed by a believable time may be valid beyond it, unix seconds, but for its own life. */
  readonly believable: number;
}

/** Looks at the wallet. */
export class WalletLook {
  readonly #deps: WalletLookDeps;
  #wrongAt = -Infinity;

  constructor(deps: WalletLookDeps) {
    this.#deps = deps;
  }

  /** Whether the last looks showed a chain time that our clock contradicts. */
  get timeIsWrong(): boolean {
    return this.#deps.clock.now() - this.#wrongAt <= TOLD_MS;
  }

  /** @throws {Problem} `chain_inconsistent` when chain time and our clock are too far apart; what the chain throws */
  async state(): Promise<SeenWallet> {
    const { wallet, clock, realTime } = this.#deps;
    const state = await wallet.state();
    const ours = Math.floor(clock.now() / 1000);
    if (!realTime) return { ...await this.#confirmed(state), passed: state.now, believable: Infinity };
    const apart = state.now - ours;
    if (Math.abs(apart) > MOST_APART) {
      this.#wrongAt = clock.now();
      throw new Problem(
        "chain_inconsistent",
        `the chain endpoint's time is ${Math.abs(apart)} s ${
          apart > 0 ? "ahead of" : "behind"
        } this machine's clock: ` +
          "one of the two is wrong",
      );
    }
    this.#wrongAt = -Infinity;
    return {
      ...await this.#confirmed(state),
      passed: Math.min(state.now, ours - NODE_LAG),
      believable: state.now + 2 * MOST_APART,
    };
  }

  /** With the lower of two seqnos: one that only one endpoint knows is not there yet, or not true. */
  async #confirmed(state: WalletState): Promise<WalletState> {
    const { wallet, chain, verified } = this.#deps;
    if (!verified || state.seqno === 0) return state; // a wallet that was never used has no get methods
    const confirmed = (await chain.get(wallet.address, "seqno")).readNumber();
    return { ...state, seqno: Math.min(state.seqno, confirmed) };
  }
}
