/**
 * A withdrawal through the first of several relayers that completes it. No relayer is trusted: its tree is used only if the
 * pool reports the root that its leaves make, a note counts as paid only if the pool reports it as spent, and nothing that
 * one relayer answers prevents the next one from being tried.
 */
import { exitCodes, Problem, type ProblemCode, type ProblemDetail } from "../../core/errors/problem.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import { RelayerClient, type WithdrawalStatus } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import type { RelayerQuote } from "../relayer/relayer_quotes.ts";
import { findNotePayment, type NotePayment } from "../notes/note_payment.ts";
import { assertRecipientNotBlocked } from "./recipient_check.ts";
import {
  buildArgsForRelayer,
  CallbackError,
  fetchTerms,
  type RelayedWithdrawalRequest,
} from "./relayer_attempt.ts";
import {
  CONFIRMED_BY_CHAIN,
  FAILOVER_TIMEOUT_MS,
  remainingFailoverMs,
  submitAndWait,
  type WithdrawalWaitOptions,
} from "./withdrawal_wait.ts";

export { defaultMaxFee, type RelayedWithdrawalRequest, type RelayerOffer } from "./relayer_attempt.ts";

/** The outcome of a relayed withdrawal. */
export interface RelayedWithdrawalResult {
  readonly relayer: RelayerClient;
  readonly status: WithdrawalStatus;
  /** If the status is `superseded`: whom the pool paid instead, from its own logs. */
  readonly payment?: NotePayment;
}

/** A relayer in the queue. */
interface Candidate {
  readonly relayer: RelayerClient;
  /** Its earlier fee, which it must not raise. */
  floor?: bigint;
  /** Proofs of this withdrawal that it did not get paid. */
  failedProofs: number;
}

/** How often a withdrawal whose root grew too old is proved for the same relayer, the first time included. */
const MAX_EXPIRED_ATTEMPTS = 3;

/** Faults of the request itself, found by this client: no other relayer can help. */
const NON_RETRYABLE_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "cancelled",
  "confirmation_required",
  "wrong_pool",
  "invalid_address",
  "unpayable_recipient",
  "invalid_note",
  "nullifier_already_used",
  "commitment_not_found", // in a tree that the pool's root and leaf count confirm
  "constraints_unsatisfied",
  "fee_not_below_denomination",
]);

/**
 * Withdraws through the first relayer that completes it, and waits until the pool has paid. A withdrawal that an earlier,
 * interrupted run submitted is followed instead of being made again.
 *
 * @param relayers in the order to try them. A relayer that is given with its quote, or that is tried again, is skipped if it
 *   raises its fee
 * @param request what to withdraw and to whom; fees in the smallest unit of the pool's asset
 * @param options how long to wait (milliseconds), cancellation and progress
 * @returns the relayer that had the proof last. If it reports the withdrawal as superseded, `payment` is what the pool paid
 *   instead. If several relayers had a proof, the pool may have paid through any of them, and a proof of an earlier call may
 *   have paid another recipient: {@linkcode findNotePayment} finds the payment
 * @throws {Problem} `relayer_unavailable`, with one entry of `errors` for each relayer, if none completes it;
 *   `fee_above_limit` if all of them ask for more than `maxFee`; `nullifier_already_used` only if the pool reports the note
 *   as spent. A fault of the request, or an error of its callbacks, is thrown at once
 * @example
 * ```ts
 * const { quotes } = await quoteRelayers(relayers, { network: "testnet", pool: pool.address });
 * const request = { pool, network: "testnet", note, recipient, prover } as const;
 * const { relayer, status } = await withdrawViaRelayers(quotes, request);
 * ```
 */
