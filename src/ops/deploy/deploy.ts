/** An address commits to code, denomination, owner and generation, so a second run does not pay again. */
import type { Address } from "@ton/core";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { loadPoolCode } from "../../ton/pool/state_init.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { fetchNetworkPrices, type NetworkPrices } from "../../ton/network_prices.ts";
import { seqnoOfFirstTransaction } from "./deployed_seqno.ts";
import { waitForJettonWallet } from "./jetton_discovery.ts";
import { moveUnit, planTrial } from "./jetton_trial.ts";
import { checkPoolKeys, type PoolKeys } from "../keys/pool_keys.ts";
import { type DeployOptions, waitForChain } from "./options.ts";
import { missingEndowment } from "./endowment.ts";
import { isJettonPlan, planPool, type PoolPlan, type PoolSpec } from "./pool_plan.ts";
import { jettonWithdrawalCost, PROPOSED_REFUND_NANO, proposeTerms } from "./proposed_terms.ts";
import {
  assertSafeToDeploy,
  checkDenomination,
  listedPools,
  warnIfPredecessorNotFull,
} from "./safety_checks.ts";
import { type PendingPool, sendDeployment } from "./send_deployment.ts";

export type { DeployOptions, DeployOrder, TrialOutcome } from "./options.ts";
export type { PoolSpec } from "./pool_plan.ts";

export async function deployPool(
  { asset, amount, generation, version, owner, jetton, ...options }: DeployOptions & PoolSpec,
): Promise<Deployment> {
  const [deployment] = await deployPools({
    ...options,
    pools: [{ asset, amount, generation, version, owner, jetton }],
  });
  return deployment;
}

/**
 * Throws `invalid_amount`, `artifact_corrupted`, `insufficient_funds` or `deployment_refused` before it
 * sends; afterwards `chain_inconsistent`, `chain_unavailable`, or `deployment_refused` for a failed trial.
 */
export async function deployPools(
  { pools, ...options }: DeployOptions & { pools: readonly PoolSpec[] },
): Promise<Deployment[]> {
  const { chain } = options;
  const prices = await fetchNetworkPrices(chain);
  const plans = pools.map((spec) => withTerms(planPool(spec), prices, options));
  for (const plan of plans) checkDenomination(plan, prices, options);
  const keys = await loadPoolKeys(plans, options);
  await assertSafeToDeploy(plans, keys, options);
  for (const plan of plans) await warnIfPredecessorNotFull(plan, options);

  const pendingPools: PendingPool[] = [];
  for (const plan of plans) pendingPools.push(await pendingStepsOf(plan, prices, options));
  // Read first: no transaction of a new pool can be older.
  const seqno = await chain.masterchainSeqno(options);
  await sendDeployment(pendingPools, prices, keys, options);

  const deployments = [];
  for (const { plan, needsDeploy, trial, missing } of pendingPools) {
    await waitUntilActive(plan.address, options);
    if (missing > 0n) await waitUntilEndowed(plan, prices, options);
    await verifyDeployedPool(plan, options);
    const jettonWallet = isJettonPlan(plan) ? await waitForJettonWallet(plan, options) : undefined;
    if (isJettonPlan(plan) && trial) {
      if (trial.movesUnit) await moveUnit(plan, prices, options);
      options.onTrial?.(trial.outcome);
    }
    deployments.push({
      address: plan.address,
      asset: plan.asset,
      amount: plan.amount,
      ...plan.generation ? { generation: plan.generation } : {},
      ...plan.version === 2 ? { version: plan.version } : {},
      denomination: plan.denomination,
      deployedSeqno: needsDeploy ? seqno : await deployedSeqnoOf(plan, options),
      ...codeHashesOf(plan),
      owner: plan.owner,
      ...isJettonPlan(plan) && {
        jettonMaster: plan.jetton.master,
        jettonWallet,
        decimals: plan.jetton.decimals,
        ...plan.terms,
      },
    });
  }
  return deployments;
}

