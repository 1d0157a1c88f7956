/** The checks of a withdrawal, cheapest first. Counts begin after the proof is verified, and are undone on refusal. */
import { addressToField } from "../../core/protocol/messages/address_field.ts";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { isFieldElement } from "../../core/crypto/field.ts";
import { type Groth16Proof, publicSignalNames, withdrawCircuit } from "../../core/crypto/groth16.ts";
import { isLive, isPaid } from "../../store/store.ts";
import {
  Candidate,
  type CheckDeps,
  type FinishChecks,
  type Refusal,
  type WithdrawalCheck,
  type WithdrawalSubmission,
} from "./candidate.ts";
import {
  blockedPayoutsRefusal,
  capsRefusal,
  costRefusal,
  finishCapReservation,
  fundsRefusal,
  getFeeFloor,
  isRefundCoveredByFee,
  isWithinRefundLimit,
  removeUnjournaled,
  stopRefusal,
} from "./money_checks.ts";
import { getRetryTime } from "./policy.ts";
import { buildJobView, buildPaidView, type WithdrawalView } from "./view.ts";

// Roots that may be added before our withdrawal arrives. Without this margin, a client could make the relayer
// pay for refusals by proving against the oldest root.
const ROOT_MARGIN = 3;

/** A check that refuses with `code`, and with nothing else to say. */
const rule = (
  name: string,
  code: ProblemCode,
  holds: (candidate: Candidate) => boolean,
): WithdrawalCheck => ({ name, refusal: (candidate) => holds(candidate) ? undefined : new Problem(code) });

/** In this order; the pool is found and the public inputs are in the field before. */
export const withdrawalChecks: readonly WithdrawalCheck[] = [
  rule("pool has a minimum fee", "fee_min_missing", ({ pool }) => !pool.lacksMinFee),
  rule(
    "relayer is us",
    "relayer_mismatch",
    ({ request, deps }) => request.signals.relayer === addressToField(deps.wallet.address),
  ),
  rule(
    "recipient is the proven one",
    "recipient_mismatch",
    ({ request }) => request.signals.recipient === addressToField(request.recipient),
  ),
  { name: "a jetton pool pays the recipient", refusal: recipientRefusal },
  rule("fee is the proven one", "fee_mismatch", ({ request }) => request.signals.fee === request.fee),
  rule(
    "refund is the proven one",
    "refund_mismatch",
    ({ request }) => request.signals.refund === request.refund,
  ),
  rule(
    "fee reaches the floor",
    "fee_below_floor",
    (candidate) => candidate.request.fee >= getFeeFloor(candidate),
  ),
  rule(
    "fee is below the denomination",
    "fee_not_below_denomination",
    ({ request, pool }) => request.fee < pool.deployment.denomination,
  ),
  rule(
    "refund is paid by the fee, or a gift the operator allows",
    "refund_above_limit",
    (candidate) => isWithinRefundLimit(candidate) || isRefundCoveredByFee(candidate),
  ),
  { name: "nullifier is in neither a payment nor a live job", refusal: usedNullifierRefusal },
  // After the check of live jobs, so that a duplicate gets its status.
  rule("pool is not retired", "pool_retired", ({ pool }) => pool.deployment.retired !== true),
  { name: "the retry delay is over", refusal: retryRefusal },
  {
    name: "pool is ready",
    refusal({ pool, deps }) {
      const readiness = pool.readiness(deps.clock.now());
      if (readiness.ready) return undefined;
      return new Problem("not_ready", readiness.reason, { members: { retryAfter: 5 } });
    },
  },
  {
    name: "no message would freeze the pool",
    refusal({ pool }) {
      if (!pool.isNearFreezing) return undefined;
      const detail =
        "the pool owes storage, and a withdrawal would freeze it; someone must pay its debt first";
      return new Problem("not_ready", detail, { members: { retryAfter: 600 } });
    },
  },
  rule(
    "root is accepted",
    "unknown_root",
    ({ request, pool }) => pool.rootPlacesLeft(request.signals.root) > 0,
  ),
  rule(
    "root stays accepted for three more roots",
    "stale_root",
    ({ request, pool }) => {
      const left = pool.rootPlacesLeft(request.signals.root);
      return left === 0 || left > ROOT_MARGIN; // unknown roots were refused above
    },
  ),
  { name: "proof verifies", refusal: proofRefusal },
  { name: "note is unspent on chain", refusal: spentRefusal },
  { name: "the pool's payouts are not blocked", refusal: blockedPayoutsRefusal },
  { name: "fee covers the cost", refusal: costRefusal },
  { name: "hourly caps are not reached", refusal: capsRefusal, onFinish: finishCapReservation },
  { name: "wallet is above its stop", refusal: stopRefusal },
  { name: "wallet can pay for it", refusal: fundsRefusal, onFinish: removeUnjournaled },
];

