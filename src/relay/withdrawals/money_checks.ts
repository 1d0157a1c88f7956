/** The checks of fees, refunds, caps and balances. */
import { policyFloor } from "../../core/protocol/fee.ts";
import { jobKey } from "../../store/store.ts";
import type { Candidate, CheckDeps, CheckVerdict } from "./candidate.ts";
import { estimateWithdrawalCost } from "../../ton/pool/withdrawal_cost.ts";
import { payoutRoom } from "../claims/claim_room.ts";
import { computeAttachedValue, getMaxRefund, getMinFee } from "./policy.ts";

export function getFeeFloor({ pool, deps }: Candidate): bigint {
  const { denomination } = pool.deployment;
  return policyFloor({
    denomination,
    feeBps: deps.feeBps,
    feeMin: getMinFee(pool.deployment, deps.feeMinNano),
  });
}

/** Returns whether the refund is within the limit of `/pools`. */
export function isWithinRefundLimit({ request, pool }: Candidate): boolean {
  return request.refund <= getMaxRefund(pool.deployment);
}

/** Returns whether the fee covers a refund above the limit. Fees of jetton pools have another unit, so they never do. */
export function isRefundCoveredByFee(candidate: Candidate): boolean {
  const { request, pool } = candidate;
  return pool.deployment.asset === "native" && request.fee - request.refund >= getFeeFloor(candidate);
}

/** A jetton fee has no native price here, so the operator's limit applies to the cost, refund included. */
export async function doesFeeCoverCost(candidate: Candidate): Promise<CheckVerdict> {
  const { request, pool, deps } = candidate;
  const isNative = pool.deployment.asset === "native";
  if (!isNative && deps.maxCostNano === undefined) return true;
  const cost = estimateWithdrawalCost(
    await deps.priceCache.getPrices(),
    await deps.poolCache.getPoolInfo(pool),
    {
      recipient: request.recipient.workChain,
      relayer: deps.wallet.address.workChain,
      quote: await deps.poolCache.getWithdrawValue(pool, 0n),
    },
  );
  const holds = isNative
    ? request.fee >= cost + (isWithinRefundLimit(candidate) ? 0n : request.refund)
    : cost + request.refund <= deps.maxCostNano!;
  return holds || { members: { cost: String(cost) } };
}

/** Returns whether a jetton pool has room for the claims of one more withdrawal. Otherwise, the pool refuses it. */
export async function arePayoutsOpen({ pool, deps }: Candidate): Promise<CheckVerdict> {
  if (pool.deployment.asset === "native") return true;
  const { claims } = await deps.poolCache.getPoolInfo(pool);
  return payoutRoom(claims) > 0 || { members: { openClaims: claims } };
}

/** The balance must cover all waiting withdrawals, journaled or not. */
export async function isFunded(candidate: Candidate): Promise<CheckVerdict> {
  const { request: { refund }, pool, deps } = candidate;
  const value = computeAttachedValue(await deps.poolCache.getWithdrawValue(pool, refund));
  const waiting = new Set(deps.unjournaled.values()); // first: they may move to the journal meanwhile
  for (const job of await deps.store.liveJobs()) if (job.state === "accepted") waiting.add(jobKey(job));
  const balance = await getBalance(deps);
  for (const name of deps.unjournaled.values()) waiting.add(name);
  const own = jobKey({ pool: pool.id, nullifierHash: candidate.request.signals.nullifierHash });
  waiting.delete(own);
  if (balance < value * BigInt(waiting.size + 1)) return false;
  deps.unjournaled.set(candidate, own);
  return true;
}

export function removeUnjournaled(candidate: Candidate): Promise<void> {
  candidate.deps.unjournaled.delete(candidate);
  return Promise.resolve();
}

export async function isWithinCaps({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  const outcome = await deps.hourlyCaps?.reserve({
    pool: pool.id,
    nullifierHash: request.signals.nullifierHash,
  });
  return outcome === undefined || outcome.allowed || { members: { retryAfter: outcome.retryAfter } };
}

export async function finishCapReservation(
  { request, pool, deps }: Candidate,
  accepted: boolean,
): Promise<void> {
  await deps.hourlyCaps?.finish({ pool: pool.id, nullifierHash: request.signals.nullifierHash }, accepted);
}

export async function isBalanceAboveStop({ deps }: Candidate): Promise<CheckVerdict> {
  const { stop } = deps.balance.thresholds;
  return stop === 0n || await getBalance(deps) >= stop;
}

function getBalance({ balance }: CheckDeps): Promise<bigint> {
  return balance.current({ lowPriority: true });
}
