/** The costs of a version 2 jetton pool in nano, computed a second time from contracts/v2/SPEC.md. */
import { toNano } from "@ton/core";
import type { ChainPrices } from "../../../testkit/chain/chain_prices.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";

const constant = await contractConstants(2);
const max = (a: bigint, b: bigint) => a > b ? a : b;

/** Returns the cost of a settlement by itself: C. */
export function settlementCost(prices: ChainPrices): bigint {
  return prices.gas(constant("GAS_SETTLEMENT")) + 2n * prices.forward(0) +
    prices.forward(0, { cells: 2n, bits: 1920n });
}

/** Returns the coins that a deposit leaves for its settlement. */
export function settlementShare(prices: ChainPrices): bigint {
  return (9n * settlementCost(prices) + 7n) / 8n;
}

/** Returns the coins that a deposit and a withdrawal leave for storage. */
export function storageShare(prices: ChainPrices): bigint {
  return max(toNano("0.01"), prices.storage({ cells: 1n, bits: 300n, seconds: 1_262_304_000n }));
}

/** Returns the lowest value of a transfer to the pool's wallet. */
export function transferValue(prices: ChainPrices): bigint {
  return max(
    toNano("0.1"),
    prices.gas(40_000n) + 2n * prices.forward(0, { cells: 30n, bits: 12_000n }) +
      prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n }),
  );
}

/** Returns the lowest value of a transfer with its forward fee. */
export function transferCost(prices: ChainPrices): bigint {
  return transferValue(prices) + prices.forward(0, { cells: 1n, bits: 880n });
}

/** Returns the lowest value of a deposit's notification, without due storage. */
export function depositValue(prices: ChainPrices): bigint {
  return prices.gas(constant("GAS_HIGHEST_JETTON_DEPOSIT")) + prices.forward(0) + transferValue(prices) +
    prices.forward(0, { cells: 2n, bits: 928n }) + settlementShare(prices) + storageShare(prices);
}

/** Returns the lowest value of a retry, without due storage. */
export function retryValue(prices: ChainPrices): bigint {
  return prices.gas(constant("GAS_HIGHEST_RETRY")) + transferValue(prices) +
    prices.forward(0, { cells: 1n, bits: 944n });
}

/** Returns the storage fee of a pool's account, computed from its largest size. */
export function accountStorage(
  prices: ChainPrices,
  { queued, claims, seconds }: { queued: number; claims: number; seconds: number },
): bigint {
  return prices.storage({
    cells: constant("FIXED_JETTON_CELLS") + BigInt(Math.ceil(queued / 3) + 2 * claims),
    bits: constant("FIXED_JETTON_BITS") + BigInt(300 * queued + 600 * claims),
    seconds: BigInt(seconds),
  });
}
