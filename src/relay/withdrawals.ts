/** Takes withdrawals on: checks, journals, waits until the wallet has sent it, and says where one stands. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { proofToCell } from "../core/proof_codec.ts";
import type { Job, Withdrawal } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import type { PoolState } from "./pool_state.ts";
import { type CheckDeps, checkWithdrawal, proofOf, type WithdrawRequest } from "./withdrawal_checks.ts";
import { retryAt } from "./terms.ts";
import { viewOfJob, viewOfPayment, type WithdrawalView } from "./withdrawal_view.ts";

/** How long a caller waits for the wallet's turn. */
const PATIENCE_MS = 30_000;

/** What taking on needs beside the checks. */
export interface WithdrawalDeps extends CheckDeps {
  readonly changes: Changes;
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
  await checkWithdrawal(request, deps);
  const { store, clock, changes } = deps;
  const pool = deps.pools.get(request.pool.toRawString())!;
  const { root, nullifierHash } = request.signals;
  const id = { pool: pool.id, nullifierHash };
  const earlier = await store.job(id);
  const now = clock.now();
  let job: Job = {
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
    acceptedAt: now,
  };
  const inTheWay = await store.addJob(job, (found) => found.state !== "confirmed" && retryAt(found) <= now);
  if (inTheWay) {
    throw new Problem("nullifier_already_used", undefined, {
      members: { withdrawal: viewOf(pool, nullifierHash, inTheWay) },
    });
  }
  changes.notify();
  const deadline = now + PATIENCE_MS;
  while (clock.now() < deadline && !signal.aborted) {
    const seen = changes.count;
    job = await store.job(id) ?? job;
    if (job.state !== "accepted") break;
    await changes.waitBeyond(seen, deadline - clock.now(), clock, signal);
  }
  return {
    sent: job.seqno !== undefined && job.state !== "accepted",
    withdrawal: viewOfJob(pool.shown, job),
  };
}

/**
 * Where the withdrawal of a note stands.
 *
 * @throws {Problem} `unknown_pool`, `withdrawal_not_found`
 */
export async function withdrawalStatus(
  address: Address,
  nullifierHash: bigint,
  { store, pools }: Pick<CheckDeps, "store" | "pools">,
): Promise<WithdrawalView> {
  const pool = pools.get(address.toRawString());
  if (!pool) throw new Problem("unknown_pool");
  const found = await store.job({ pool: pool.id, nullifierHash }) ??
    await store.withdrawal(pool.id, nullifierHash);
  if (!found) throw new Problem("withdrawal_not_found");
  return viewOf(pool, nullifierHash, found);
}

function viewOf(pool: PoolState, nullifierHash: bigint, found: Job | Withdrawal): WithdrawalView {
  return "state" in found ? viewOfJob(pool.shown, found) : viewOfPayment(pool.shown, nullifierHash, found);
}

function randomQueryId(random: (bytes: Uint8Array<ArrayBuffer>) => void): bigint {
  const bytes = new Uint8Array(8);
  random(bytes);
  return new DataView(bytes.buffer).getBigUint64(0);
}
