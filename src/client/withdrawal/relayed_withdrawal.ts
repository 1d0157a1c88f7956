/** Withdraws through untrusted relayers: the pool must confirm tree and payment, and no response ends the search. */
import { exitCodes, Problem, type ProblemCode, type ProblemDetail } from "../../core/errors/problem.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import { RelayerClient, type WithdrawalStatus } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import type { RelayerQuote } from "../relayer/relayer_quotes.ts";
import { findNotePayment, type FindPaymentOptions, type NotePayment } from "../notes/note_payment.ts";
import { checkWithdrawal } from "./build_withdraw_args.ts";
import {
  buildArgsForRelayer,
  CallbackError,
  fetchRelayerPolicy,
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

/** The outcome of a withdrawal through relayers. */
export interface RelayedWithdrawalResult {
  readonly relayer: RelayerClient;
  readonly status: WithdrawalStatus;
  /** The result in the pool's logs. `superseded`: another proof of the note was paid. */
  readonly payment: NotePayment;
}

interface Candidate {
  readonly relayer: RelayerClient;
  floor?: bigint; // the relayer's earlier fee, which it must not raise
  failedProofs: number;
}

const MAX_EXPIRED_ATTEMPTS = 3;

/** Faults of the request itself: no other relayer can help. */
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
  "artifact_unavailable",
  "artifact_corrupted",
  "fee_not_below_denomination",
]);

/**
 * Withdraws through the first relayer that completes the withdrawal, and waits until the pool has paid. It follows the
 * withdrawal of an interrupted run instead of repeating it.
 * @param relayers in the order to try them; one that raises its quoted fee is skipped
 * @returns the last relayer that got the proof, and the payment in the pool's logs
 * @throws {Problem} `relayer_unavailable`, with one entry of `errors` for each relayer; `fee_above_limit` if
 *   all exceed `maxFee`; `nullifier_already_used` only if the pool reports the note as spent; faults of the
 *   request and errors of its callbacks at once
 * @example
 * ```ts
 * const { quotes } = await quoteRelayers(relayers, { network: "testnet", pool: pool.address });
 * const request = { pool, network: "testnet", note, recipient, prover } as const;
 * const { status, payment } = await withdrawViaRelayers(quotes, request);
 * ```
 */
export async function withdrawViaRelayers(
  relayers: readonly (RelayerClient | Pick<RelayerQuote, "relayer" | "fee">)[],
  given: RelayedWithdrawalRequest,
  options: WithdrawalWaitOptions & ProveOptions = {},
): Promise<RelayedWithdrawalResult> {
  const { pool } = given;
  const { signal } = options;
  const checked = await checkWithdrawal(given, options); // before any relayer is asked
  const request = { ...given, note: checked.note, isKnownUnspent: given.isKnownUnspent ?? false };
  const { nullifierHash } = checked.note;
  const after = (await pool.chain.transactions(pool.address, { limit: 1, signal }))[0]?.id;
  const queue = toCandidates(relayers);
  const errors: ProblemDetail[] = [];
  let tooExpensive = 0;
  let submittedTo: RelayerClient | undefined;
  for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
    const { relayer } = candidate;
    request.onRelayer?.(relayer);
    try {
      const policy = await fetchRelayerPolicy(relayer, request, candidate.floor);
      candidate.floor = policy.floor;
      const args = await buildArgsForRelayer({ relayer, ...policy }, request, checked, options);
      submittedTo = relayer;
      request.isKnownUnspent = false; // the relayer knows the nullifier hash, and may have the note paid at any time
      const limits = waitLimits(queue.length > 0, request, options);
      const status = await submitAndWait(relayer, pool, args, nullifierHash, { ...options, ...limits });
      if (await pool.getIsSpent(nullifierHash)) {
        return await reportPaid(relayer, status, request, { ...options, after });
      }
      if (status.state === "confirmed" || status.state === "superseded") {
        throw new Problem("relayer_unavailable", "it reports the note as paid, but the pool does not");
      }
      candidate.failedProofs++;
      // The root expired before the proof was included. A newer proof may arrive in time.
      const mayRetry = status.state === "expired" && candidate.failedProofs < MAX_EXPIRED_ATTEMPTS;
      if (mayRetry) queue.unshift(candidate);
      errors.push({ pointer: relayer.baseUrl, detail: failureDetail(status) });
    } catch (error) {
      if (error instanceof CallbackError) throw error.cause;
      if (!(error instanceof Problem)) throw error;
      if (!(error instanceof RelayerProblem) && NON_RETRYABLE_CODES.has(error.code)) {
        // Only the note's owner can prove, so an earlier relayer must have sent its proof.
        if (submittedTo && error.code === "nullifier_already_used") {
          return await reportPaid(submittedTo, CONFIRMED_BY_CHAIN, request, { ...options, after });
        }
        throw error;
      }
      if (error.code === "fee_above_limit") tooExpensive++;
      if (isStaleRoot(error) && ++candidate.failedProofs < MAX_EXPIRED_ATTEMPTS) queue.unshift(candidate);
      const code = error instanceof RelayerProblem ? error.code : undefined;
      errors.push({ pointer: relayer.baseUrl, detail: error.message, ...code && { code } });
    }
    const isFailover = queue.length > 0 && queue[0].relayer !== relayer;
    if (isFailover && submittedTo === relayer) {
      request.onFailover?.(relayer, errors[errors.length - 1].detail);
    }
  }
  if (submittedTo && await pool.getIsSpent(nullifierHash)) {
    return await reportPaid(submittedTo, CONFIRMED_BY_CHAIN, request, { ...options, after });
  }
  if (tooExpensive > 0 && tooExpensive === errors.length) {
    throw new Problem("fee_above_limit", undefined, { errors });
  }
  throw noRelayerLeft(submittedTo !== undefined, errors);
}

/** Reads the payment from the pool's logs: the relayer may report a payment of another proof as this one. */
async function reportPaid(
  relayer: RelayerClient,
  status: WithdrawalStatus,
  { pool, note, recipient, clock }: RelayedWithdrawalRequest,
  { after, signal, pollIntervalMs }: WithdrawalWaitOptions & Pick<FindPaymentOptions, "after">,
): Promise<RelayedWithdrawalResult> {
  const search = { after, signal, pollIntervalMs, clock };
  const payment = await findNotePayment(pool.chain, pool.address, note, search);
  if (status.state === "superseded") return { relayer, status, payment };
  if (!payment.recipient.equals(recipient)) return { relayer, status: { state: "superseded" }, payment };
  return { relayer, status: status.state === "confirmed" ? status : CONFIRMED_BY_CHAIN, payment };
}

/** Deposits arrived while this client proved, and the root is about to expire. */
function isStaleRoot(error: Problem): boolean {
  return error instanceof RelayerProblem && error.code === "stale_root";
}

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

/** A relayer gets less time if other relayers can still be tried. */
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

/** Quotes the relayer's reason only if it is an exit code other than ERR_ALREADY_SPENT. */
function failureDetail({ state, reason }: WithdrawalStatus): string {
  const isQuoted = Object.hasOwn(exitCodes, reason ?? "") && reason !== "ERR_ALREADY_SPENT";
  return `it reports that the withdrawal has ${state}${isQuoted ? `: ${reason}` : ""}`;
}
