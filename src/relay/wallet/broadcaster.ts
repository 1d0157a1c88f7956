// The single writer of the wallet. The journal is its state, so the process may be killed at any point: a
// transfer is journaled before it is sent, and resent until it is on chain or has expired by chain time.
// Jobs end when the indexer reads their events, or here when their root expires. A higher seqno proves
// nothing (transfer_lookup.ts).
import { Cell } from "@ton/core";
import type { Job, JobChange, PoolId, Store, Transfer } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { bookLostTopUps, bookTransfer, type LedgerObserver } from "../operations/ledger.ts";
import type { ChangeSignal } from "../change_signal.ts";
import { backoffMs } from "../../core/time/backoff.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Leadership } from "../operations/leadership.ts";
import type { PollingIntervals } from "../polling_intervals.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { asBroadcast, asExpired, asRequeued } from "./job_changes.ts";
import { countFitting, countUnconfirmed, dueAt, selectDue, withinPayoutRoom } from "./due_jobs.ts";
import { buildWithdrawMessages, type PayableJob } from "./withdraw_messages.ts";
import { Quotes } from "./quotes.ts";
import { MAX_BLOCK_TIME_SKEW_SECONDS } from "../../ton/wallet/transfer_inclusion.ts";
import type { Settlements } from "../settler/settlements.ts";
import type { TopUps } from "../top_ups/top_ups.ts";
import { roomAfter } from "./transfer_size.ts";
import { findIncludedTransfer, type IncludedTransfer } from "./transfer_lookup.ts";
import type { ObservedWallet, WalletMonitor } from "./wallet_monitor.ts";

const TRANSFER_LIFETIME_SECONDS = 60; // measured in chain time
/** Interval of journal polls by a single process, and with replicas that add jobs. */
const IDLE_POLL_MS = 5_000;
const SHARED_IDLE_POLL_MS = 500;
const QUOTE_RETRY_DELAY_MS = 5_000;

interface BroadcasterDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly walletMonitor: WalletMonitor;
  readonly changes: ChangeSignal;
  readonly clock: Clock;
  readonly intervals: PollingIntervals;
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
  readonly leadership: Pick<Leadership, "isLeader">;
  readonly batchMs: number;
  readonly settlements?: Settlements;
  readonly topUps?: TopUps;
  readonly onLedgerEntries?: LedgerObserver;
  readonly log: Log;
}

export async function runBroadcaster(deps: BroadcasterDeps, signal: AbortSignal): Promise<void> {
  const { changes, clock, intervals, leadership, log } = deps;
  const broadcaster = new Broadcaster(deps, signal);
  let failures = 0;
  while (!signal.aborted) {
    let wait: number;
    const seen = changes.count;
    if (!leadership.isLeader) {
      await changes.waitForChange(seen, IDLE_POLL_MS, clock, signal);
      continue;
    }
    try {
      wait = await broadcaster.step();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      wait = backoffMs(++failures, { initialMs: intervals.minRetryMs, maxMs: intervals.maxRetryMs });
      log.warning("broadcasting waits: {error}", { error: String(error) });
    }
    await changes.waitForChange(seen, wait, clock, signal);
  }
}

class Broadcaster {
  /** The last send. Polling the wallet is cheaper than resending. */
  #lastSend = { hash: "", at: 0 };
  /** The transfer, and the wallet's newest transaction when the last lookup failed. */
  #lastFailedLookup = { hash: "", newest: "" };

  constructor(private readonly deps: BroadcasterDeps, private readonly signal: AbortSignal) {}

  /** Returns the maximum wait until the next step, in milliseconds. */
  async step(): Promise<number> {
    const { store, intervals } = this.deps;
    const transfer = await store.transfer() ?? await this.#signNext();
    if (!transfer) return await this.#msUntilNextDue();
    return await this.#trackTransfer(transfer) === "ended" ? 0 : intervals.walletPollMs;
  }