export async function withdrawViaRelayers(
  relayers: readonly (RelayerClient | Pick<RelayerQuote, "relayer" | "fee">)[],
  request: RelayedWithdrawalRequest,
  options: WithdrawalWaitOptions & ProveOptions = {},
): Promise<RelayedWithdrawalResult> {
  const { pool, note: { nullifierHash }, recipient, blockedRecipients = [] } = request;
  assertRecipientNotBlocked(recipient, [pool.address, ...blockedRecipients]); // before any request
  const queue = toCandidates(relayers);
  const errors: ProblemDetail[] = [];
  let tooExpensive = 0;
  let submittedTo: RelayerClient | undefined;
  for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
    const { relayer } = candidate;
    request.onRelayer?.(relayer);
    try {
      const terms = await fetchTerms(relayer, request, candidate.floor);
      candidate.floor = terms.floor;
      const args = await buildArgsForRelayer({ relayer, ...terms }, request, options);
      submittedTo = relayer;
      const limits = waitLimits(queue.length > 0, request, options);
      const status = await submitAndWait(relayer, pool, args, nullifierHash, { ...options, ...limits });
      if (await pool.getIsSpent(nullifierHash)) {
        return await reportPaid(relayer, status, request, options);
      }
      if (status.state === "confirmed" || status.state === "superseded") {
        throw new Problem("relayer_unavailable", "it reports the note as paid, but the pool does not");
      }
      candidate.failedProofs++;
      // The proof's root left the pool's last 30 before it was included. A newer proof may arrive in time.
      const mayRetry = status.state === "expired" && candidate.failedProofs < MAX_EXPIRED_ATTEMPTS;
      if (mayRetry) queue.unshift(candidate);
      errors.push({ pointer: relayer.baseUrl, detail: failureDetail(status) });
    } catch (error) {
      if (error instanceof CallbackError) throw error.cause;
      if (!(error instanceof Problem)) throw error;
      if (!(error instanceof RelayerProblem) && NON_RETRYABLE_CODES.has(error.code)) {
        // Only the note's owner can prove: an earlier relayer must have broadcast the proof that it had.
        if (submittedTo && error.code === "nullifier_already_used") {
          return { relayer: submittedTo, status: CONFIRMED_BY_CHAIN };
        }
        throw error;
      }
      if (error.code === "fee_above_limit") tooExpensive++;
      if (isStaleRoot(error) && ++candidate.failedProofs < MAX_EXPIRED_ATTEMPTS) queue.unshift(candidate);
      errors.push({ pointer: relayer.baseUrl, detail: error.message });
    }
    const isFailover = queue.length > 0 && queue[0].relayer !== relayer;
    if (isFailover && submittedTo === relayer) {
      request.onFailover?.(relayer, errors[errors.length - 1].detail);
    }
  }
  if (submittedTo && await pool.getIsSpent(nullifierHash)) {
    return { relayer: submittedTo, status: CONFIRMED_BY_CHAIN };
  }
  if (tooExpensive > 0 && tooExpensive === errors.length) {
    throw new Problem("fee_above_limit", undefined, { errors });
  }
  throw noRelayerLeft(submittedTo !== undefined, errors);
}

/** Returns the outcome of a spent note. A superseded withdrawal may have paid another recipient. */
async function reportPaid(
  relayer: RelayerClient,
  status: WithdrawalStatus,
  { pool, note, clock }: RelayedWithdrawalRequest,
  { signal, pollIntervalMs }: WithdrawalWaitOptions,
): Promise<RelayedWithdrawalResult> {
  if (status.state === "confirmed") return { relayer, status };
  if (status.state !== "superseded") return { relayer, status: CONFIRMED_BY_CHAIN };
  const payment = await findNotePayment(pool.chain, pool.address, note, { signal, pollIntervalMs, clock });
  return { relayer, status, payment };
}

/** The relayer refuses a root that is about to leave the pool's last 30: deposits arrived while this client proved. */
function isStaleRoot(error: Problem): boolean {
  return error instanceof RelayerProblem && error.code === "stale_root";
}

/** One entry for each relayer given; equal relayers share their state. */
function toCandidates(
  relayers: readonly (RelayerClient | Pick<RelayerQuote, "relayer" | "fee">)[],
): Candidate[] {
  const known = new Map<RelayerClient, Candidate>();
  return relayers.map((given) => {
    const relayer = given instanceof RelayerClient ? given : given.relayer;
    const candidate = known.get(relayer) ?? { relayer, failedProofs: 0 };
    if (!(given instanceof RelayerClient)) candidate.floor = given.fee;
    known.set(relayer, candidate);
    return candidate;
  });
}

/** A relayer gets less time while others are left to try. */
function waitLimits(
  othersLeft: boolean,
  { sinceSubmittedMs = 0 }: RelayedWithdrawalRequest,
  { timeoutMs }: WithdrawalWaitOptions,
): Pick<WithdrawalWaitOptions, "timeoutMs" | "inUseTimeoutMs"> {
  return {
    timeoutMs: timeoutMs ?? (othersLeft ? FAILOVER_TIMEOUT_MS : undefined),
    inUseTimeoutMs: othersLeft ? remainingFailoverMs(sinceSubmittedMs) : undefined,
  };
}

function noRelayerLeft(wasSubmitted: boolean, errors: readonly ProblemDetail[]): Problem {
  const detail = wasSubmitted
    ? "no relayer has finished the withdrawal; one that was submitted may still be carried out"
    : "no relayer accepted the withdrawal";
  return new Problem("relayer_unavailable", detail, { errors });
}

/** Quotes the relayer's reason only if it is an exit code that does not make the note look spent. */
function failureDetail({ state, reason }: WithdrawalStatus): string {
  const isQuoted = Object.hasOwn(exitCodes, reason ?? "") && reason !== "ERR_ALREADY_SPENT";
  return `it reports that the withdrawal has ${state}${isQuoted ? `: ${reason}` : ""}`;
}
