/** Accepts withdrawals: merges equal requests, checks them, writes the jobs and waits until they are sent. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { SingleFlight } from "../../core/time/single_flight.ts";
import { isPaid, type Job, type Withdrawal } from "../../store/store.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { Candidate, CheckDeps, WithdrawalSubmission } from "./candidate.ts";
import { openCandidate, runWithdrawalChecks } from "./checks.ts";
import { getRetryTime } from "./policy.ts";
import { buildJobView, buildPaidView, type WithdrawalView } from "./view.ts";

const SEND_TIMEOUT_MS = 30_000;
/** Interval of polls of a row that other replicas may change: notifications do not pass a transaction pooler. */
const SHARED_STORE_POLL_MS = 250;

interface WithdrawalDeps extends CheckDeps {
  readonly changes: ChangeSignal;
  /** Equal concurrent withdrawals share one run of the checks, to save load on store and endpoint. */
  readonly deduplicator: SingleFlight<Job>;
  /** Draws query ids. They need not be secret: only refusals of our wallet's own messages count. */
  readonly fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void;
}

export interface Submission {
  readonly sent: boolean;
  readonly withdrawal: WithdrawalView;
}

/** Waits at most 30 s. Throws the problem of the first failed check, and `nullifier_already_used`. */
export async function submitWithdrawal(
  request: WithdrawalSubmission,
  deps: WithdrawalDeps,
  signal: AbortSignal,
): Promise<Submission> {
  const candidate = openCandidate(request, deps);
  const { result, joined } = deps.deduplicator.run(
    requestKey(request),
    () => acceptWithdrawal(candidate, deps),
  );
  const job = await result;
  if (joined) throw nullifierUsedProblem(candidate, job);
  return await waitUntilSent(candidate, job, deps, signal);
}

function requestKey({ pool, proof, signals, recipient, fee, refund }: WithdrawalSubmission): string {
  const numbers = [...Object.values(signals), fee, refund].map(String);
  return JSON.stringify([pool.toRawString(), recipient.toRawString(), numbers, proof]);
}

async function acceptWithdrawal(candidate: Candidate, deps: WithdrawalDeps): Promise<Job> {
  const end = await runWithdrawalChecks(candidate);
  const { store, clock, changes } = deps;
  let accepted = false;
  try {
    const job = await buildJob(candidate, deps);
    const now = clock.now();
    const replaces = (found: Job) => !isPaid(found) && getRetryTime(found) <= now;
    const inTheWay = await store.addJob(job, replaces).catch((error) => {
      // The job may have been written: overcounting only tightens a cap.
      accepted = error instanceof Problem && error.code === "store_unavailable";
      throw error;
    });
    if (inTheWay) throw nullifierUsedProblem(candidate, inTheWay);
    accepted = true;
    changes.notify();
    return job;
  } finally {
    await end(accepted);
  }
}

async function buildJob(candidate: Candidate, deps: WithdrawalDeps): Promise<Job> {
  const { request, id } = candidate;
  const { root } = request.signals;
  const earlier = await candidate.earlierJob();
  const capToken = deps.hourlyCaps?.tokenOf(id);
  return {
    ...id,
    state: "accepted",
    queryId: randomQueryId(deps.fillRandom),
    root,
    fee: request.fee,
    refund: request.refund,
    message: {
      recipient: request.recipient.toRawString(),
      proof: proofToCell(candidate.proof()).toBoc().toString("base64"),
    },
    failures: earlier?.failures ?? 0,
    acceptedAt: deps.clock.now(),
    ...capToken !== undefined && { capToken },
  };
}

function nullifierUsedProblem({ pool, id }: Candidate, found: Job | Withdrawal): Problem {
  const withdrawal = buildView(pool.formattedAddress, id.nullifierHash, found);
  return new Problem("nullifier_already_used", undefined, { members: { withdrawal } });
}

/** Waits for a journaled job. It is accepted, so a store failure here is not a refusal. */
async function waitUntilSent(
  { pool, id }: Candidate,
  acceptedJob: Job,
  { store, clock, changes }: WithdrawalDeps,
  signal: AbortSignal,
): Promise<Submission> {
  const deadline = clock.now() + SEND_TIMEOUT_MS;
  for (;;) {
    const seen = changes.count;
    let job: Job | undefined;
    try {
      job = await store.job(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { sent: false, withdrawal: buildJobView(pool.formattedAddress, acceptedJob) };
    }
    if (!job) throw new Problem("withdrawal_not_found"); // a job that was journaled is never removed
    const over = clock.now() >= deadline || signal.aborted;
    if (job.state !== "accepted" || over) {
      const sent = job.seqno !== undefined && job.state !== "accepted";
      return { sent, withdrawal: buildJobView(pool.formattedAddress, job) };
    }
    const left = deadline - clock.now();
    await changes.waitForChange(
      seen,
      store.isShared ? Math.min(left, SHARED_STORE_POLL_MS) : left,
      clock,
      signal,
    );
  }
}

/** Returns the status, also for pools that are no longer served. Throws `unknown_pool` or `withdrawal_not_found`. */
export async function getWithdrawalStatus(
  address: Address,
  nullifierHash: bigint,
  { store, pools, network }: Pick<CheckDeps, "store" | "pools"> & { readonly network: Network },
): Promise<WithdrawalView> {
  const pool = address.toRawString();
  const found = await store.job({ pool, nullifierHash }) ?? await store.withdrawal(pool, nullifierHash);
  if (!found) throw new Problem(pools.get(pool) ? "withdrawal_not_found" : "unknown_pool");
  return buildView(formatAddress(address, network), nullifierHash, found);
}

function buildView(addressText: string, nullifierHash: bigint, found: Job | Withdrawal): WithdrawalView {
  return "state" in found
    ? buildJobView(addressText, found)
    : buildPaidView(addressText, nullifierHash, found);
}

function randomQueryId(random: (bytes: Uint8Array<ArrayBuffer>) => void): bigint {
  const bytes = new Uint8Array(8);
  random(bytes);
  return new DataView(bytes.buffer).getBigUint64(0);
}
