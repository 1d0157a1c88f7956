/**
 * Checks which withdrawals this relayer broadcasts. They run in order, cheapest first, and the first failure ends the
 * run. Counting starts only after the proof is verified, and is undone if the withdrawal is not accepted.
 */
import { addressToField } from "../../core/protocol/address_field.ts";
import { Problem } from "../../core/errors/problem.ts";
import { isFieldElement } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { parseProof } from "../../core/crypto/proof_codec.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import { isLive, isPaid, type Job } from "../../store/store.ts";
import type {
  Candidate,
  CheckDeps,
  CheckVerdict,
  FinishChecks,
  WithdrawalCheck,
  WithdrawRequest,
} from "./candidate.ts";
import {
  doesFeeCoverCost,
  finishCapReservation,
  getFeeFloor,
  isBalanceAboveStop,
  isFunded,
  isRefundCoveredByFee,
  isWithinCaps,
  isWithinRefundLimit,
  removeUnjournaled,
} from "./money_checks.ts";
import { getRetryTime } from "./policy.ts";
import { buildJobView, buildPaidView } from "./view.ts";

export type { Candidate, CheckDeps, WithdrawalCheck, WithdrawRequest, WithdrawSignals } from "./candidate.ts";

/**
 * Places that a root must have left in the pool's history: so many deposits may arrive before ours does. A client of this
 * relayer could otherwise make it pay for refusals by proving against the oldest root.
 */
const MIN_PLACES_LEFT = 3;

export const withdrawalChecks: readonly WithdrawalCheck[] = [
  {
    name: "public inputs are canonical field elements",
    problemCode: "not_in_field",
    holds: ({ request }) =>
      [...Object.values(request.signals), request.fee, request.refund].every(isFieldElement),
  },
  { name: "pool is registered", problemCode: "unknown_pool", holds: ({ pool }) => pool !== undefined },
  {
    name: "pool has a minimum fee",
    problemCode: "fee_min_missing",
    holds: ({ pool }) => !pool.lacksMinFee,
  },
  {
    name: "relayer is us",
    problemCode: "relayer_mismatch",
    holds: ({ request, deps }) => request.signals.relayer === addressToField(deps.wallet.address),
  },
  {
    name: "recipient is the proven one",
    problemCode: "recipient_mismatch",
    holds: ({ request }) => request.signals.recipient === addressToField(request.recipient),
  },
  { name: "a jetton pool pays the recipient", problemCode: "invalid_request", holds: isRecipientPayable },
  {
    name: "fee is the proven one",
    problemCode: "fee_mismatch",
    holds: ({ request }) => request.signals.fee === request.fee,
  },
  {
    name: "refund is the proven one",
    problemCode: "refund_mismatch",
    holds: ({ request }) => request.signals.refund === request.refund,
  },
  {
    name: "fee reaches the floor",
    problemCode: "fee_below_floor",
    holds: (candidate) => candidate.request.fee >= getFeeFloor(candidate),
  },
  {
    name: "fee is below the denomination",
    problemCode: "fee_not_below_denomination",
    holds: ({ request, pool }) => request.fee < pool.deployment.denomination,
  },
  {
    name: "refund is paid by the fee, or a gift the operator allows",
    problemCode: "refund_above_limit",
    holds: (candidate) => isWithinRefundLimit(candidate) || isRefundCoveredByFee(candidate),
  },
  {
    name: "nullifier is in neither a payment nor a live job",
    problemCode: "nullifier_already_used",
    holds: isNullifierUnused,
  },
  {
    name: "pool is not retired", // after the live jobs: a duplicate gets its status
    problemCode: "pool_retired",
    holds: ({ pool }) => pool.deployment.retired !== true,
  },
  { name: "its last failure is long enough ago", problemCode: "retry_later", holds: isRetryDue },
  {
    name: "pool is ready",
    problemCode: "not_ready",
    holds: ({ pool, deps }) => {
      const readiness = pool.readiness(deps.clock.now());
      return readiness.ready || { detail: readiness.reason, members: { retryAfter: 5 } };
    },
  },
  {
    name: "root is among the last 30",
    problemCode: "unknown_root",
    holds: ({ request, pool }) => pool.roots.includes(request.signals.root),
  },
  {
    name: "root stays among the last 30 for three more deposits",
    problemCode: "stale_root",
    holds: ({ request, pool }) =>
      ROOT_HISTORY_SIZE - pool.roots.indexOf(request.signals.root) > MIN_PLACES_LEFT,
  },
  { name: "proof verifies", problemCode: "proof_invalid", holds: isProofValid },
  { name: "note is unspent on chain", problemCode: "nullifier_already_used", holds: isUnspentOnChain },
  { name: "fee covers the cost", problemCode: "fee_below_cost", holds: doesFeeCoverCost },
  {
    name: "hourly caps are not reached",
    problemCode: "hourly_cap_reached",
    holds: isWithinCaps,
    onFinish: finishCapReservation,
  },
  { name: "wallet is above its stop", problemCode: "relayer_balance_low", holds: isBalanceAboveStop },
  {
    name: "wallet can pay for it",
    problemCode: "relayer_balance_low",
    holds: isFunded,
    onFinish: removeUnjournaled,
  },
];

