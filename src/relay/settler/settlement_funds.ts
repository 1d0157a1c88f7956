/** Whether the wallet can pay for a settlement. The wallet skips, without an error, a message that it cannot pay. */
import { formatNative } from "../../core/protocol/units.ts";
import type { Log } from "../../telemetry/log.ts";
import type { CallOptions } from "../../ton/chain.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { WalletBalance } from "../wallet/balance.ts";

export class SettlementFunds {
  readonly #reported = new Set<string>();

  constructor(
    private readonly balance: Pick<WalletBalance, "current" | "thresholds">,
    private readonly log: Log,
  ) {}

  /** Returns whether `nano` can be spent without going below the stop balance. Logs changes, by pool. */
  async cover(nano: bigint, { key }: Pick<PoolState, "key">, options: CallOptions): Promise<boolean> {
    const needed = this.balance.thresholds.stop + nano;
    const balance = await this.balance.current(options);
    if (balance >= needed) {
      if (this.#reported.delete(key)) {
        this.log.info("the wallet can pay settlements of {pool} again", { pool: key });
      }
      return true;
    }
    if (!this.#reported.has(key)) {
      this.#reported.add(key);
      this.log.warning("{pool} is not settled: the wallet holds {balance}, which must be {needed}; fund it", {
        pool: key,
        balance: formatNative(balance),
        needed: formatNative(needed),
      });
    }
    return false;
  }
}
