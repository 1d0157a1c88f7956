/** The checks of fees, refunds, caps and balances. */
import { policyFloor } from "../../core/protocol/fee.ts";
import { jobKey } from "../../store/store.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Candidate, CheckDeps, Refusal } from "./candidate.ts";
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
export async function costRefusal(candidate: Candidate): Promise<Refusal> {
  const { request, pool, deps } = candidate;
  const isNative = pool.deployment.asset === "native";
  if (!isNative && deps.maxCostNano === undefined) return undefined;
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
  return holds ? undefined : new Problem("fee_below_cost", undefined, { members: { cost: String(cost) } });
}

/** A jetton pool refuses a withdrawal unless it has room for its claims. */
export async function blockedPayoutsRefusal({ pool, deps }: Candidate): Promise<Refusal> {
  if (pool.deployment.asset === "native") return undefined;
  const { claims } = await deps.poolCache.getPoolInfo(pool);
  if (payoutRoom(claims) > 0) return undefined;
  return new Problem("payouts_blocked", undefined, { members: { openClaims: claims } });
}

/** The balance must cover all waiting withdrawals, journaled or not. */
export async function fundsRefusal(candidate: Candidate): Promise<Refusal> {
  const { request: { refund }, id, pool, deps } = candidate;
  const value = computeAttachedValue(await deps.poolCache.getWithdrawValue(pool, refund));
  const waiting = new Set(deps.unjournaled.values()); // first: they may move to the journal meanwhile
  for (const job of await deps.store.liveJobs()) if (job.state === "accepted") waiting.add(jobKey(job));
  const balance = await getBalance(deps);
  for (const name of deps.unjournaled.values()) waiting.add(name);
  const own = jobKey(id);
  waiting.delete(own);
  if (balance < value * BigInt(waiting.size + 1)) return new Problem("relayer_balance_low");
  deps.unjournaled.set(candidate, own);
  return undefined;
}

export function removeUnjournaled(candidate: Candidate): Promise<void> {
  candidate.deps.unjournaled.delete(candidate);
  return Promise.resolve();
}

export async function capsRefusal({ id, deps }: Candidate): Promise<Refusal> {
  const outcome = await deps.hourlyCaps?.reserve(id);
  if (outcome === undefined || outcome.allowed) return undefined;
  return new Problem("hourly_cap_reached", undefined, { members: { retryAfter: outcome.retryAfter } });
}

export async function finishCapReservation({ id, deps }: Candidate, accepted: boolean): Promise<void> {
  await deps.hourlyCaps?.finish(id, accepted);
}

export async function stopRefusal({ deps }: Candidate): Promise<Refusal> {
  const { stop } = deps.balance.thresholds;
  return stop === 0n || await getBalance(deps) >= stop ? undefined : new Problem("relayer_balance_low");
}

function getBalance({ balance }: CheckDeps): Promise<bigint> {
  return balance.current({ lowPriority: true });
}
