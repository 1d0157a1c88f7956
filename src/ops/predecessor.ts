/** What a successor should know of the pool before it. It sends nothing. */
import { shownAddress } from "../core/shown_address.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { NEARLY_FULL } from "./audit_checks.ts";
import { planPool, type PoolPlan } from "./pool_plan.ts";

/**
 * Warns of a successor that comes too early: notes hide among those of their own pool only, so two pools that both take
 * deposits divide the crowd.
 */
export async function warnOfPredecessor(
  plan: PoolPlan,
  { chain, warn, signal }: { chain: Chain; warn?: (text: string) => void; signal?: AbortSignal },
): Promise<void> {
  if (!plan.generation || !warn) return;
  const generation = plan.generation - 1;
  const { address } = planPool({ ...plan, generation });
  if ((await chain.account(address, { signal })).state !== "active") {
    return warn(`there is no pool of generation ${generation} of this build's code and that owner`);
  }
  const { deposits, capacity } = await new Pool(chain, address).getPoolInfo({ signal });
  if (deposits >= NEARLY_FULL * capacity) return;
  warn(
    `generation ${generation}, ${
      shownAddress(address, chain.network)
    }, has taken ${deposits} of ${capacity} deposits: ` +
      "two pools that take deposits divide the crowd that a note hides in",
  );
}
