/** Takes withdrawals on: checks, journals, waits until the wallet has sent it, and says where one stands. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { proofToCell } from "../core/proof_codec.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { Job, JobId, Withdrawal } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import type { Intake } from "./intake.ts";
import type { PoolState } from "./pool_state.ts";
import { type CheckDeps, checkWithdrawal, proofOf, type WithdrawRequest } from "./withdrawal_checks.ts";
import { retryAt } from "./terms.ts";
import { viewOfJob, viewOfPayment, type WithdrawalView } from "./withdrawal_view.ts";

/** How long a caller waits for the wallet's turn. */
const PATIENCE_MS = 30_000;
/** Between looks at a row that another replica may change: no notification passes a transaction pooler. */
const SHARED_LOOK_MS = 250;

/** What taking on needs beside the checks. */
export interface WithdrawalDeps extends CheckDeps {
  readonly changes: Changes;
  readonly intake: Intake;
  /** Fills the bytes of a query id; must be unpredictable, or others could forge our failures. */
  readonly random: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** Where a withdrawal stands, and whether the transfer that carries it is sent. */
export interface Submission {
  readonly sent: boolean;
  readonly withdrawal: WithdrawalView;
}

/**
 * Takes a withdrawal on and waits until it is sent, 30 s at most.
 *
 * @throws {Problem} of the first check that refuses; `nullifier_already_used` when an equal one was first
 */
export async function submitWithdrawal(
  request: WithdrawRequest,
  deps: WithdrawalDeps,
  signal: AbortSignal,
): Promise<Submission> {
  const { job, first } = await deps.intake.takeOn(request, () => takeOn(request, deps));
  if (!first) throw alreadyUsed(request, deps, job);
  return await untilSent(request, job, deps, signal);
}

async function takeOn(request: WithdrawRequest, deps: WithdrawalDeps): Promise<Job> {
  const end = await checkWithdrawal(request, deps);
  const { store, clock, changes } = deps;
  let accepted = false;
  try {
    const job = await newJob(request, deps);
    const now = clock.now();
    const replaces = (found: Job) => found.state !== "confirmed" && retryAt(found) <= now;
    const inTheWay = await store.addJob(job, replaces).catch((error) => {
      accepted = isUnavailable(error); // it may be written: a count too many only narrows a cap
      throw error;
    });
    if (inTheWay) throw alreadyUsed(request, deps, inTheWay);
    accepted = true;
    changes.notify();
    return job;
  } finally {
    await end(accepted);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === "store_unavailable";
}

async function newJob(request: WithdrawRequest, deps: WithdrawalDeps): Promise<Job> {
  const { store, clock } = deps;
  const { id } = named(request, deps);
  const { root } = request.signals;
  const earlier = await store.job(id);
  return {
    ...id,
    state: "accepted",
    queryId: randomQueryId(deps.random),
    root,
    fee: request.fee,
    refund: request.refund,
    message: {
      recipient: request.recipient.toRawString(),
      proof: proofToCell(proofOf(request)).toBoc().toString("base64"),
    },
    failures: earlier?.failures ?? 0,
    acceptedAt: clock.now(),
  };
}

function alreadyUsed(request: WithdrawRequest, deps: WithdrawalDeps, found: Job | Withdrawal): Problem {
  const withdrawal = viewOf(named(request, deps).pool.shown, request.signals.nullifierHash, found);
  return new Problem("nullifier_already_used", undefined, { members: { withdrawal } });
}

/** Waits for the wallet's turn. What is journaled is taken on: a store that does not answer then is no refusal. */
async function untilSent(
  request: WithdrawRequest,
  taken: Job,
  deps: WithdrawalDeps,
  signal: AbortSignal,
): Promise<Submission> {
  const { store, clock, changes } = deps;
  const { pool, id } = named(request, deps);
  const deadline = clock.now() + PATIENCE_MS;
  for (;;) {
    const seen = changes.count;
    let job: Job | undefined;
    try {
      job = await store.job(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { sent: false, withdrawal: viewOfJob(pool.shown, taken) };
    }
    if (!job) throw new Problem("withdrawal_not_found"); // a job that was journaled is never removed
    const over = clock.now() >= deadline || signal.aborted;
    if (job.state !== "accepted" || over) {
      const sent = job.seqno !== undefined && job.state !== "accepted";
      return { sent, withdrawal: viewOfJob(pool.shown, job) };
    }
    const left = deadline - clock.now();
    await changes.waitBeyond(seen, store.shared ? Math.min(left, SHARED_LOOK_MS) : left, clock, signal);
  }
}

/** The pool of a request that has passed the checks, and the job's name. */
function named(request: WithdrawRequest, deps: WithdrawalDeps): { pool: PoolState; id: JobId } {
  const pool = deps.pools.get(request.pool.toRawString())!;
  return { pool, id: { pool: pool.id, nullifierHash: request.signals.nullifierHash } };
}

/**
 * Where the withdrawal of a note stands, also of a pool that is not served any more.
 *
 * @throws {Problem} `unknown_pool`, `withdrawal_not_found`
 */
export async function withdrawalStatus(
  address: Address,
  nullifierHash: bigint,
  { store, pools, network }: Pick<CheckDeps, "store" | "pools"> & { readonly network: Network },
): Promise<WithdrawalView> {
  const pool = address.toRawString();
  const found = await store.job({ pool, nullifierHash }) ?? await store.withdrawal(pool, nullifierHash);
  if (!found) throw new Problem(pools.get(pool) ? "withdrawal_not_found" : "unknown_pool");
  return viewOf(shownAddress(address, network), nullifierHash, found);
}

function viewOf(shown: string, nullifierHash: bigint, found: Job | Withdrawal): WithdrawalView {
  return "state" in found ? viewOfJob(shown, found) : viewOfPayment(shown, nullifierHash, found);
}

function randomQueryId(random: (bytes: Uint8Array<ArrayBuffer>) => void): bigint {
  const bytes = new Uint8Array(8);
  random(bytes);
  return new DataView(bytes.buffer).getBigUint64(0);
}
