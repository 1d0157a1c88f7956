/** Reads the wallet, and checks responses: chain time against our clock, seqnos against a second endpoint. */
import { Problem } from "../../core/errors/problem.ts";
import type { Chain } from "../../ton/chain.ts";
import type { Wallet, WalletState } from "../../ton/wallet/wallet.ts";
import type { Clock } from "../../core/time/clock.ts";

const MAX_CLOCK_SKEW_SECONDS = 120;
const MAX_NODE_LAG_SECONDS = 30;
const CLOCK_SKEW_REPORT_MS = 60_000;

interface WalletMonitorDeps {
  readonly wallet: Wallet;
  readonly chain: Pick<Chain, "runGetMethod">;
  readonly clock: Clock;
  readonly usesWallClock: boolean; // a local network's chain time may be shifted
  /** Whether get methods and accounts use different endpoints. */
  readonly hasSecondEndpoint: boolean;
}

export interface ObservedWallet extends WalletState {
  /** Unix seconds that have certainly passed on chain, even if a node is behind or our clock is fast. */
  readonly elapsedUntil: number;
  readonly maxPlausibleTime: number; // latest plausible signing time in Unix seconds
}

export class WalletMonitor {
  #skewSeenAt = -Infinity;

  constructor(private readonly deps: WalletMonitorDeps) {}

  get hasClockSkew(): boolean {
    return this.deps.clock.now() - this.#skewSeenAt <= CLOCK_SKEW_REPORT_MS;
  }

  /** Throws `chain_inconsistent` if chain time and our clock differ too much. */
  async observe(): Promise<ObservedWallet> {
    const { wallet, clock, usesWallClock: realTime } = this.deps;
    const state = await wallet.state();
    const ours = Math.floor(clock.now() / 1000);
    if (!realTime) {
      return {
        ...await this.#withConfirmedSeqno(state),
        elapsedUntil: state.now,
        maxPlausibleTime: Infinity,
      };
    }
    const apart = state.now - ours;
    if (Math.abs(apart) > MAX_CLOCK_SKEW_SECONDS) {
      this.#skewSeenAt = clock.now();
      throw new Problem(
        "chain_inconsistent",
        `the chain endpoint's time is ${Math.abs(apart)} s ${
          apart > 0 ? "ahead of" : "behind"
        } this machine's clock: ` +
          "one of the two is wrong",
      );
    }
    this.#skewSeenAt = -Infinity;
    return {
      ...await this.#withConfirmedSeqno(state),
      elapsedUntil: Math.min(state.now, ours - MAX_NODE_LAG_SECONDS),
      maxPlausibleTime: state.now + 2 * MAX_CLOCK_SKEW_SECONDS,
    };
  }

  /** Uses the lower of two seqnos: a higher one that only one endpoint reports is premature or false. */
  async #withConfirmedSeqno(state: WalletState): Promise<WalletState> {
    const { wallet, chain, hasSecondEndpoint: verified } = this.deps;
    if (!verified || state.seqno === 0) return state; // a wallet that was never used has no get methods
    const confirmed = (await chain.runGetMethod(wallet.address, "seqno")).readNumber();
    return { ...state, seqno: Math.min(state.seqno, confirmed) };
  }
}
