/**
 * The net cost of a withdrawal to its relayer. The pool's quote includes a margin, most of which is returned,
 * so fees are not measured against it.
 */
import {
  ENDOWMENT_SECONDS,
  NET_ACCRUAL,
  PREPAID_STORAGE_SECONDS,
  REFUND_RESERVE,
} from "../../core/protocol/pool_constants.ts";
import type { PoolInfo } from "./pool.ts";
import type { NetworkPrices } from "../network_prices.ts";

/** Gas of the pool with a well-filled set, and of the wallet; measured in `tests/contracts/`. */
const POOL_GAS = 150_000n;
const WALLET_GAS = 8_000n;

/** Without root cells: the message to the pool with its proof, and the pool's log. */
const WITHDRAW_MESSAGE = { cells: 5n, bits: 3_600n };
const LOG_MESSAGE = { cells: 2n, bits: 1_070n };
/** Payouts and excess have no body. */
const EMPTY_MESSAGE = { cells: 0n, bits: 0n };

/**
 * Gas of each wallet of a jetton transfer (`@ton-community/assets-sdk`), and the nano that the payee's wallet
 * keeps: 0.01 TON for storage and 0.015 TON for gas.
 */
const JETTON_WALLET_GAS = 11_000n;
const JETTON_WALLET_RESERVE = 25_000_000n;
/** From the pool to its wallet, and from there to the payee's with the StateInit. */
const JETTON_TRANSFER_MESSAGE = { cells: 1n, bits: 880n };
const JETTON_INTERNAL_TRANSFER_MESSAGE = { cells: 20n, bits: 8_000n };

/** Storage that a withdrawal from a jetton pool prepays: two keys. */
const PREPAID_STORAGE = { cells: 2n, bits: 204n, seconds: PREPAID_STORAGE_SECONDS };
/** Storage that a withdrawal from a native pool prepays: one cell of the set. */
const STORAGE_ENDOWMENT = { cells: 1n, bits: 1023n, seconds: ENDOWMENT_SECONDS };

export interface PartyWorkchains {
  readonly recipient: number;
  /** The relayer gets the fee and the excess. */
  readonly relayer: number;
}

const BASECHAIN_PARTIES: PartyWorkchains = { recipient: 0, relayer: 0 };

/** Returns the nano that a withdrawal without refund costs the relayer at these prices. */
export function estimateWithdrawalCost(
  prices: NetworkPrices,
  info: Pick<PoolInfo, "assetKind" | "deposits" | "withdrawals" | "debt">,
  { recipient, relayer }: PartyWorkchains = BASECHAIN_PARTIES,
): bigint {
  const { assetKind, deposits, withdrawals, debt } = info;
  const way = prices.gasFee(POOL_GAS) + prices.gasFee(WALLET_GAS) +
    prices.forwardFee(WITHDRAW_MESSAGE) + prices.forwardFee(LOG_MESSAGE) +
    prices.forwardFee(EMPTY_MESSAGE, recipient) + 2n * prices.forwardFee(EMPTY_MESSAGE, relayer);
  if (assetKind === "jetton") {
    return way + jettonTransfersCost(prices) + maxBigint(REFUND_RESERVE, prices.storageFee(PREPAID_STORAGE));
  }
  const endowment = prices.storageFee(STORAGE_ENDOWMENT);
  const unspent = BigInt(Math.max(1, deposits - withdrawals));
  const share = (debt + unspent - 1n) / unspent;
  return way + maxBigint(REFUND_RESERVE, share + maxBigint(NET_ACCRUAL, endowment));
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
