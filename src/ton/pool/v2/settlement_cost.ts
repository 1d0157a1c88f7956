/** What a settlement costs the wallet that sends it, in nano, without the reward. */
import type { NetworkPrices } from "../../network_prices.ts";

/** Upper bounds of a pool's gas; `settlement_terms_test.ts` compares them. */
const LONE_SETTLEMENT_GAS = { native: 126_100, jetton: 128_300 } as const;
const MORE_DEPOSIT_GAS = 3_270;
/** A page has four commitments. The pool reads a list from its newest page to the batch. */
const PAGE_GAS = 260;
const PAGE_SIZE = 4;
const LIST_SIZE = 256;
/** The gas of the dictionary of complete lists, and of each level in it. */
const DICTIONARY_GAS = 500;
const DICTIONARY_LEVEL_GAS = 750;

/** The gas of a version 5 wallet, which needs more than the others: the transfer, and the receipt of the rest. */
const WALLET_GAS = 5_500n;
/** Without root cells: the transfer with one settlement, and the settlement. The log and the rest have no more cells. */
const TRANSFER_MESSAGE = { cells: 5n, bits: 2_400n };
const SETTLE_MESSAGE = { cells: 3n, bits: 1_920n };
const ROOT_ONLY = { cells: 0n, bits: 0n };

interface SettlementSize {
  readonly assetKind: "native" | "jetton";
  /** Number of settled deposits before. */
  readonly first: number;
  /** Number of deposits in this settlement. */
  readonly count: number;
  /** Number of the pool's deposits. */
  readonly deposits: number;
}

/** Returns the cost of a settlement that is sent in a transfer of its own. */
export function estimateSettlementCost(
  prices: Pick<NetworkPrices, "gasFee" | "forwardFee">,
  settlement: SettlementSize,
): bigint {
  return prices.gasFee(BigInt(settlementGas(settlement))) + prices.gasFee(WALLET_GAS) +
    prices.forwardFee(TRANSFER_MESSAGE) + prices.forwardFee(SETTLE_MESSAGE) +
    2n * prices.forwardFee(ROOT_ONLY);
}

/** Returns an upper bound of the gas that the pool takes. */
export function settlementGas({ assetKind, first, count, deposits }: SettlementSize): number {
  const end = first + count;
  const listEnd = Math.min(Math.ceil(end / LIST_SIZE) * LIST_SIZE, deposits);
  const pages = Math.ceil((listEnd - end) / PAGE_SIZE);
  const completeLists = Math.floor(deposits / LIST_SIZE) - Math.floor(first / LIST_SIZE);
  const dictionary = completeLists === 0
    ? 0
    : DICTIONARY_GAS + DICTIONARY_LEVEL_GAS * Math.ceil(Math.log2(completeLists));
  return LONE_SETTLEMENT_GAS[assetKind] + MORE_DEPOSIT_GAS * (count - 1) + PAGE_GAS * pages + dictionary;
}
