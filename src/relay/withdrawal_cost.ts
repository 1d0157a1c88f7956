/**
 * What one withdrawal costs its relayer in the end. The pool's own quote is what to attach, with room for whatever may
 * come in between; most of it comes back, so it must not be held against the fee.
 */
import { ENDOWMENT_SECONDS, NET_ACCRUAL, REFUND_RESERVE } from "../core/pool_constants.ts";
import type { PoolInfo } from "../ton/pool.ts";
import type { Prices } from "../ton/prices.ts";

/** The pool's computation with a well-filled set, and the wallet's own; measured in `tests/contracts/`. */
const POOL_GAS = 150_000n;
const WALLET_GAS = 8_000n;

/** Messages on the way, without their root cells: ours to the pool with the proof, and the pool's log. */
const REQUEST = { cells: 5n, bits: 3_600n };
const LOG = { cells: 2n, bits: 1_070n };
/** Payouts and excess carry nothing. */
const PAYOUTS = 3n;
const EMPTY = { cells: 0n, bits: 0n };

/**
 * Jetton wallets, as `@ton-community/assets-sdk` has them compiled: gas of either end of a transfer; and what the payee's
 * keeps, 0.01 for its storage while it is new and 0.015 for gas, in nano whatever gas costs.
 */
const JETTON_WALLET_GAS = 11_000n;
const JETTON_WALLET_RESERVE = 25_000_000n;
/** From the pool to its wallet; from that to the payee's, with the StateInit. */
const TRANSFER = { cells: 1n, bits: 880n };
const INTERNAL_TRANSFER = { cells: 20n, bits: 8_000n };

/** One cell of the set, as a pool prices it. */
const ENDOWMENT = { cells: 1n, bits: 1023n, seconds: ENDOWMENT_SECONDS };

/** Nano that a withdrawal without refund takes out of the relayer's wallet, at these prices. */
export function withdrawalCost(prices: Prices, info: PoolInfo): bigint {
  const { assetKind, deposits, withdrawals, debt } = info;
  const way = prices.gasFee(POOL_GAS) + prices.gasFee(WALLET_GAS) +
    prices.forwardFee(REQUEST) + prices.forwardFee(LOG) + PAYOUTS * prices.forwardFee(EMPTY);
  const endowment = prices.storageFee(ENDOWMENT);
  if (assetKind === "jetton") return way + transfersCost(prices) + larger(REFUND_RESERVE, endowment);
  const unspent = BigInt(Math.max(1, deposits - withdrawals));
  const share = (debt + unspent - 1n) / unspent;
  return way + larger(REFUND_RESERVE, share + larger(NET_ACCRUAL, endowment));
}

/** Of the jettons to recipient and relayer: two wallets each, the second of which may be new and keeps its reserve. */
function transfersCost(prices: Prices): bigint {
  const one = prices.forwardFee(TRANSFER) + 2n * prices.gasFee(JETTON_WALLET_GAS) +
    prices.forwardFee(INTERNAL_TRANSFER) + prices.forwardFee(EMPTY) + JETTON_WALLET_RESERVE;
  return 2n * one;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
