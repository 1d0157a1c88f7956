/** Whether the contract at a registered address is the one that the registry describes and our proofs fit. */
import type { Deployment } from "../core/deployments.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";

/**
 * Compares a pool with its registry entry and with our verification keys.
 *
 * @param vkeyHash of this build's verification keys
 * @returns what differs; undefined when nothing does
 * @throws {Problem} `chain_unavailable` and the like: then nothing is known
 */
export async function poolMismatch(
  chain: Chain,
  deployment: Deployment,
  vkeyHash: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (deployment.vkeyHash !== vkeyHash) {
    return `it was deployed for other verification keys (${deployment.vkeyHash}) than this build's (${vkeyHash})`;
  }
  const { state, code } = await chain.account(deployment.address, { signal });
  if (state !== "active" || !code) return `its account is ${state}`;
  const codeHash = code.hash().toString("hex");
  if (codeHash !== deployment.codeHash) return `its code is ${codeHash}, not ${deployment.codeHash}`;
  const denomination = await new Pool(chain, deployment.address).getDenomination({ signal });
  if (denomination !== deployment.denomination) {
    return `its denomination is ${denomination}, not ${deployment.denomination}`;
  }
  return undefined;
}