function withTerms(plan: PoolPlan, prices: NetworkPrices, options: DeployOptions): PoolPlan {
  if (!isJettonPlan(plan) || listedPools(options)?.get(poolKey(plan))?.feeMin !== undefined) return plan;
  const { jetton: { nativePrice }, denomination } = plan;
  if (nativePrice !== undefined) {
    return { ...plan, terms: proposeTerms(prices, { nativePrice, denomination }) };
  }
  if (options.network !== "localnet") {
    options.onWarning?.(
      `without --native-price no terms are proposed, and relayers do not serve the pool until its registry entry has a ` +
        `feeMin: a withdrawal with a refund of ${formatNative(PROPOSED_REFUND_NANO)} costs about ` +
        `${formatNative(jettonWithdrawalCost(prices))}`,
    );
  }
  return plan;
}

async function pendingStepsOf(
  plan: PoolPlan,
  prices: NetworkPrices,
  options: DeployOptions,
): Promise<PendingPool> {
  const { chain } = options;
  const account = await chain.account(plan.address, options);
  const needsDeploy = account.state !== "active";
  const listed = listedPools(options)?.get(poolKey(plan)) !== undefined;
  const missing = needsDeploy || listed
    ? 0n
    : await missingEndowment(plan, account, { chain, prices }, options);
  if (!isJettonPlan(plan)) return { plan, needsDeploy, missing, needsDiscovery: false };
  const trial = await planTrial(plan, { exists: !needsDeploy, listed }, options);
  const needsDiscovery = needsDeploy ||
    (await new PoolGetters(chain, plan.address).getPoolInfo(options)).jettonWallet === null;
  return { plan, needsDeploy, missing, needsDiscovery, trial };
}

function codeHashesOf({ kind }: PoolPlan) {
  const { codeHash, vkeyHash } = loadPoolCode(kind);
  return { codeHash, vkeyHash };
}

async function deployedSeqnoOf(plan: PoolPlan, options: DeployOptions): Promise<number> {
  const listed = listedPools(options)?.get(poolKey(plan));
  if (listed?.address.equals(plan.address)) return listed.deployedSeqno;
  return await seqnoOfFirstTransaction(options.chain, plan.address, { signal: options.signal });
}

async function loadPoolKeys(plans: readonly PoolPlan[], { artifacts }: DeployOptions): Promise<PoolKeys[]> {
  const keys = new Map<PoolPlan["version"], PoolKeys>();
  for (const { kind, version, init } of plans) {
    keys.set(version, await checkPoolKeys(artifacts, { ...loadPoolCode(kind), code: init.code }));
  }
  return [...keys.values()];
}

async function waitUntilActive(address: Address, options: DeployOptions): Promise<void> {
  const { chain } = options;
  const isActive = async () => (await chain.account(address, options)).state === "active";
  if (await waitForChain(isActive, options)) return;
  throw new Problem(
    "chain_unavailable",
    `pool ${
      formatAddress(address, chain.network)
    } did not appear in time; run the command again to check for it`,
  );
}

/** A pool that a stranger deployed must not be registered before it can pay for its storage. */
async function waitUntilEndowed(
  plan: PoolPlan,
  prices: NetworkPrices,
  options: DeployOptions,
): Promise<void> {
  const { chain } = options;
  const isEndowed = async () => {
    const account = await chain.account(plan.address, options);
    return await missingEndowment(plan, account, { chain, prices }, options) === 0n;
  };
  if (await waitForChain(isEndowed, options)) return;
  throw new Problem(
    "chain_unavailable",
    `the coins for the storage of pool ${
      formatAddress(plan.address, chain.network)
    } did not arrive in time; run the command again to check for them`,
  );
}

async function verifyDeployedPool(
  { kind, assetKind, version, address, denomination, owner, jetton }: PoolPlan,
  { chain }: DeployOptions,
) {
  const { code } = await chain.account(address);
  const pool = new PoolGetters(chain, address);
  const info = await pool.getPoolInfo();
  const sameOwner = owner ? info.owner?.equals(owner) === true : info.owner === null;
  const sameMaster = !jetton || info.jettonMaster?.equals(jetton.master) === true;
  const differences = [
    code?.hash().toString("hex") === loadPoolCode(kind).codeHash ? "" : "code",
    await pool.getDenomination() === denomination ? "" : "denomination",
    info.assetKind === assetKind ? "" : "asset",
    info.version === version ? "" : "version",
    sameMaster ? "" : "jetton",
    sameOwner ? "" : "owner",
  ].filter((what) => what !== "");
  if (differences.length > 0) {
    throw new Problem(
      "chain_inconsistent",
      `pool ${formatAddress(address, chain.network)} on chain has another ${differences.join(", ")}`,
    );
  }
}
