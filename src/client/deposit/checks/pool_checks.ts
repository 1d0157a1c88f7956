/** Checks of a pool before money is sent to it, which no later step can undo. */
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { MAX_QUEUED, MAX_QUEUED_JETTON } from "../../../core/protocol/v2/pool_constants.ts";
import type { AccountInfo, Chain } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { assertNoStorageDebt } from "../../../ton/pool/storage_debt.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { MatchedPool } from "../../notes/pool_match.ts";

/** Returns whether the contract is a pool of this build. The code hash alone is not enough: it could have forged roots. */
export async function isPoolOfBuild(chain: Chain, deployment: Deployment): Promise<boolean> {
  const { deploymentMatchesBuild } = await import("../../../ton/pool/state_init.ts"); // with the contracts' code
  const { code } = await chain.account(deployment.address);
  return deploymentMatchesBuild(deployment) && code?.hash().toString("hex") === deployment.codeHash;
}

/** Throws `wrong_pool` if the pool's jetton wallet is not the one that the list of pools names. */
export function assertListedWallet(
  { jettonWallet: listed }: Deployment,
  { info: { jettonWallet } }: Pick<MatchedPool, "info">,
): void {
  if (listed !== undefined && jettonWallet !== null && !jettonWallet.equals(listed)) {
    throw new Problem(
      "wrong_pool",
      `its jetton wallet is ${jettonWallet}, and the list of pools names ${listed}`,
    );
  }
}

/**
 * Throws `tree_full`, or `pool_closed` while the pool refuses every deposit, or owes storage.
 * @param account of the pool, if it was read already
 */
export async function assertOpen(
  pool: AnyPool,
  { account, signal }: { readonly account?: AccountInfo; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { assetKind, paused, deposits, capacity } = await pool.getPoolInfo({ signal });
  if (deposits >= capacity) throw new Problem("tree_full");
  if (paused) throw new Problem("pool_closed", "its owner has paused deposits");
  if (assetKind === "native") {
    await assertNoStorageDebt(pool.chain, pool.address, account ?? await pool.chain.account(pool.address), {
      signal,
      code: "pool_closed",
    });
  }
  if (!(pool instanceof V2Pool)) return;
  const waiting = deposits - await pool.getSettled({ signal });
  if (waiting >= (assetKind === "native" ? MAX_QUEUED : MAX_QUEUED_JETTON)) {
    throw new Problem("pool_closed", "too many deposits wait for their settlement");
  }
}