/**
 * Runs the checks in order.
 * @returns a function to call once the withdrawal is accepted or not
 * @throws {Problem} of the first check that fails; the earlier checks are then finished
 */
export async function runWithdrawalChecks(
  request: WithdrawRequest,
  deps: CheckDeps,
  checks: readonly WithdrawalCheck[] = withdrawalChecks,
): Promise<FinishChecks> {
  const pool = deps.pools.get(request.pool.toRawString());
  const candidate = { request, deps, pool } as Candidate;
  const passed: WithdrawalCheck[] = [];
  const end: FinishChecks = async (accepted) => {
    for (const check of passed) await check.onFinish?.(candidate, accepted);
  };
  try {
    for (const check of checks) {
      const verdict = await check.holds(candidate);
      if (verdict === false) throw new Problem(check.problemCode);
      if (verdict !== true) throw new Problem(check.problemCode, verdict.detail, verdict);
      passed.push(check);
    }
  } catch (error) {
    await end(false);
    throw error;
  }
  return end;
}

/** Returns the request's proof in canonical form. */
export function parseRequestProof(request: WithdrawRequest): Groth16Proof {
  return parseProof(request.proof);
}

async function isNullifierUnused({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  const { nullifierHash } = request.signals;
  const job = await deps.store.job({ pool: pool.id, nullifierHash });
  if (job && (isLive(job) || isPaid(job))) {
    return nullifierUsedResult(buildJobView(pool.formattedAddress, job));
  }
  const payment = await deps.store.withdrawal(pool.id, nullifierHash);
  return !payment || nullifierUsedResult(buildPaidView(pool.formattedAddress, nullifierHash, payment));
}

async function isRetryDue({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  const job: Job | undefined = await deps.store.job({
    pool: pool.id,
    nullifierHash: request.signals.nullifierHash,
  });
  const wait = job ? getRetryTime(job) - deps.clock.now() : 0;
  return wait <= 0 || { members: { retryAfter: Math.ceil(wait / 1000) } };
}

async function isProofValid({ request, deps }: Candidate): Promise<CheckVerdict> {
  const { root, nullifierHash, recipient, relayer, fee, refund } = request.signals;
  let proof: Groth16Proof;
  try {
    proof = parseRequestProof(request);
  } catch (error) {
    if (error instanceof Problem) return { detail: error.message, members: {} };
    throw error;
  }
  return await deps.proofVerifier.verify(
    proof,
    [root, nullifierHash, recipient, relayer, fee, refund].map(String),
  );
}

async function isUnspentOnChain({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  const { nullifierHash } = request.signals;
  const spent = await deps.poolCache.getIsSpent(pool, nullifierHash);
  return !spent || nullifierUsedResult(buildPaidView(pool.formattedAddress, nullifierHash));
}

/**
 * Checks that a jetton pool can pay the recipient: standard jetton wallets pay only in the basechain, and a pool
 * cannot pay its own wallet. The schema checks recipients of native pools.
 */
function isRecipientPayable({ request: { recipient }, pool: { deployment } }: Candidate): CheckVerdict {
  if (deployment.asset === "native") return true;
  const detail = recipient.workChain !== 0
    ? "a jetton pool pays in workchain 0 only"
    : deployment.jettonWallet?.equals(recipient)
    ? "it is the pool's own jetton wallet"
    : undefined;
  if (detail === undefined) return true;
  return { detail, members: {}, errors: [{ pointer: "/recipient", detail }] };
}

function nullifierUsedResult(withdrawal: unknown): CheckVerdict {
  return { members: { withdrawal } };
}
