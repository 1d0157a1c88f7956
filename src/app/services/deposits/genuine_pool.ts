import { isPoolOfBuild } from "../../../client/deposit/checks/pool_checks.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { Chain } from "../../../ton/chain.ts";

/** Throws `wrong_pool` for a contract that is not a pool of this build. */
export async function assertGenuine(chain: Chain, deployment: Deployment): Promise<void> {
  if (await isPoolOfBuild(chain, deployment)) return;
  throw new Problem("wrong_pool", "the contract is not a pool of this app's release");
}
