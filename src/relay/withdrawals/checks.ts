/** The checks of a withdrawal, cheapest first. Counts begin after the proof is verified, and are undone on refusal. */
import { addressToField } from "../../core/protocol/messages/address_field.ts";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { isFieldElement } from "../../core/crypto/field.ts";
import { type Groth16Proof, publicSignalNames, withdrawCircuit } from "../../core/crypto/groth16.ts";
import { parseProof } from "../../core/crypto/proof_codec.ts";
import { isLive, isPaid } from "../../store/store.ts";
import type {
  Candidate,
  CheckDeps,
  CheckVerdict,
  FinishChecks,
  SubmittedWithdrawal,
  WithdrawalCheck,
} from "./candidate.ts";
import {
  arePayoutsOpen,
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

export type {
  Candidate,
  CheckDeps,
  SubmittedWithdrawal,
  WithdrawalCheck,
  WithdrawSignals,
} from "./candidate.ts";

// Roots that may be added before our withdrawal arrives. Without this margin, a client could make the relayer
// pay for refusals by proving against the oldest root.
const ROOT_MARGIN = 3;

const check = (
  name: string,
  problemCode: ProblemCode,
  holds: WithdrawalCheck["holds"],
  onFinish?: WithdrawalCheck["onFinish"],
): WithdrawalCheck => ({ name, problemCode, holds, onFinish });

export const withdrawalChecks: readonly WithdrawalCheck[] = [
  check(
    "public inputs are canonical field elements",
    "not_in_field",
    ({ request }) => [...Object.values(request.signals), request.fee, request.refund].every(isFieldElement),
  ),
  check("pool is registered", "unknown_pool", ({ pool }) => pool !== undefined),
  check("pool has a minimum fee", "fee_min_missing", ({ pool }) => !pool.lacksMinFee),
  check(
    "relayer is us",
    "relayer_mismatch",
    ({ request, deps }) => request.signals.relayer === addressToField(deps.wallet.address),
  ),
  check(
    "recipient is the proven one",
    "recipient_mismatch",
    ({ request }) => request.signals.recipient === addressToField(request.recipient),
  ),
  check("a jetton pool pays the recipient", "invalid_request", isRecipientPayable),
  check("fee is the proven one", "fee_mismatch", ({ request }) => request.signals.fee === request.fee),
  check(
    "refund is the proven one",
    "refund_mismatch",
    ({ request }) => request.signals.refund === request.refund,
  ),
  check(
    "fee reaches the floor",
    "fee_below_floor",
    (candidate) => candidate.request.fee >= getFeeFloor(candidate),
  ),
  check(
    "fee is below the denomination",
    "fee_not_below_denomination",
    ({ request, pool }) => request.fee < pool.deployment.denomination,
  ),
  check(
    "refund is paid by the fee, or a gift the operator allows",
    "refund_above_limit",
    (candidate) => isWithinRefundLimit(candidate) || isRefundCoveredByFee(candidate),
  ),
  check("nullifier is in neither a payment nor a live job", "nullifier_already_used", isNullifierUnused),
  // After the check of live jobs, so that a duplicate gets its status.
  check("pool is not retired", "pool_retired", ({ pool }) => pool.deployment.retired !== true),
  check("its last failure is long enough ago", "retry_later", isRetryDue),
  check("pool is ready", "not_ready", ({ pool, deps }) => {
    const readiness = pool.readiness(deps.clock.now());
    return readiness.ready || { detail: readiness.reason, members: { retryAfter: 5 } };
  }),
  check("no message would freeze the pool", "not_ready", ({ pool }) =>
    !pool.isNearFreezing || {
      detail: "the pool owes storage, and a withdrawal would freeze it; someone must pay its debt first",
      members: { retryAfter: 600 },
    }),
  check(
    "root is accepted",
    "unknown_root",
    ({ request, pool }) => pool.rootPlacesLeft(request.signals.root) > 0,
  ),
  check(
    "root stays accepted for three more roots",
    "stale_root",
    ({ request, pool }) => {
      const left = pool.rootPlacesLeft(request.signals.root);
      return left === 0 || left > ROOT_MARGIN; // 0 is the check before this one
    },
  ),
  check("proof verifies", "proof_invalid", isProofValid),
  check("note is unspent on chain", "nullifier_already_used", isUnspentOnChain),
  check("the pool's payouts are not blocked", "payouts_blocked", arePayoutsOpen),
  check("fee covers the cost", "fee_below_cost", doesFeeCoverCost),
  check("hourly caps are not reached", "hourly_cap_reached", isWithinCaps, finishCapReservation),
  check("wallet is above its stop", "relayer_balance_low", isBalanceAboveStop),
  check("wallet can pay for it", "relayer_balance_low", isFunded, removeUnjournaled),
];

/** Throws the problem of the first failed check, after finishing the earlier ones. Call the result exactly once. */
export async function runWithdrawalChecks(
  request: SubmittedWithdrawal,
  deps: CheckDeps,
  checks: readonly WithdrawalCheck[] = withdrawalChecks,
): Promise<FinishChecks> {
  const pool = deps.pools.get(request.pool.toRawString());
  const candidate = { request, deps, pool } as Candidate;
  const passed: WithdrawalCheck[] = [];
  const end: FinishChecks = async (accepted) => {
    for (const { onFinish } of passed) await onFinish?.(candidate, accepted);
  };
  try {
    for (const each of checks) {
      const verdict = await each.holds(candidate);
      if (verdict === false) throw new Problem(each.problemCode);
      if (verdict !== true) throw new Problem(each.problemCode, verdict.detail, verdict);
      passed.push(each);
    }
  } catch (error) {
    await end(false);
    throw error;
  }
  return end;
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
  const job = await deps.store.job({ pool: pool.id, nullifierHash: request.signals.nullifierHash });
  const wait = job ? getRetryTime(job) - deps.clock.now() : 0;
  return wait <= 0 || { members: { retryAfter: Math.ceil(wait / 1000) } };
}

async function isProofValid({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  let proof: Groth16Proof;
  try {
    proof = parseProof(request.proof);
  } catch (error) {
    if (error instanceof Problem) return { detail: error.message, members: {} };
    throw error;
  }
  return await deps.proofVerifier.verify(
    withdrawCircuit(pool.deployment.version),
    proof,
    publicSignalNames.withdraw.map((name) => String(request.signals[name])),
  );
}

async function isUnspentOnChain({ request, pool, deps }: Candidate): Promise<CheckVerdict> {
  const { nullifierHash } = request.signals;
  const spent = await deps.poolCache.getIsSpent(pool, nullifierHash);
  return !spent || nullifierUsedResult(buildPaidView(pool.formattedAddress, nullifierHash));
}

/** Standard jetton wallets pay only in the basechain, and a pool cannot pay its own wallet. */
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
