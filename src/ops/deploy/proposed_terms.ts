import { Problem } from "../../core/errors/problem.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { estimateWithdrawalCost } from "../../ton/pool/withdrawal_cost.ts";

/** Pays the gas of a fresh recipient. */
export const PROPOSED_REFUND_NANO = 100_000_000n;
/** The fee is 1.5 times cost and refund: the jetton's price and the chain's prices change. */
const FEE_MARGIN = { of: 3n, by: 2n };
const NANO_PER_NATIVE = 1_000_000_000n;

export interface RelayerTerms {
  readonly feeMin: bigint; // in the jetton's smallest unit
  readonly maxRefund: bigint; // nano
}

export function jettonWithdrawalCost(prices: NetworkPrices): bigint {
  const info = { assetKind: "jetton", deposits: 0, withdrawals: 0, debt: 0n } as const;
  return estimateWithdrawalCost(prices, info) + PROPOSED_REFUND_NANO;
}

/** `nativePrice`: one coin in the jetton's smallest unit. Throws `deployment_refused` for too high a fee. */
export function proposeTerms(
  prices: NetworkPrices,
  { nativePrice, denomination }: { readonly nativePrice: bigint; readonly denomination: bigint },
): RelayerTerms {
  const nano = jettonWithdrawalCost(prices) * FEE_MARGIN.of / FEE_MARGIN.by;
  const feeMin = (nano * nativePrice + NANO_PER_NATIVE - 1n) / NANO_PER_NATIVE;
  if (feeMin < denomination) return { feeMin, maxRefund: PROPOSED_REFUND_NANO };
  const detail = "at this price the fee that covers a withdrawal is not below the denomination";
  throw new Problem("deployment_refused", undefined, { errors: [{ pointer: "--native-price", detail }] });
}
