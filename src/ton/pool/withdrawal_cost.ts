/** Computes the cost of a withdrawal for the relayer. The pool's quote is higher; most of its margin is returned. */
import {
  ENDOWMENT_SECONDS,
  GAS_HIGHEST_JETTON_WITHDRAW,
  GAS_HIGHEST_PATH,
  NET_ACCRUAL,
  PREPAID_STORAGE_SECONDS,
  REFUND_RESERVE,
} from "../../core/protocol/pool_constants.ts";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import {
  V2_FIXED_SIZE,
  V2_GAS_HIGHEST_JETTON_WITHDRAW,
  V2_GAS_HIGHEST_PATH,
} from "../../core/protocol/v2/pool_constants.ts";
import type { NetworkPrices } from "../network_prices.ts";
import type { PoolInfo } from "./pool_getters.ts";
import { maxPoolSize } from "./pool_size.ts";
import { computeTransferCost } from "./retry_cost.ts";

/** Gas of the pool with a well-filled set, and of the wallet; measured in `tests/contracts/`. */
const POOL_GAS = 150_000n;
const WALLET_GAS = 8_000n;

/** Without root cells: the message to the pool with its proof, and the pool's log. */
const WITHDRAW_MESSAGE = { cells: 5n, bits: 3_600n };
const LOG_MESSAGE = { cells: 2n, bits: 1_070n };
const EMPTY_MESSAGE = { cells: 0n, bits: 0n }; // payouts and excess have no body

/** The gas of a wallet of `@ton-community/assets-sdk`. The payee's keeps 0.01 GRAM for storage, 0.015 for gas. */
const JETTON_WALLET_GAS = 11_000n;
const JETTON_WALLET_RESERVE = 25_000_000n;
/** The messages from the pool to its wallet, and from there to the payee's with the StateInit. */
const JETTON_TRANSFER_MESSAGE = { cells: 1n, bits: 880n };
const JETTON_INTERNAL_TRANSFER_MESSAGE = { cells: 20n, bits: 8_000n };

/** Storage that a withdrawal from a jetton pool prepays: two keys; in version 2, a queued commitment. */
const PREPAID_STORAGE = {
  1: { cells: 2n, bits: 204n, seconds: PREPAID_STORAGE_SECONDS },
  2: { cells: 1n, bits: 300n, seconds: PREPAID_STORAGE_SECONDS },
} as const;
/** Storage that a withdrawal from a native pool prepays: one cell of the set. */
const STORAGE_ENDOWMENT = { cells: 1n, bits: 1023n, seconds: ENDOWMENT_SECONDS };

/** The log with the two parties, as `contracts/v1/fees.tolk` has it. */
const QUOTED_LOG_MESSAGE = { cells: 1n, bits: 534n };
const SECONDS_PER_DAY = 86_400n;
const MASTERCHAIN = -1;

interface WithdrawalCostOptions {
  readonly recipient?: number;
  readonly relayer?: number;
  /** The pool's quote without refund, in nano, including solvency and storage that the pool owes. */
  readonly quote?: bigint;
}

type PoolCounts = Pick<PoolInfo, "assetKind" | "deposits" | "withdrawals" | "debt"> & {
  readonly claims?: number; // default: 0
  readonly version?: PoolVersion;
};

/** Returns the nano that a withdrawal without refund costs the relayer at these prices. */
export function estimateWithdrawalCost(
  prices: NetworkPrices,
  info: PoolCounts,
  { recipient = 0, relayer = 0, quote }: WithdrawalCostOptions = {},
): bigint {
  const { assetKind, deposits, withdrawals, debt } = info;
  const way = prices.gasFee(POOL_GAS) + prices.gasFee(WALLET_GAS) +
    prices.forwardFee(WITHDRAW_MESSAGE) + prices.forwardFee(LOG_MESSAGE) +
    prices.forwardFee(EMPTY_MESSAGE, recipient) + 2n * prices.forwardFee(EMPTY_MESSAGE, relayer);
  if (assetKind === "jetton") {
    return way + jettonTransfersCost(prices) + jettonKeep(prices, info) +
      (quote === undefined ? 0n : dueOfQuote(prices, info, quote));
  }
  const endowment = prices.storageFee(STORAGE_ENDOWMENT);
  const unspent = BigInt(Math.max(1, deposits - withdrawals));
  const share = (debt + unspent - 1n) / unspent;
  const keep = maxBigint(REFUND_RESERVE, share + maxBigint(NET_ACCRUAL, endowment));
  return way + (quote === undefined ? keep : maxBigint(keep, keepOfQuote(prices, info, quote)));
}

/** Returns what the pool keeps according to its quote, because only the pool can read the balance in the solvency term (contracts/v1/SPEC.md). */
export function keepOfQuote(
  prices: NetworkPrices,
  { deposits, withdrawals, version }: Pick<PoolCounts, "deposits" | "withdrawals" | "version">,
  quote: bigint,
): bigint {
  const size = version === 2
    ? V2_FIXED_SIZE // the queue only adds to it
    : maxPoolSize({ assetKind: "native", deposits, withdrawals, claims: 0 });
  const dayOfStorage = prices.storageFee({ ...size, seconds: SECONDS_PER_DAY });
  const gas = version === 2 ? V2_GAS_HIGHEST_PATH : GAS_HIGHEST_PATH;
  return quote - 2n * prices.gasFee(gas) - 3n * prices.forwardFee(EMPTY_MESSAGE, MASTERCHAIN) -
    prices.forwardFee(QUOTED_LOG_MESSAGE) - dayOfStorage;
}

function jettonKeep(prices: NetworkPrices, { version = 1 }: Pick<PoolCounts, "version">): bigint {
  return maxBigint(REFUND_RESERVE, prices.storageFee(PREPAID_STORAGE[version]));
}

/** Returns the storage that a jetton pool owes, from its quote (`jettonWithdrawQuote`, fees_jetton.tolk). */
function dueOfQuote(prices: NetworkPrices, info: PoolCounts, quote: bigint): bigint {
  const dayOfStorage = prices.storageFee({
    ...maxPoolSize({ ...info, claims: info.claims ?? 0 }),
    seconds: SECONDS_PER_DAY,
  });
  const gas = info.version === 2 ? V2_GAS_HIGHEST_JETTON_WITHDRAW : GAS_HIGHEST_JETTON_WITHDRAW;
  const due = quote - 2n * prices.gasFee(gas) - 2n * computeTransferCost(prices) -
    prices.forwardFee(QUOTED_LOG_MESSAGE) - jettonKeep(prices, info) - dayOfStorage;
  return maxBigint(0n, due);
}

/** Two transfers of two wallets each. The payee's wallet may be new and keeps its reserve. */
function jettonTransfersCost(prices: NetworkPrices): bigint {
  const one = prices.forwardFee(JETTON_TRANSFER_MESSAGE) + 2n * prices.gasFee(JETTON_WALLET_GAS) +
    prices.forwardFee(JETTON_INTERNAL_TRANSFER_MESSAGE) + prices.forwardFee(EMPTY_MESSAGE) +
    JETTON_WALLET_RESERVE;
  return 2n * one;
}

function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
