import { Problem } from "../../core/errors/problem.ts";
import { formatNative } from "../../core/protocol/units.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import { initialBalance } from "./endowment.ts";
import { discoverWalletMessage, DISCOVERY_VALUE_NANO, probeJettonMasters } from "./jetton_discovery.ts";
import type { DeployOptions } from "./options.ts";
import { mastersOf, type Trial, trialValue, tryLeastPayout } from "./jetton_trial.ts";
import { isJettonPlan, type PoolPlan } from "./pool_plan.ts";

export interface PendingPool {
  readonly plan: PoolPlan;
  readonly needsDeploy: boolean;
  readonly needsDiscovery: boolean;
  /** Only of a jetton pool. */
  readonly trial?: Trial;
  /** What an existing pool lacks of its initial balance, in nano: someone else deployed it. */
  readonly missing: bigint;
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
  const topUps = pendingPools.filter(({ missing }) => missing > 0n)
    .map(({ plan: { address }, missing: value }) => ({ address, value }));
  const trials = pendingPools.flatMap(({ plan, trial }) =>
    trial?.triesLeastPayout ? [{ plan, movesUnit: trial.movesUnit }] : []
  );
  if (toDeploy.length + topUps.length + awaitingDiscovery.length + trials.length === 0) return;
  const balances = toDeploy.map((plan) => initialBalance(plan, prices));
  const needed = [...balances, ...topUps.map(({ value }) => value)].reduce((sum, value) => sum + value, 0n) +
    2n * DISCOVERY_VALUE_NANO * BigInt(awaitingDiscovery.length);
  const trial = trialValue(trials, prices);
  const balance = await wallet.balance();
  if (balance <= needed + trial) {
    const text = `wallet ${wallet.format()} holds ${formatNative(balance)}, ` +
      `the pools need ${formatNative(needed + trial)} and fees`;
    throw new Problem("insufficient_funds", text);
  }
  const messages = [
    ...toDeploy.map(({ address, init }, i): OutgoingMessage => ({
      to: address,
      init,
      value: balances[i],
      bounce: false,
    })),
    ...topUps.map(({ address: to, value }): OutgoingMessage => ({ to, value, bounce: false })),
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
    topUps,
    value: needed,
    trial,
    movesUnit: trials.some(({ movesUnit }) => movesUnit),
    balance,
    keys: [...new Set(keys.map(({ label }) => label))].join("; "),
  });
  if (awaitingDiscovery.length > 0) await probeJettonMasters(awaitingDiscovery, wallet, options);
  for (const master of mastersOf(trials.map(({ plan }) => plan))) {
    await tryLeastPayout(master, prices, options);
  }
  if (messages.length > 0) await wallet.send(messages);
}
