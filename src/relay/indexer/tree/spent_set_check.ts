/** Compares the spent set of a version 2 pool's stored logs with the one that the pool stores, once after a start. */
import { Problem } from "../../../core/errors/problem.ts";
import type { Chain } from "../../../ton/chain.ts";
import { decodeV2PoolData } from "../../../ton/pool/v2/pool_state.ts";
import type { PoolState } from "../pool_state.ts";

/** Finds what the roots do not prove: a stored nullifier hash that is missing, false or out of order. */
export class SpentSetCheck {
  #isDone = false;

  /** Waits until both know the same withdrawals. Throws `chain_inconsistent` if the sets differ. */
  async run(
    { deployment: { address }, settledPool: tree }: Pick<PoolState, "deployment" | "settledPool">,
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
