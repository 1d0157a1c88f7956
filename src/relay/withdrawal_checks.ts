/**
 * Which withdrawals this relayer broadcasts. Checks run in order, cheapest first; the first that refuses ends it.
 * Nothing is counted before the proof has held, and what was counted is uncounted when it is not taken on.
 */
import { type Address } from "@ton/core";
import { addressToField } from "../core/address_field.ts";
import { Problem, type ProblemCode, type ProblemDetail } from "../core/errors.ts";
import { isFieldElement } from "../core/field.ts";
import { policyFloor } from "../core/fee.ts";
import type { Groth16Proof } from "../core/groth16.ts";
import { parseProof } from "../core/proof_codec.ts";
import { isLive, type Job, type JobId, type Store } from "../store/store.ts";
import type { Wallet } from "../ton/wallet.ts";
import type { Balance } from "./balance.ts";
import type { Clock } from "./clock.ts";
import type { HourlyCaps } from "./hourly_caps.ts";
import type { PoolAnswers } from "./pool_answers.ts";
import type { PoolState } from "./pool_state.ts";
import type { PriceList } from "./price_list.ts";
import type { ProofVerifier } from "./proof_verifier.ts";
import { withdrawalCost } from "./withdrawal_cost.ts";
import { viewOfJob, viewOfPayment } from "./withdrawal_view.ts";
import { attached, feeMinOf, refundLimitOf, retryAt } from "./terms.ts";

