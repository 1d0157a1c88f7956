/** Waits for a withdrawal, for a limited time. A relayer's report proves nothing. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { type Clock, monotonicClock } from "../../core/time/clock.ts";
import { cancelled, pollUntil } from "../../core/time/deadline.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { RelayerClient, WithdrawalStatus, WithdrawArgs } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";

/** Limits, polling and progress of a wait. */
export interface WithdrawalWaitOptions {
  /** Milliseconds between polls of the relayer. Default: 2,000. */
  readonly pollIntervalMs?: number;
  /** Default: ten minutes, or three if other relayers can still be tried. */
  readonly timeoutMs?: number | undefined;
  /** The wait for a note in use by another submission. Default: three minutes. 0 polls the relayer once. */
  readonly inUseTimeoutMs?: number | undefined;
  /** Asks the pool, after every fifth poll of the relayer. A spent note ends the wait. */
  readonly isSpent?: () => Promise<boolean>;
  /** Called when the relayer has accepted a submitted proof, before its status is known. */
  readonly onAccepted?: (relayer: RelayerClient) => void;
  readonly onStatus?: (status: WithdrawalStatus, waited: WithdrawalWaitProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** The progress of a wait. */
export interface WithdrawalWaitProgress {
  readonly relayer: RelayerClient;
  readonly elapsedMs: number;
  readonly timeoutMs: number;
  readonly inUse: boolean;
}

/** Three lifetimes of a relayer's transfer. */
export const FAILOVER_TIMEOUT_MS = 180_000;
/** Longer if no other relayer can be tried, because the chain may be slow. */
const WITHDRAWAL_TIMEOUT_MS = 600_000;
const STATUS_POLLS_PER_CHAIN_POLL = 5; // the chain's endpoint limits requests

export const CONFIRMED_BY_CHAIN: WithdrawalStatus = { state: "confirmed" };

/** Returns the milliseconds left; negative if the clock was set back. */
export function remainingFailoverMs(sinceMs: number): number {
  return Math.min(Math.max(FAILOVER_TIMEOUT_MS - sinceMs, 0), FAILOVER_TIMEOUT_MS);
}

/**
 * Waits until a withdrawal is confirmed, failed or expired.
 * @param nullifierHash of the note
 * @returns the relayer's last status, which proves nothing, or `confirmed` if `isSpent` returned true
 * @throws {Problem} `cancelled`; `relayer_unavailable` after the timeout; {@linkcode RelayerProblem}
 * @example
 * ```ts
 * await relayer.withdraw(args);
 * const isSpent = () => pool.getIsSpent(note.nullifierHash);
 * const { state } = await waitForWithdrawal(relayer, pool.address, note.nullifierHash, { isSpent });
 * ```
 */
export async function waitForWithdrawal(
  relayer: RelayerClient,
  pool: Address,
  nullifierHash: bigint,
  options: WithdrawalWaitOptions = {},
): Promise<WithdrawalStatus> {
  return await pollUntilFinal(relayer, pool, nullifierHash, options, false);
}

/** Gives less time to a relayer that reports the note as in use: the report may be false. */
export async function submitAndWait(
  relayer: RelayerClient,
  pool: AnyPool,
  args: WithdrawArgs,
  nullifierHash: bigint,
  options: WithdrawalWaitOptions,
): Promise<WithdrawalStatus> {
  const isSpent = () => pool.getIsSpent(nullifierHash);
  const inUse = await submitReportsInUse(relayer, args);
  if (!inUse) options.onAccepted?.(relayer);
  const { timeoutMs = WITHDRAWAL_TIMEOUT_MS, inUseTimeoutMs = FAILOVER_TIMEOUT_MS } = options;
  const bounded = {
    isSpent,
    ...options,
    ...inUse && { timeoutMs: Math.min(timeoutMs, inUseTimeoutMs) },
  };
  try {
    return await pollUntilFinal(relayer, pool.address, nullifierHash, bounded, inUse);
  } catch (error) {
    if (!inUse || !(error instanceof RelayerProblem) || await isSpent()) throw error;
    throw new Problem(
      "relayer_unavailable",
      "it reports the note as in use, but reports no withdrawal of it; the pool does not report it as spent",
      { cause: error },
    );
  }
}

async function pollUntilFinal(
  relayer: RelayerClient,
  pool: Address,
  nullifierHash: bigint,
  options: WithdrawalWaitOptions,
  inUse: boolean,
): Promise<WithdrawalStatus> {
  const { pollIntervalMs = 2_000, timeoutMs = WITHDRAWAL_TIMEOUT_MS, isSpent, onStatus, signal } = options;
  const { clock = monotonicClock } = options;
  const startedAt = clock.now();
  let polls = 0;
  let final: WithdrawalStatus | undefined;
  await pollUntil(async () => {
    if (signal?.aborted) throw cancelled(signal);
    const status = await relayer.withdrawalStatus(pool, nullifierHash);
    const elapsedMs = clock.now() - startedAt;
    onStatus?.(status, { relayer, elapsedMs, timeoutMs, inUse });
    if (status.state !== "accepted" && status.state !== "broadcast") final = status;
    else if (++polls % STATUS_POLLS_PER_CHAIN_POLL === 0 || elapsedMs + pollIntervalMs > timeoutMs) {
      if (await isConfirmedSpent(isSpent)) final = CONFIRMED_BY_CHAIN;
    }
    return final !== undefined;
  }, { signal, clock, intervalMs: pollIntervalMs, timeoutMs: timeoutMs - pollIntervalMs });
  if (final !== undefined) return final;
  throw new Problem("relayer_unavailable", timeoutDetail(timeoutMs, inUse));
}

/** Returns false if the endpoint does not respond: the relayer may still finish. */
async function isConfirmedSpent(isSpent: (() => Promise<boolean>) | undefined): Promise<boolean> {
  try {
    return await isSpent?.() ?? false;
  } catch (error) {
    if (error instanceof Problem && error.code !== "cancelled") return false;
    throw error;
  }
}

function timeoutDetail(timeoutMs: number, inUse: boolean): string {
  const time = timeoutMs > 0
    ? `within ${Math.round(timeoutMs / 1000)} s`
    : "within the time that it had left";
  return inUse
    ? `it reports the note as in use, but has not finished a withdrawal of it ${time}`
    : `it has not finished ${time}`;
}

async function submitReportsInUse(relayer: RelayerClient, args: WithdrawArgs): Promise<boolean> {
  try {
    await relayer.withdraw(args);
    return false;
  } catch (error) {
    if (error instanceof RelayerProblem && error.code === "nullifier_already_used") return true;
    throw error;
  }
}
