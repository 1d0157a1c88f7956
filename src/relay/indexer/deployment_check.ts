/** Compares a pool on chain with its entry in the registry. */
import type { Deployment, PoolVersion } from "../../core/protocol/deployments.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchJettonWalletAddress } from "../../ton/jetton/jetton.ts";
import { Pool } from "../../ton/pool/pool.ts";

export type VkeyHashes = Readonly<Partial<Record<PoolVersion, string>>>;

/** Returns undefined if the pool matches. Throws `chain_unavailable` and similar if this is unknown. */
export async function findDeploymentMismatch(
  chain: Chain,
  deployment: Deployment,
  vkeyHashes: VkeyHashes,
  signal: AbortSignal,
): Promise<string | undefined> {
  const vkeyHash = vkeyHashes[deployment.version ?? 1];
  if (deployment.vkeyHash !== vkeyHash) {
    return `it was deployed for other verification keys (${deployment.vkeyHash}) than this build's (${vkeyHash})`;
  }
  const { state, code } = await chain.account(deployment.address, { signal });
  if (state !== "active" || !code) return `its account is ${state}`;
  const codeHash = code.hash().toString("hex");
  if (codeHash !== deployment.codeHash) return `its code is ${codeHash}, not ${deployment.codeHash}`;
  const pool = new Pool(chain, deployment.address);
  const denomination = await pool.getDenomination({ signal });
  if (denomination !== deployment.denomination) {
    return `its denomination is ${denomination}, not ${deployment.denomination}`;
  }
  return await findAssetMismatch(pool, deployment, signal);
}

/** A jetton pool must use the registered jetton wallet, and its master must confirm that wallet. */
async function findAssetMismatch(
  pool: Pool,
  { asset, jettonMaster, jettonWallet, version: registeredVersion }: Deployment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const info = await pool.getPoolInfo({ signal });
  const version = registeredVersion ?? 1;
  if (info.version !== version) return `it is of version ${info.version}, not ${version}`;
  const kind = asset === "native" ? "native" : "jetton";
  if (info.assetKind !== kind) return `it holds ${info.assetKind}, not ${asset}`;
  if (kind === "native") return undefined;
  if (!jettonMaster || !info.jettonMaster?.equals(jettonMaster)) {
    return `its jetton is ${info.jettonMaster}, not ${jettonMaster}`;
  }
  if (!jettonWallet || !info.jettonWallet?.equals(jettonWallet)) {
    return `its jetton wallet is ${info.jettonWallet ?? "not discovered"}, not ${jettonWallet}`;
  }
  const given = await fetchJettonWalletAddress(pool.chain, jettonMaster, pool.address, { signal });
  return given.equals(jettonWallet) ? undefined : `its master gives it another jetton wallet, ${given}`;
}