/** The six public inputs, by name. */
export interface WithdrawSignals {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly recipient: bigint;
  readonly relayer: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** A withdrawal as asked for: well-formed, and nothing more is known of it. Amounts in nano. */
export interface WithdrawRequest {
  readonly pool: Address;
  /** A proof's shape; {@linkcode parseProof} decides whether it is one. */
  readonly proof: unknown;
  readonly signals: WithdrawSignals;
  readonly recipient: Address;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** What the checks ask. */
export interface CheckDeps {
  readonly answers: PoolAnswers;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly verifier: ProofVerifier;
  readonly prices: PriceList;
  readonly balance: Balance;
  /** Withdrawals that the wallet was found to pay for and that may not be journaled yet, each with its name. */
  readonly taking: Map<Candidate, string>;
  /** undefined: withdrawals are not counted. */
  readonly caps?: HourlyCaps;
  readonly clock: Clock;
  readonly feeBps: number;
  /** Smallest fee of native pools that name none of their own, nano. */
  readonly feeMinNano: bigint;
  /** What a withdrawal of jettons may cost at most, nano; undefined: anything. */
  readonly maxCostNano?: bigint;
  /** The pools that are offered, by raw address. */
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
}

/** One withdrawal on its way through the checks. */
export interface Candidate {
  readonly request: WithdrawRequest;
  readonly deps: CheckDeps;
  /** Known once "pool is registered" has passed. */
  readonly pool: PoolState;
}

/** A named rule. */
export interface Check {
  readonly name: string;
  readonly refuse: ProblemCode;
  /** True when it holds; false or the members of the problem document when it does not. */
  readonly holds: (candidate: Candidate) => Verdict | Promise<Verdict>;
  /** Called once after it held, with whether the withdrawal was taken on. */
  readonly end?: (candidate: Candidate, accepted: boolean) => Promise<void>;
}

/** Ends checks that have passed. Must be called, once. */
export type EndChecks = (accepted: boolean) => Promise<void>;

type Verdict = boolean | {
  readonly detail?: string;
  readonly members: Record<string, unknown>;
  readonly errors?: readonly ProblemDetail[];
};

/** The policy. */
export const withdrawalChecks: readonly Check[] = [
  {
    name: "public inputs are canonical field elements",
    refuse: "not_in_field",
    holds: ({ request }) =>
      [...Object.values(request.signals), request.fee, request.refund].every(isFieldElement),
  },
  { name: "pool is registered", refuse: "unknown_pool", holds: ({ pool }) => pool !== undefined },
  {
    name: "relayer is us",
    refuse: "relayer_mismatch",
    holds: ({ request, deps }) => request.signals.relayer === addressToField(deps.wallet.address),
  },
  {
    name: "recipient is the proven one",
    refuse: "recipient_mismatch",
    holds: ({ request }) => request.signals.recipient === addressToField(request.recipient),
  },
  { name: "a jetton pool pays the recipient", refuse: "invalid_request", holds: isPayable },
  {
    name: "fee is the proven one",
    refuse: "fee_mismatch",
    holds: ({ request }) => request.signals.fee === request.fee,
  },
  {
    name: "refund is the proven one",
    refuse: "refund_mismatch",
    holds: ({ request }) => request.signals.refund === request.refund,
  },
  {
    name: "fee reaches the floor",
    refuse: "fee_below_floor",
    holds: (candidate) => candidate.request.fee >= floorOf(candidate),
  },
  {
    name: "fee is below the denomination",
    refuse: "fee_not_below_denomination",
    holds: ({ request, pool }) => request.fee < pool.deployment.denomination,
  },
  {
    name: "refund is paid by the fee, or a gift the operator allows",
    refuse: "refund_above_limit",
    holds: (candidate) => isGift(candidate) || refundIsPaid(candidate),
  },
  {
    name: "nullifier is in neither a payment nor a live job",
    refuse: "nullifier_already_used",
    holds: isUnused,
  },
  {
    name: "pool is not retired", // after the live jobs: who repeats one of them hears where it stands
    refuse: "pool_retired",
    holds: ({ pool }) => pool.deployment.retired !== true,
  },
  { name: "its last failure is long enough ago", refuse: "retry_later", holds: mayRetry },
  {
    name: "pool is ready",
    refuse: "not_ready",
    holds: ({ pool, deps }) => {
      const readiness = pool.readiness(deps.clock.now());
      return readiness.ready || { detail: readiness.reason, members: { retryAfter: 5 } };
    },
  },
  {
    name: "root is among the last 30",
    refuse: "unknown_root",
    holds: ({ request, pool }) => pool.roots.includes(request.signals.root),
  },
  { name: "proof verifies", refuse: "proof_invalid", holds: provesWithdrawal },
  { name: "note is unspent on chain", refuse: "nullifier_already_used", holds: isUnspent },
  { name: "fee covers the cost", refuse: "uneconomic", holds: isEconomic },
  { name: "hourly caps are not reached", refuse: "hourly_cap_reached", holds: isWithinCaps, end: endCount },
  { name: "wallet is above its stop", refuse: "relayer_balance_low", holds: isAboveStop },
  { name: "wallet can pay for it", refuse: "relayer_balance_low", holds: isFunded, end: endTaking },
];

/**
 * Runs the checks in order.
 *
 * @returns what ends them, once it is known whether the withdrawal is taken on
 * @throws {Problem} of the first that refuses; those before it are ended then
 */
export async function checkWithdrawal(
  request: WithdrawRequest,
  deps: CheckDeps,
  checks: readonly Check[] = withdrawalChecks,
): Promise<EndChecks> {
  const pool = deps.pools.get(request.pool.toRawString());
  const candidate = { request, deps, pool } as Candidate;
  const passed: Check[] = [];
  const end: EndChecks = async (accepted) => {
    for (const check of passed) await check.end?.(candidate, accepted);
  };
  try {
    for (const check of checks) {
      const verdict = await check.holds(candidate);
      if (verdict === false) throw new Problem(check.refuse);
      if (verdict !== true) throw new Problem(check.refuse, verdict.detail, verdict);
      passed.push(check);
    }
  } catch (error) {
    await end(false);
    throw error;
  }
  return end;
}

/** The message's proof, in canonical form. */
export function proofOf(request: WithdrawRequest): Groth16Proof {
  return parseProof(request.proof);
}

function floorOf({ pool, deps }: Candidate): bigint {
  const { denomination } = pool.deployment;
  return policyFloor({
    denomination,
    feeBps: deps.feeBps,
    feeMin: feeMinOf(pool.deployment, deps.feeMinNano),
  });
}

/** Within what the operator gives. A refund that the fee pays for is another matter, in native pools only. */
function isGift({ request, pool }: Candidate): boolean {
  return request.refund <= refundLimitOf(pool.deployment);
}

function refundIsPaid(candidate: Candidate): boolean {
  const { request, pool } = candidate;
  return pool.deployment.asset === "native" && request.fee - request.refund >= floorOf(candidate);
}

async function isUnused({ request, pool, deps }: Candidate): Promise<Verdict> {
  const { nullifierHash } = request.signals;
  const job = await deps.store.job({ pool: pool.id, nullifierHash });
  if (job && (isLive(job) || job.state === "confirmed")) return alreadyUsed(viewOfJob(pool.shown, job));
  const payment = await deps.store.withdrawal(pool.id, nullifierHash);
  return !payment || alreadyUsed(viewOfPayment(pool.shown, nullifierHash, payment));
}

async function mayRetry({ request, pool, deps }: Candidate): Promise<Verdict> {
  const job: Job | undefined = await deps.store.job({
    pool: pool.id,
    nullifierHash: request.signals.nullifierHash,
  });
  const wait = job ? retryAt(job) - deps.clock.now() : 0;
  return wait <= 0 || { members: { retryAfter: Math.ceil(wait / 1000) } };
}

async function provesWithdrawal({ request, deps }: Candidate): Promise<Verdict> {
  const { root, nullifierHash, recipient, relayer, fee, refund } = request.signals;
  let proof: Groth16Proof;
  try {
    proof = proofOf(request);
  } catch (error) {
    if (error instanceof Problem) return { detail: error.message, members: {} };
    throw error;
  }
  return await deps.verifier.verify(
    proof,
    [root, nullifierHash, recipient, relayer, fee, refund].map(String),
  );
}

async function isUnspent({ request, pool, deps }: Candidate): Promise<Verdict> {
  const { nullifierHash } = request.signals;
  const spent = await deps.answers.isSpent(pool, nullifierHash);
  return !spent || alreadyUsed(viewOfPayment(pool.shown, nullifierHash));
}

/** Standard jetton wallets pay in the basechain only, and a pool not its own wallet; of coins the request's shape tells. */
function isPayable({ request: { recipient }, pool: { deployment } }: Candidate): Verdict {
  if (deployment.asset === "native") return true;
  const detail = recipient.workChain !== 0
    ? "a jetton pool pays in workchain 0 only"
    : deployment.jettonWallet?.equals(recipient)
    ? "it is the pool's own jetton wallet"
    : undefined;
  if (detail === undefined) return true;
  return { detail, members: {}, errors: [{ pointer: "/recipient", detail }] };
}

/**
 * What a native pool's fee must pay: the way through the chain, and the refund unless that is a gift. A jetton's fee has
 * no price in coins here, so what it may cost, refund included, is the operator's bound.
 */
async function isEconomic(candidate: Candidate): Promise<Verdict> {
  const { request, pool, deps } = candidate;
  const isNative = pool.deployment.asset === "native";
  if (!isNative && deps.maxCostNano === undefined) return true;
  const cost = withdrawalCost(await deps.prices.current(), await deps.answers.info(pool));
  const holds = isNative
    ? request.fee >= cost + (isGift(candidate) ? 0n : request.refund)
    : cost + request.refund <= deps.maxCostNano!;
  return holds || { members: { cost: String(cost) } };
}

/** The wallet pays for all that waits: in the journal, and on its way there. */
async function isFunded(candidate: Candidate): Promise<Verdict> {
  const { request: { refund }, pool, deps } = candidate;
  const value = attached(await deps.answers.withdrawValue(pool, refund));
  const waiting = new Set(deps.taking.values()); // before the journal is read: it may take them meanwhile
  for (const job of await deps.store.liveJobs()) if (job.state === "accepted") waiting.add(nameOf(job));
  const balance = await balanceOf(deps);
  for (const name of deps.taking.values()) waiting.add(name);
  const own = nameOf({ pool: pool.id, nullifierHash: candidate.request.signals.nullifierHash });
  waiting.delete(own);
  if (balance < value * BigInt(waiting.size + 1)) return false;
  deps.taking.set(candidate, own);
  return true;
}

function endTaking(candidate: Candidate): Promise<void> {
  candidate.deps.taking.delete(candidate);
  return Promise.resolve();
}

function nameOf({ pool, nullifierHash }: JobId): string {
  return `${pool} ${nullifierHash}`;
}

async function isWithinCaps({ request, pool, deps }: Candidate): Promise<Verdict> {
  const taken = await deps.caps?.take({ pool: pool.id, nullifierHash: request.signals.nullifierHash });
  return taken === undefined || taken.allowed || { members: { retryAfter: taken.retryAfter } };
}

async function endCount({ request, pool, deps }: Candidate, accepted: boolean): Promise<void> {
  await deps.caps?.end({ pool: pool.id, nullifierHash: request.signals.nullifierHash }, accepted);
}

async function isAboveStop({ deps }: Candidate): Promise<Verdict> {
  const { stop } = deps.balance.bounds;
  return stop === 0n || await balanceOf(deps) >= stop;
}

function balanceOf({ balance }: CheckDeps): Promise<bigint> {
  return balance.current({ patient: true });
}

function alreadyUsed(withdrawal: unknown): Verdict {
  return { members: { withdrawal } };
}
