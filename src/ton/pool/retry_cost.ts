/** What a jetton pool requires for its transfers, as `contracts/shared/jetton/prices_jetton.tolk` computes it. */
import { GAS_HIGHEST_RETRY } from "../../core/protocol/pool_constants.ts";
import type { NetworkPrices } from "../network_prices.ts";

const TRANSFER_FLOOR = 100_000_000n;
const WALLETS_GAS = 40_000n;
const WALLET_MESSAGE = { cells: 30n, bits: 12_000n };
const WALLET_STORAGE = { cells: 4n, bits: 1_500n, seconds: 157_788_000n };
const TRANSFER_MESSAGE = { cells: 1n, bits: 880n };
const RETRY_MESSAGE = { cells: 1n, bits: 944n };

/** Returns the nano below which the pool refuses a retry (205). */
export function computeRetryCost(prices: NetworkPrices): bigint {
  return prices.gasFee(GAS_HIGHEST_RETRY) + prices.forwardFee(RETRY_MESSAGE) + computeTransferValue(prices);
}

/** Returns the least value that a payout carries to the pool's wallet, in nano. */
export function computeTransferValue(prices: NetworkPrices): bigint {
  const transfer = prices.gasFee(WALLETS_GAS) + 2n * prices.forwardFee(WALLET_MESSAGE) +
    prices.storageFee(WALLET_STORAGE);
  return transfer > TRANSFER_FLOOR ? transfer : TRANSFER_FLOOR;
}

/** Returns the value of a transfer to the pool's wallet plus its forward fee, in nano. */
export function computeTransferCost(prices: NetworkPrices): bigint {
  return prices.forwardFee(TRANSFER_MESSAGE) + computeTransferValue(prices);
}
