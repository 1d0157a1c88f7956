/** The relayer's limits and delays: fees, refunds, attached values and retries. */
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Job } from "../../store/store.ts";
import { backoffMs } from "../../core/time/backoff.ts";

/** Attached values are rounded up, so that drifting prices do not make withdrawals distinguishable. */
const ATTACHED_VALUE_STEP_NANO = 10_000_000n;

const MIN_RETRY_DELAY_MS = 30_000;
const MIN_RESEND_DELAY_MS = 2_000;
const MAX_RETRY_DELAY_MS = 3_600_000;

/** A relayer pays for jetton withdrawals in coins, and a share of an unknown jetton may be worth nothing. */
export function lacksMinFee({ asset, feeMin }: Deployment, network: Network): boolean {
  return asset !== "native" && feeMin === undefined && network !== "localnet";
}

/** Returns the minimum fee in the pool's asset. `feeMinNano` is the default of native pools. */
export function getMinFee({ asset, feeMin }: Deployment, feeMinNano: bigint): bigint {
  return feeMin ?? (asset === "native" ? feeMinNano : 0n);
}

/** Returns the largest refund, in nano, that the fee does not have to cover. */
export function getMaxRefund({ maxRefund = 0n }: Deployment): bigint {
  return maxRefund;
}

/** Returns the pool's quote plus a quarter, in nano. The pool returns the excess. */
export function computeAttachedValue(quoted: bigint): bigint {
  const padded = quoted + quoted / 4n;
  return (padded + ATTACHED_VALUE_STEP_NANO - 1n) / ATTACHED_VALUE_STEP_NANO * ATTACHED_VALUE_STEP_NANO;
}

/** Returns when a failed withdrawal may be submitted again, in Unix ms. The delay doubles with each failure. */
export function getRetryTime({ failures, endedAt }: Job): number {
  return failures === 0 ? 0 : (endedAt ?? 0) + delayAfter(failures, MIN_RETRY_DELAY_MS);
}

/** Returns the delay, in ms, before a job is signed again if the wallet did not send its n-th message. */
export function getResendDelay(attempts: number): number {
  return delayAfter(attempts, MIN_RESEND_DELAY_MS);
}

function delayAfter(failures: number, initialMs: number): number {
  return backoffMs(failures, { initialMs, maxMs: MAX_RETRY_DELAY_MS });
}
