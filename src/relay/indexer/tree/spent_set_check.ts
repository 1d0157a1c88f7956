/** Compares the spent set of a version 2 pool's stored logs with the one that the pool stores, once after a start. */
import { Problem } from "../../../core/errors/problem.ts";
import type { Chain } from "../../../ton/chain.ts";
import { decodeV2PoolData } from "../../../ton/pool/v2/pool_state.ts";
import type { PoolState } from "../pool_state.ts";

/**
 * Withdrawals carry paths of this set. The check covers what the roots do not: a nullifier hash that is missing, false
 * or out of order in the store.
 */
export class SpentSetCheck {
  #isDone = false;

  /**
   * Waits for a step in which the indexer and the pool know the same withdrawals.
   * @throws {Problem} `chain_inconsistent` if the sets differ
   */
  async run(
    { deployment: { address }, settledTree: tree }: Pick<PoolState, "deployment" | "settledTree">,
    chain: Pick<Chain, "account">,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#isDone || tree === undefined) return;
    const { data } = await chain.account(address, { signal });
    if (data === undefined) return;
    const { withdrawals, spent } = decodeV2PoolData(data);
    if (withdrawals !== tree.paymentCount) return;
    if (!spent.equals(tree.spent.table())) {
      throw new Problem("chain_inconsistent", `the ${withdrawals} stored withdrawals are not the pool's`, {
        hint: "Run `tonado store check`.",
      });
    }
    this.#isDone = true;
  }
}
