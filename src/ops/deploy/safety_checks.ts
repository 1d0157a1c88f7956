import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import { networkGlobalId } from "../../core/protocol/network.ts";
import { GAS_HIGHEST_PATH } from "../../core/protocol/pool_constants.ts";
import { V2_GAS_HIGHEST_PATH } from "../../core/protocol/v2/pool_constants.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { openArtifacts } from "../../prover/artifacts.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { fetchNetworkVersion, MIN_NETWORK_VERSION } from "../../ton/network_version.ts";
import { findPinnedKeysFault } from "../keys/pinned_keys.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { NEARLY_FULL_RATIO } from "../audit/audit_checks.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import { findJettonFaults } from "./jetton_discovery.ts";
import type { DeployOptions } from "./options.ts";
import { isJettonPlan, planPool, type PoolPlan } from "./pool_plan.ts";

/** Minimum ratio of a denomination to the gas fee of the most expensive withdrawal. */
const MIN_GAS_FEES_PER_NOTE = 36n;
const GLOBAL_ID_PARAM = 19;

/** Jetton pools are exempt: fees are paid in coins. Throws `invalid_amount` on mainnet, warns elsewhere. */
export function checkDenomination(plan: PoolPlan, prices: NetworkPrices, options: DeployOptions): void {
  const gas = plan.version === 2 ? V2_GAS_HIGHEST_PATH : GAS_HIGHEST_PATH;
  const minimum = MIN_GAS_FEES_PER_NOTE * prices.gasFee(gas);
  if (isJettonPlan(plan) || plan.denomination >= minimum) return;
  const text = `a denomination of ${plan.amount} is below ${formatNative(minimum)}: ` +
    "fees would consume much of each note";
  if (options.network === "mainnet") throw new Problem("invalid_amount", text);
  options.onWarning?.(text);
}

/** Throws `deployment_refused` with every reason in `errors`. */
export async function assertSafeToDeploy(
  plans: readonly PoolPlan[],
  keys: readonly PoolKeys[],
  options: DeployOptions,
): Promise<void> {
  const errors = [
    ...await findNetworkFaults(options),
    ...options.network === "mainnet" ? await findMainnetFaults(plans, keys, options) : [],
  ];
  for (const plan of plans) {
    errors.push(...findRegistryFaults(plan, options));
    if (isJettonPlan(plan)) errors.push(...await findJettonFaults(options.chain, plan));
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `deployment on ${options.network} is refused`, { errors });
  }
}

async function findNetworkFaults(options: DeployOptions): Promise<ProblemDetail[]> {
  const { chain, network } = options;
  const version = await fetchNetworkVersion(chain, options);
  const faults = version >= MIN_NETWORK_VERSION ? [] : [{
    pointer: "network",
    detail: `the network runs version ${version} of TVM; a pool needs ${MIN_NETWORK_VERSION}`,
  }];
  if (network === "localnet") return faults; // it uses mainnet's configuration, including the id
  const id = (await chain.configParam(GLOBAL_ID_PARAM, options)).beginParse().loadInt(32);
  if (id === networkGlobalId(network)) return faults;
  return [...faults, {
    pointer: "network",
    detail: `the endpoint serves another network than ${network} (global id ${id})`,
  }];
}

async function findMainnetFaults(
  plans: readonly PoolPlan[],
  keys: readonly PoolKeys[],
  { findKeyFault = findPinnedKeysFault, artifacts = openArtifacts(), onWarning }: DeployOptions,
): Promise<ProblemDetail[]> {
  const errors: ProblemDetail[] = [];
  if (plans.some(({ owner }) => owner !== null)) {
    errors.push({ pointer: "owner", detail: "a pool on mainnet has no owner: burn it" });
  }
  const development = keys.find((set) => set.development);
  if (development) {
    errors.push({
      pointer: "keys",
      detail: `the keys are ${development.label}: their makers can forge withdrawals`,
    });
    return errors;
  }
  const weak = keys.find((set) => set.weak);
  if (weak) onWarning?.(`the keys are ${weak.label}: fewer contributors than mainnet requires`);
  for (const version of new Set(plans.map((plan) => plan.version ?? 1))) {
    const fault = await findKeyFault(artifacts, version);
    if (fault === undefined) continue;
    errors.push({
      pointer: "keys",
      detail: `no ceremony vouches for the keys of version ${version}: ${fault}`,
    });
  }
  return errors;
}

function findRegistryFaults(plan: PoolPlan, options: DeployOptions): ProblemDetail[] {
  const pools = listedPools(options);
  const key = poolKey(plan);
  const errors: ProblemDetail[] = [];
  const listed = pools?.get(key)?.address;
  if (listed && !listed.equals(plan.address)) {
    errors.push({
      pointer: "registry",
      detail: `the registry lists another pool as ${key}, ${listed}: deploy the next generation, ` +
        "use another registry, or remove that entry first",
    });
  }
  const duplicate = [...pools ?? []].find(([name, { address }]) =>
    name !== key && address.equals(plan.address)
  );
  if (duplicate) {
    errors.push({ pointer: "registry", detail: `the registry already lists this pool as ${duplicate[0]}` });
  }
  return errors;
}

export function listedPools(
  { registry, network }: DeployOptions,
): ReadonlyMap<string, Deployment> | undefined {
  return registry?.network === network ? registry.pools : undefined;
}

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