  async #msUntilNextDue(): Promise<number> {
    const now = this.deps.clock.now();
    const waits = (await this.deps.store.liveJobs())
      .filter(({ state }) => state === "accepted")
      .map((job) => dueAt(job, this.deps) - now)
      .filter((wait) => wait > 0);
    return Math.min(this.deps.store.isShared ? SHARED_IDLE_POLL_MS : IDLE_POLL_MS, ...waits);
  }

  async #trackTransfer(transfer: Transfer): Promise<"ended" | "in flight"> {
    const { walletMonitor, clock, intervals, log } = this.deps;
    const seen = await walletMonitor.observe();
    const over = isExpired(transfer, seen);
    const moved = seen.seqno > transfer.seqno;
    if (moved || over) {
      const sent = await this.#findIncluded(transfer, seen, over);
      if (!sent && !over) return "in flight"; // the seqno was used elsewhere or is false: wait for expiry
      await this.#endTransfer(
        transfer,
        sent,
        (job) => sent?.queryIds.has(job.queryId) ? asBroadcast(job, transfer, clock.now()) : undefined,
      );
      const { seqno } = transfer;
      if (sent) {
        const { size } = sent.queryIds;
        log.info("transfer {seqno} is on chain with {sent} withdrawals", { seqno, sent: size });
      } else log.warning("transfer {seqno} was not included in time", { seqno });
      return "ended";
    }
    const again = this.#lastSend.hash === transfer.hash;
    if (!again || clock.now() - this.#lastSend.at >= intervals.rebroadcastMs) await this.#send(transfer);
    return "in flight";
  }

  /** Runs {@linkcode findIncludedTransfer} once per newest transaction, or `again`. */
  async #findIncluded(
    { hash, signedAt, jobs }: Transfer,
    { last }: ObservedWallet,
    again: boolean,
  ): Promise<IncludedTransfer | undefined> {
    const { chain, store, wallet, log } = this.deps;
    const newest = last?.hash ?? "";
    if (!again && this.#lastFailedLookup.hash === hash && this.#lastFailedLookup.newest === newest) {
      return undefined;
    }
    // The signing time may come from a false chain time, but no job is signed before it is accepted.
    const accepted = await Promise.all(jobs.map(async (id) => (await store.job(id))?.acceptedAt ?? Infinity));
    const since = Math.min(signedAt, ...accepted.map((at) => at / 1000));
    const sent = await findIncludedTransfer(chain, wallet.address, { hash, since }, last, this.signal);
    if (sent) return sent;
    if (!again && this.#lastFailedLookup.hash !== hash) {
      log.warning("the wallet's seqno advanced without transfer {hash}: waiting until the transfer expires", {
        hash,
      });
    }
    this.#lastFailedLookup = { hash, newest };
    return undefined;
  }

  async #send(transfer: Transfer): Promise<void> {
    const { chain, clock, log } = this.deps;
    this.#lastSend = { hash: transfer.hash, at: clock.now() };
    try {
      await chain.send(Cell.fromBoc(Buffer.from(transfer.boc))[0], { signal: this.signal });
    } catch (error) {
      // The send may have succeeded despite the error, so wait for chain time.
      log.warning("transfer {seqno} was not confirmed: {error}", {
        seqno: transfer.seqno,
        error: String(error),
      });
      return;
    }
    await this.#changeJobs(transfer, (job) => asBroadcast(job, transfer, clock.now()));
  }

  /** Jobs that `changeIfIncluded` does not change are requeued. */
  async #endTransfer(
    transfer: Transfer,
    included: IncludedTransfer | undefined,
    changeIfIncluded: JobChange,
  ) {
    const { store, clock, settlements } = this.deps;
    const entries = included ? bookTransfer(transfer, included) : bookLostTopUps(transfer);
    await this.#changeJobs(transfer, (job) => changeIfIncluded(job) ?? asRequeued(job, clock.now()));
    await store.endTransfer(transfer.hash, entries);
    settlements?.endTransfer(included !== undefined, clock.now());
    this.deps.onLedgerEntries?.(entries);
  }

  async #changeJobs(transfer: Transfer, change: JobChange): Promise<void> {
    const { store, changes } = this.deps;
    for (const { queryId, ...id } of transfer.jobs) {
      await store.changeJob(id, (job) => job.queryId === queryId ? change(job) : undefined);
    }
    changes.notify();
  }

  async #signNext(): Promise<Transfer | undefined> {
    const { store, wallet, walletMonitor, settlements, topUps, pools, clock } = this.deps;
    // Before the read: at a later time a window may have ended for which the list lacks withdrawals.
    const readAt = clock.now();
    const jobs = await store.liveJobs();
    const underWay = countUnconfirmed(jobs, readAt);
    const ready = await this.#nextBatch(selectDue(jobs, readAt, this.deps), underWay);
    if (ready.length === 0 && (settlements?.isEmpty ?? true) && (topUps?.isEmpty ?? true)) return undefined;
    const { seqno, now, elapsedUntil: passed } = await walletMonitor.observe();
    // Deposits continued meanwhile: recheck, so that no message is sent that the pool would refuse.
    const withdrawals = buildWithdrawMessages(await this.#selectPayable(ready, underWay), this.deps);
    const messages = withdrawals.map(({ message }) => message);
    messages.push(...settlements?.take(pools, roomAfter(messages, wallet), clock.now()) ?? []);
    messages.push(...await topUps?.take(messages, roomAfter(messages, wallet)) ?? []);
    if (messages.length === 0) return undefined;
    const sent = withdrawals.flatMap((one) => one.jobs);
    await this.#assignQueryIds(sent);
    const { message, hash, validUntil } = wallet.sign({
      seqno,
      validUntil: now + TRANSFER_LIFETIME_SECONDS,
      messages,
    });
    const transfer: Transfer = {
      seqno,
      validUntil,
      hash,
      boc: new Uint8Array(message.toBoc()),
      jobs: sent,
      signedAt: passed,
    };
    await store.beginTransfer(transfer);
    return transfer;
  }

  /** Assigns one query id to all jobs of a message: the pool reports a message by its query id. */
  async #assignQueryIds(jobs: Transfer["jobs"]): Promise<void> {
    const { store } = this.deps;
    for (const { queryId, ...id } of jobs) {
      const stored = await store.job(id);
      if (stored?.queryId === queryId) continue;
      await store.changeJob(id, (job) => job.state === "accepted" ? { ...job, queryId } : undefined);
    }
  }

  async #nextBatch(due: Job[], underWay: ReadonlyMap<PoolId, number>): Promise<PayableJob[]> {
    const { wallet, pools } = this.deps;
    const quotes = new Quotes(this.deps, this.signal);
    const batch: PayableJob[] = [];
    while (due.length > 0) {
      const fitting = countFitting(batch, due, { maxMessages: wallet.maxMessages, pools });
      if (fitting === 0) break;
      const next = await this.#selectPayable(due.splice(0, fitting).map((job) => ({ job })), underWay);
      await quotes.fetchAll(next.map(({ job: { refund }, pool }) => ({ pool, refund })));
      for (const { job, pool } of next) {
        const value = quotes.get({ pool, refund: job.refund });
        if (value === undefined) await this.#postpone(job);
        else batch.push({ job, pool, value });
      }
    }
    return batch;
  }

  /** A job with an unknown root expires only after a new read: another replica may know a newer root. */
  async #selectPayable<T extends { readonly job: Job }>(
    waiting: readonly T[],
    underWay: ReadonlyMap<PoolId, number>,
  ): Promise<(T & { pool: PoolState })[]> {
    const { pools, clock, intervals } = this.deps;
    const served = waiting.flatMap((one) => {
      const pool = pools.get(one.job.pool);
      const isServed = pool?.readiness(clock.now()).ready && !pool.isNearFreezing;
      return isServed && one.job.message ? [{ ...one, pool }] : [];
    });
    const current = served.filter(({ job, pool }) => pool.rootPlacesLeft(job.root) > 0);
    for (const { job, pool } of served.filter((one) => !current.includes(one))) {
      const mayExpire = pool.payoutRoom > 0 && pool.syncedAt >= job.acceptedAt + intervals.minPollMs;
      if (mayExpire) await this.#expire(job, pool);
    }
    return withinPayoutRoom(current, underWay);
  }

  async #expire(job: Job, { key }: PoolState): Promise<void> {
    const { store, clock, changes, log } = this.deps;
    await store.changeJob(
      job,
      (found) => found.state === "accepted" ? asExpired(found, clock.now()) : undefined,
    );
    log.warning("a withdrawal of {pool} expired: its root is no longer accepted", { pool: key });
    changes.notify();
  }

  async #postpone(job: Job): Promise<void> {
    const { store, clock } = this.deps;
    const notBefore = clock.now() + QUOTE_RETRY_DELAY_MS;
    await store.changeJob(job, (found) => found.state === "accepted" ? { ...found, notBefore } : undefined);
  }
}

// A transfer dated beyond any plausible clock was signed under a false chain time and is abandoned, unless
// its seqno is the wallet's next.
function isExpired({ seqno, validUntil }: Transfer, seen: ObservedWallet): boolean {
  if (validUntil > seen.maxPlausibleTime + TRANSFER_LIFETIME_SECONDS) return seqno !== seen.seqno;
  return seen.elapsedUntil > validUntil + MAX_BLOCK_TIME_SKEW_SECONDS;
}
