import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { Chain } from "../../../ton/chain.ts";

/**
 * Throws `wrong_pool` for a contract that is not a pool of this build. The code hash alone is not enough: a pool
 * could have the roots of forged deposits.
 */
export async function assertGenuine(chain: Chain, deployment: Deployment): Promise<void> {
  const { deploymentMatchesBuild } = await import("../../../ton/pool/state_init.ts"); // with the contracts' code
  const { code } = await chain.account(deployment.address);
  const isGenuine = deploymentMatchesBuild(deployment) &&
    code?.hash().toString("hex") === deployment.codeHash;
  if (!isGenuine) throw new Problem("wrong_pool", "the contract is not a pool of this app's release");
}
