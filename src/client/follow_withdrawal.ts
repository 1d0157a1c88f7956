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
   * one is left to ask, or where it says that the note is in use by a withdrawal that this run did not submit.
   */
  readonly patienceMs?: number;
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
  const { patienceMs = PATIENCE_MS } = options;
  const bounded = inUse ? { ...options, patienceMs: Math.min(patienceMs, SHORT_PATIENCE_MS) } : options;
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
  const { pollMs = 2_000, patienceMs = PATIENCE_MS, onStatus, signal } = options;
  const { wait = (ms: number) => pause(ms, signal), now = () => performance.now() } = options;
  for (let ms = 0; ms <= patienceMs; ms += pollMs) {
    if (signal?.aborted) throw new Problem("cancelled", undefined, { cause: signal.reason });
    const asked = now();
    const status = await relayer.withdrawStatus(pool, nullifierHash);
    ms += now() - asked; // one that answers late gets no more time than others
    onStatus?.(status, { relayer, ms, patienceMs, inUse });
    if (status.state !== "accepted" && status.state !== "broadcast") return status;
    await wait(pollMs);
  }
  const seconds = Math.round(patienceMs / 1000);
  throw new Problem(
    "relayer_unavailable",
    inUse
      ? `it says that the note is in use, and has finished no withdrawal of it in ${seconds} s`
      : `it has not finished in ${seconds} s`,
  );
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
