/** The relayer's own terms with the chain: what it attaches to a withdrawal, and when it tries again. */
import type { Address } from "@ton/core";
import type { Deployment } from "../core/deployments.ts";
import type { Job } from "../store/store.ts";
import type { CallOptions, Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";

/** Attached values are rounded up to this, so that the drift of prices and storage tells nobody's withdrawal apart. */
const VALUE_STEP = 10_000_000n;

/**
 * Seconds that a shard's block may be dated before the masterchain block that was asked: whatever is concluded from
 * chain time allows for it.
 */
export const CLOCK_SKEW = 15;

const FIRST_RETRY_MS = 30_000;
const FIRST_RESEND_MS = 2_000;
const LONGEST_DELAY_MS = 3_600_000;

/** A new jetton holder's first gas: what a relayer gives at most when the registry says nothing. */
const JETTON_REFUND = 100_000_000n;

/** Smallest fee of a pool, in its asset. @param feeMinNano of native pools that name none of their own */
export function feeMinOf({ asset, feeMin }: Deployment, feeMinNano: bigint): bigint {
  return feeMin ?? (asset === "native" ? feeMinNano : 0n);
}

/** Largest refund, in nano, that need not be covered by the fee. */
export function refundLimitOf({ asset, maxRefund }: Deployment): bigint {
  return maxRefund ?? (asset === "native" ? 0n : JETTON_REFUND);
}

/** Nano to attach: the pool's own quote and a quarter; the excess comes back. */
export async function valueToAttach(
  chain: Chain,
  pool: Address,
  refund: bigint,
  options?: CallOptions,
): Promise<bigint> {
  return attached(await new Pool(chain, pool).getWithdrawValue(refund, options));
}

/** Nano to attach for what a pool quotes. */
export function attached(quoted: bigint): bigint {
  const padded = quoted + quoted / 4n;
  return (padded + VALUE_STEP - 1n) / VALUE_STEP * VALUE_STEP;
}

/** When a withdrawal that failed on chain may be submitted again, unix ms: after the n-th failure the delay doubles. */
export function retryAt({ failures, settledAt }: Job): number {
  return failures === 0 ? 0 : (settledAt ?? 0) + doubling(FIRST_RETRY_MS, failures);
}

/** Milliseconds until a job is signed again whose message did not leave the wallet, the n-th time. */
export function resendDelay(attempts: number): number {
  return doubling(FIRST_RESEND_MS, attempts);
}

function doubling(first: number, count: number): number {
  return Math.min(first * 2 ** (count - 1), LONGEST_DELAY_MS);
}
