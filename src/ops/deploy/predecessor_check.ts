import { formatAddress } from "../../core/text/address_format.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { NEARLY_FULL_RATIO } from "../audit/audit_checks.ts";
import type { DeployOptions } from "./options.ts";
import { planPool, type PoolPlan } from "./pool_plan.ts";

/** Warns if a successor is deployed too early: two pools that accept deposits split the anonymity set. */
export async function warnIfPredecessorNotFull(
  plan: PoolPlan,
  { chain, onWarning, signal }: Pick<DeployOptions, "chain" | "onWarning" | "signal">,
): Promise<void> {
  if (!plan.generation || !onWarning) return;
  const generation = plan.generation - 1;
  const { address } = planPool({ ...plan, generation });
  if ((await chain.account(address, { signal })).state !== "active") {
    return onWarning(`there is no pool of generation ${generation} with this build's code and this owner`);
  }
  const { deposits, capacity } = await new PoolGetters(chain, address).getPoolInfo({ signal });
  if (deposits >= NEARLY_FULL_RATIO * capacity) return;
  onWarning(
    `generation ${generation}, ${formatAddress(address, chain.network)}, has ${deposits} of ${capacity} ` +
      "deposits: two pools that accept deposits split the set of notes that a note hides in",
  );
}