/** Throws `not_in_field` if a public input is not canonical, and `unknown_pool`. */
export function openCandidate(request: WithdrawalSubmission, deps: CheckDeps): Candidate {
  const { signals, fee, refund } = request;
  if (![...Object.values(signals), fee, refund].every(isFieldElement)) throw new Problem("not_in_field");
  const pool = deps.pools.get(request.pool.toRawString());
  if (!pool) throw new Problem("unknown_pool");
  return new Candidate({ request, pool, deps });
}

/** Throws the problem of the first failed check, after finishing the earlier ones. Call the result exactly once. */
export async function runWithdrawalChecks(
  candidate: Candidate,
  checks: readonly WithdrawalCheck[] = withdrawalChecks,
): Promise<FinishChecks> {
  const passed: WithdrawalCheck[] = [];
  const end: FinishChecks = async (accepted) => {
    for (const { onFinish } of passed) await onFinish?.(candidate, accepted);
  };
  try {
    for (const check of checks) {
      const problem = await check.refusal(candidate);
      if (problem) throw problem;
      passed.push(check);
    }
  } catch (error) {
    await end(false);
    throw error;
  }
  return end;
}

async function usedNullifierRefusal(candidate: Candidate): Promise<Refusal> {
  const { id, pool, deps } = candidate;
  const job = await candidate.earlierJob();
  if (job && (isLive(job) || isPaid(job))) return usedNullifier(buildJobView(pool.formattedAddress, job));
  const payment = await deps.store.withdrawal(pool.id, id.nullifierHash);
  return payment && usedNullifier(buildPaidView(pool.formattedAddress, id.nullifierHash, payment));
}

async function retryRefusal(candidate: Candidate): Promise<Refusal> {
  const job = await candidate.earlierJob();
  const wait = job ? getRetryTime(job) - candidate.deps.clock.now() : 0;
  if (wait <= 0) return undefined;
  return new Problem("retry_later", undefined, { members: { retryAfter: Math.ceil(wait / 1000) } });
}

async function proofRefusal(candidate: Candidate): Promise<Refusal> {
  const { request, pool, deps } = candidate;
  let proof: Groth16Proof;
  try {
    proof = candidate.proof();
  } catch (error) {
    if (error instanceof Problem) return new Problem("proof_invalid", error.message);
    throw error;
  }
  const holds = await deps.proofVerifier.verify(
    withdrawCircuit(pool.deployment.version),
    proof,
    publicSignalNames.withdraw.map((name) => String(request.signals[name])),
  );
  return holds ? undefined : new Problem("proof_invalid");
}

async function spentRefusal({ id, pool, deps }: Candidate): Promise<Refusal> {
  const spent = await deps.poolCache.getIsSpent(pool, id.nullifierHash);
  return spent ? usedNullifier(buildPaidView(pool.formattedAddress, id.nullifierHash)) : undefined;
}

/** Standard jetton wallets pay only in the basechain, and a pool cannot pay its own wallet. */
function recipientRefusal({ request: { recipient }, pool: { deployment } }: Candidate): Refusal {
  if (deployment.asset === "native") return undefined;
  const detail = recipient.workChain !== 0
    ? "a jetton pool pays in workchain 0 only"
    : deployment.jettonWallet?.equals(recipient)
    ? "it is the pool's own jetton wallet"
    : undefined;
  return detail === undefined
    ? undefined
    : new Problem("invalid_request", detail, { errors: [{ pointer: "/recipient", detail }] });
}

function usedNullifier(withdrawal: WithdrawalView): Problem {
  return new Problem("nullifier_already_used", undefined, { members: { withdrawal } });
}
