/** What a pool needs for its first years of storage. Anyone can deploy its first state, also with fewer coins. */
import { PREPAID_STORAGE_SECONDS } from "../../core/protocol/pool_constants.ts";
import {
  V2_FIXED_JETTON_SIZE,
  V2_FIXED_SIZE,
  V2_STORAGE_SECONDS,
} from "../../core/protocol/v2/pool_constants.ts";
import { fetchStorageBill, SECONDS_PER_YEAR } from "../../ton/account_storage.ts";
import type { AccountInfo, CallOptions, Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { poolFunds } from "../../ton/pool/pool_funds.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
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
/** The fees of the first transactions, which are not paid again. */
const TOLERANCE_NANO = 50_000_000n;

/** In nano, for storage and the first fees. */
export function initialBalance(plan: PoolPlan, prices: NetworkPrices): bigint {
  const version1 = isJettonPlan(plan) ? [PREPAID_STORAGE, JETTON_POOL_STORAGE] : [PREPAID_STORAGE];
  const storage = plan.version === 2 ? [V2_POOL_STORAGE[plan.assetKind]] : version1;
  return storage.map((size) => prices.storageFee(size)).reduce(
    (a, b) => a > b ? a : b,
    MIN_INITIAL_BALANCE_NANO,
  );
}

/** Returns the nano that an existing pool lacks of its initial balance, beside what it owes to its notes; 0n if none. */
export async function missingEndowment(
  plan: PoolPlan,
  { balance, code, data, last, syncUtime }: AccountInfo,
  { chain, prices }: { readonly chain: Chain; readonly prices: NetworkPrices },
  options?: CallOptions,
): Promise<bigint> {
  const { address, denomination, version } = plan;
  const info = await new PoolGetters(chain, address).getPoolInfo(options);
  const pending = version === 2 ? (await new V2Pool(chain, address).getSettleInfo(options)).pending : 0n;
  const account = { balance, syncUtime, ...last && { last } };
  const bill = await fetchStorageBill(chain, { address, account, code: code!, data: data!, prices }, options);
  const { surplus } = poolFunds({
    info: { ...info, debt: info.debt + pending },
    denomination,
    balance,
    storageDue: bill.due,
    storagePerYear: bill.perYear,
  });
  const missing = initialBalance(plan, prices) - surplus + bill.debt;
  return missing > TOLERANCE_NANO ? missing : 0n;
}
