/**
 * Follows a withdrawal to its end as a relayer tells it. A relayer may tell for ever that it is under way: it is waited for
 * so long and no longer, and what it says of the note is no proof of anything.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Pool } from "../ton/pool.ts";
import { pause } from "./pause.ts";
import type { RelayerClient, WithdrawalStatus, WithdrawArgs } from "./relayer_client.ts";
import { RelayerProblem } from "./relayer_problem.ts";

/** How the end is waited for. */
export interface FollowOptions {
  /** Milliseconds between looks; default 2,000. */
  readonly pollMs?: number;
  /**
   * Milliseconds after which a relayer that has not finished is given up; default ten minutes, and three where another
   * one is left to ask.
   */
  readonly patienceMs?: number;
  /**
   * Milliseconds for one that says that the note is in use by a withdrawal that this run did not submit; default three
   * minutes, and never more than `patienceMs`. 0: it is asked once where that one stands.
   */
  readonly inUsePatienceMs?: number;
  /** What the chain says of the note, asked beside the relayer at times: one that is spent is not waited for. */
  readonly isSpent?: () => Promise<boolean>;
  readonly onStatus?: (status: WithdrawalStatus, waited: WaitedFor) => void;
  readonly signal?: AbortSignal;
  /** Default: the platform's time. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Milliseconds that only grow; default: the platform's. */
  readonly now?: () => number;
}

/** How long a relayer has been waited for. */
export interface WaitedFor {
  readonly relayer: RelayerClient;
  readonly ms: number;
  /** When it is given up. */
  readonly patienceMs: number;
  /** It says that the note is in use already, by a withdrawal that this run did not submit. */
  readonly inUse: boolean;
}

/** Three lives of a relayer's transfer: what an honest one has begun is over by then, as a rule. */
export const SHORT_PATIENCE_MS = 180_000;
/** Where nobody else could be asked: a chain may be slow. */
const PATIENCE_MS = 600_000;
/** Looks at the relayer for one at the chain, whose endpoint counts requests. */
const LOOKS_PER_CHAIN_LOOK = 5;

/** What the chain says, where the relayer says something else or nothing. */
export const PAID: WithdrawalStatus = { state: "confirmed" };

/**
 * What is left of the time in which a relayer should have finished a withdrawal.
 *
 * @param sinceMs milliseconds since it was submitted; a clock that was set back gives no more time
 */
export function patienceLeft(sinceMs: number): number {
  return Math.min(Math.max(SHORT_PATIENCE_MS - sinceMs, 0), SHORT_PATIENCE_MS);
}

/**
 * Waits until a withdrawal is confirmed, failed or expired.
 *
 * @throws {Problem} `cancelled`, `relayer_unavailable` when it takes too long, and what the relayer says
 */
export async function untilEnded(
  relayer: RelayerClient,
  pool: Address,
  nullifierHash: bigint,
  options: FollowOptions = {},
): Promise<WithdrawalStatus> {
  return await follow(relayer, pool, nullifierHash, options, false);
}

/**
 * Submits what was proved, and follows it. When the relayer says that the note is in use, that is a withdrawal of an earlier
 * run that is under way there, or a lie: what becomes of it will show, if it shows soon.
 *
 * @throws {Problem} {@link RelayerProblem} and `relayer_unavailable`; never `nullifier_already_used`
 */
export async function submit(
  relayer: RelayerClient,
  pool: Pool,
  args: WithdrawArgs,
  nullifierHash: bigint,
  options: FollowOptions,
): Promise<WithdrawalStatus> {
  const inUse = await saysInUse(relayer, args);
  const { patienceMs = PATIENCE_MS, inUsePatienceMs = SHORT_PATIENCE_MS } = options;
  const bounded = {
    isSpent: () => pool.getIsSpent(nullifierHash),
    ...options,
    ...inUse && { patienceMs: Math.min(patienceMs, inUsePatienceMs) },
  };
  try {
    return await follow(relayer, pool.address, nullifierHash, bounded, inUse);
  } catch (error) {
    if (!inUse || !(error instanceof RelayerProblem) || await pool.getIsSpent(nullifierHash)) throw error;
    throw new Problem(
      "relayer_unavailable",
      "it says that the note is in use, and tells of no withdrawal; the chain says that it is not",
      { cause: error },
    );
  }
}

async function follow(
  relayer: RelayerClient,
  pool: Address,
  nullifierHash: bigint,
  options: FollowOptions,
  inUse: boolean,
): Promise<WithdrawalStatus> {
  const { pollMs = 2_000, patienceMs = PATIENCE_MS, isSpent, onStatus, signal } = options;
  const { wait = (ms: number) => pause(ms, signal), now = () => performance.now() } = options;
  for (let ms = 0, looks = 1;; looks++, ms += pollMs) {
    if (signal?.aborted) throw new Problem("cancelled", undefined, { cause: signal.reason });
    const asked = now();
    const status = await relayer.withdrawStatus(pool, nullifierHash);
    ms += now() - asked; // one that answers late gets no more time than others
    onStatus?.(status, { relayer, ms, patienceMs, inUse });
    if (status.state !== "accepted" && status.state !== "broadcast") return status;
    const last = ms + pollMs > patienceMs;
    if (isSpent && (last || looks % LOOKS_PER_CHAIN_LOOK === 0) && await knownSpent(isSpent)) return PAID;
    if (last) throw new Problem("relayer_unavailable", overdue(patienceMs, inUse));
    await wait(pollMs);
  }
}

/** An endpoint that does not answer now tells nothing, and the relayer still may. */
async function knownSpent(isSpent: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isSpent();
  } catch (error) {
    if (error instanceof Problem && error.code !== "cancelled") return false;
    throw error;
  }
}

function overdue(patienceMs: number, inUse: boolean): string {
  const time = patienceMs > 0 ? `in ${Math.round(patienceMs / 1000)} s` : "in the time that it had for it";
  return inUse
    ? `it says that the note is in use, and has finished no withdrawal of it ${time}`
    : `it has not finished ${time}`;
}

async function saysInUse(relayer: RelayerClient, args: WithdrawArgs): Promise<boolean> {
  try {
    await relayer.withdraw(args);
    return false;
  } catch (error) {
    if (error instanceof RelayerProblem && error.code === "nullifier_already_used") return true;
    throw error;
  }
}
