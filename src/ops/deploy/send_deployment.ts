import { Problem } from "../../core/errors/problem.ts";
import { PREPAID_STORAGE_SECONDS } from "../../core/protocol/pool_constants.ts";
import {
  V2_FIXED_JETTON_SIZE,
  V2_FIXED_SIZE,
  V2_STORAGE_SECONDS,
} from "../../core/protocol/v2/pool_constants.ts";
import { formatUnits } from "../../core/protocol/units.ts";
import type { Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import { SECONDS_PER_YEAR } from "../../ton/pool/pool_funds.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import { discoverWalletMessage, DISCOVERY_VALUE_NANO, probeJettonMasters } from "./jetton_discovery.ts";
import type { DeployOptions } from "./options.ts";
import { trialValue } from "./jetton_trial.ts";
import { isJettonPlan, type PoolPlan } from "./pool_plan.ts";

const MIN_INITIAL_BALANCE_NANO = 2_500_000_000n; // covers every fee of the first deposits
/** Size of a young pool, and how long the deployer pays its storage. */
const PREPAID_STORAGE = { cells: 11_000n, bits: 1_200_000n, seconds: 3n * SECONDS_PER_YEAR };

/** Without keys, with the longest root history: the deployer pays 40 years of storage. */
const JETTON_POOL_STORAGE = { cells: 2_860n, bits: 70_000n, seconds: PREPAID_STORAGE_SECONDS };
/** A version 2 pool never grows, except by deposits that wait. */
const V2_POOL_STORAGE = {
  native: { ...V2_FIXED_SIZE, seconds: V2_STORAGE_SECONDS },
  jetton: { ...V2_FIXED_JETTON_SIZE, seconds: V2_STORAGE_SECONDS },
} as const;
/** The first version whose bounced messages can carry a whole payout. */
const MIN_JETTON_TVM_VERSION = 12;
const GLOBAL_VERSION_PARAM = 8;

export interface PendingPool {
  readonly plan: PoolPlan;
  readonly needsDeploy: boolean;
  readonly needsDiscovery: boolean;
  /** Whether a unit of the jetton is to be moved through the pool. */
  readonly needsTrial: boolean;
}

/** Throws `insufficient_funds`, `deployment_refused`, and the error of `options.confirm`. */
export async function sendDeployment(
  pendingPools: readonly PendingPool[],
  prices: NetworkPrices,
  keys: readonly PoolKeys[],
  options: DeployOptions,
): Promise<void> {
  const { wallet, confirm } = options;
  const toDeploy = pendingPools.filter(({ needsDeploy }) => needsDeploy).map(({ plan }) => plan);
  const awaitingDiscovery = pendingPools.filter(({ needsDiscovery }) => needsDiscovery)
    .map(({ plan }) => plan).filter(isJettonPlan);
  const trials = pendingPools.filter(({ needsTrial }) => needsTrial).length;
  if (toDeploy.length + awaitingDiscovery.length + trials === 0) return;
  if (toDeploy.some(isJettonPlan)) await assertRichBounces(options.chain);
  const balances = toDeploy.map((plan) => initialBalance(plan, prices));
  const needed = balances.reduce((sum, value) => sum + value, 0n) +
    2n * DISCOVERY_VALUE_NANO * BigInt(awaitingDiscovery.length);
  const trial = BigInt(trials) * trialValue(prices);
  const balance = await wallet.balance();
  if (balance <= needed + trial) {
    const text = `wallet ${wallet.format()} holds ${formatUnits(balance)}, ` +
      `the pools need ${formatUnits(needed + trial)} and fees`;
    throw new Problem("insufficient_funds", text);
  }
  const messages = [
    ...toDeploy.map(({ address, init }, i): OutgoingMessage => ({
      to: address,
      init,
      value: balances[i],
      bounce: false,
    })),
    // Messages to one account keep their order.
    ...awaitingDiscovery.map(discoverWalletMessage),
  ];
  if (messages.length > wallet.maxMessages) {
    throw new RangeError(
      `this wallet can send ${wallet.maxMessages} messages at once, the deployment needs more`,
    );
  }
  await confirm?.({
    pools: toDeploy,
    value: needed,
    trial,
    balance,
    keys: [...new Set(keys.map(({ label }) => label))].join("; "),
  });
  if (awaitingDiscovery.length > 0) await probeJettonMasters(awaitingDiscovery, wallet, options);
  if (messages.length > 0) await wallet.send(messages);
}

/** In nano, for storage and the first fees. */
function initialBalance(plan: PoolPlan, prices: NetworkPrices): bigint {
  const version1 = isJettonPlan(plan) ? [PREPAID_STORAGE, JETTON_POOL_STORAGE] : [PREPAID_STORAGE];
  const storage = plan.version === 2 ? [V2_POOL_STORAGE[plan.assetKind]] : version1;
  return storage.map((size) => prices.storageFee(size)).reduce(
    (a, b) => a > b ? a : b,
    MIN_INITIAL_BALANCE_NANO,
  );
}

/** Throws `deployment_refused` if payouts that a jetton wallet refuses would not return whole. */
async function assertRichBounces(chain: Chain): Promise<void> {
  const param = (await chain.configParam(GLOBAL_VERSION_PARAM)).beginParse();
  const version = param.skip(8).loadUint(32);
  if (version >= MIN_JETTON_TVM_VERSION) return;
  throw new Problem(
    "deployment_refused",
    `the network runs version ${version} of TVM; a jetton pool needs ${MIN_JETTON_TVM_VERSION}, whose bounced messages ` +
      "carry the payouts that a jetton wallet refuses",
  );
}
