/**
 * The single writer of the wallet. What it does next it reads from the journal, never from memory, so that it may be
 * killed at any point: a transfer is written down before it is sent, sent again until the wallet's seqno moves or chain
 * time passes its end, and only then forgotten. It ends no job but those whose root is gone; the pool's events do.
 */
import { Address, Cell } from "@ton/core";
import type { Job, JobChange, Store, Transfer } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { Leadership } from "./leadership.ts";
import type { Pace } from "./pace.ts";
import type { PoolState } from "./pool_state.ts";
import { CLOCK_SKEW, resendDelay, valueToAttach } from "./terms.ts";
import { sentQueryIds } from "./transfer_outcome.ts";
import { within } from "./within.ts";

/** Seconds of chain time that a transfer may be included in. */
const TRANSFER_LIFE = 60;
/** Messages in one transfer at most: about 500 bytes each, and an external message holds 64 KiB. */
export const MOST_MESSAGES = 100;
/** Between looks at a journal that only this process writes, and at one that other replicas add jobs to. */
const IDLE_MS = 5_000;
const SHARED_IDLE_MS = 500;
/** How long a pool may take to say what to attach, and when it is asked again after it did not. */
const QUOTE_MS = 10_000;
const NEXT_QUOTE_MS = 5_000;

/** What the broadcaster needs. */
export interface BroadcasterDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly pace: Pace;
  /** By raw address. */
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
  readonly leadership: Pick<Leadership, "leads">;
  readonly log: Log;
}

/** Broadcasts, while this replica leads, until `signal` aborts. */
export async function runBroadcaster(deps: BroadcasterDeps, signal: AbortSignal): Promise<void> {
  const { changes, clock, pace, leadership, log } = deps;
  const broadcaster = new Broadcaster(deps, signal);
  let failures = 0;
  while (!signal.aborted) {
    let wait: number;
    const seen = changes.count;
    if (!leadership.leads) {
      await changes.waitBeyond(seen, IDLE_MS, clock, signal);
      continue;
    }
    try {
      wait = await broadcaster.step();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      wait = Math.min(pace.retryMin * 2 ** failures++, pace.retryMax);
      log.warning("broadcasting waits: {error}", { error: String(error) });
    }
    await changes.waitBeyond(seen, wait, clock, signal);
  }
}

class Broadcaster {
  readonly #deps: BroadcasterDeps;
  readonly #signal: AbortSignal;
  /** Hash and time (ms) of the last send: a look at the wallet is cheaper than another send. */
  #lastSend = { hash: "", at: 0 };

  constructor(deps: BroadcasterDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Does what comes next and returns how long to wait at most, in milliseconds. */
  async step(): Promise<number> {
    const { store, pace } = this.#deps;
    const transfer = await store.transfer() ?? await this.#signNext();
    if (!transfer) return await this.#untilDue();
    return await this.#pursue(transfer) === "ended" ? 0 : pace.wallet;
  }

  /** Milliseconds until the first job that has to wait may be signed again. */
  async #untilDue(): Promise<number> {
    const now = this.#deps.clock.now();
    const waits = (await this.#deps.store.liveJobs())
      .filter(({ state, notBefore = 0 }) => state === "accepted" && notBefore > now)
      .map(({ notBefore = 0 }) => notBefore - now);
    return Math.min(this.#deps.store.shared ? SHARED_IDLE_MS : IDLE_MS, ...waits);
  }

  /** Looks at where the wallet is, and sends the transfer, again if need be, or ends it. */
  async #pursue(transfer: Transfer): Promise<"ended" | "in flight"> {
    const { wallet, clock, pace, chain, log } = this.#deps;
    const { seqno, now, last } = await wallet.state();
    if (seqno > transfer.seqno) {
      const sent = await sentQueryIds(chain, wallet.address, transfer, last, this.#signal);
      await this.#end(
        transfer,
        (job) => sent.has(job.queryId) ? asBroadcast(job, transfer, clock.now()) : undefined,
      );
      log.info("transfer {seqno} is on chain with {sent} withdrawals", {
        seqno: transfer.seqno,
        sent: sent.size,
      });
      return "ended";
    }
    if (now > transfer.validUntil + CLOCK_SKEW) {
      await this.#end(transfer, () => undefined);
      log.warning("transfer {seqno} was not included in time", { seqno: transfer.seqno });
      return "ended";
    }
    const again = this.#lastSend.hash === transfer.hash;
    if (!again || clock.now() - this.#lastSend.at >= pace.rebroadcast) await this.#send(transfer);
    return "in flight";
  }

  async #send(transfer: Transfer): Promise<void> {
    const { chain, clock, log } = this.#deps;
    this.#lastSend = { hash: transfer.hash, at: clock.now() };
    try {
      await chain.send(Cell.fromBoc(Buffer.from(transfer.boc))[0], { signal: this.#signal });
    } catch (error) {
      // It may have got through all the same: chain time decides.
      log.warning("transfer {seqno} was not taken: {error}", { seqno: transfer.seqno, error: String(error) });
      return;
    }
    await this.#changeJobs(transfer, (job) => asBroadcast(job, transfer, clock.now()));
  }

  /** Ends a transfer that can no longer be included; jobs that `carried` does not know go back to the queue. */
  async #end(transfer: Transfer, carried: JobChange): Promise<void> {
    const { store, clock } = this.#deps;
    await this.#changeJobs(transfer, (job) => carried(job) ?? asWaiting(job, clock.now()));
    await store.endTransfer(transfer.hash);
  }

  async #changeJobs(transfer: Transfer, change: JobChange): Promise<void> {
    const { store, changes } = this.#deps;
    for (const { queryId, ...id } of transfer.jobs) {
      await store.changeJob(id, (job) => job.queryId === queryId ? change(job) : undefined);
    }
    changes.notify();
  }

  /** Signs and journals the next transfer; undefined when nothing waits. */
  async #signNext(): Promise<Transfer | undefined> {
    const { store, wallet, clock } = this.#deps;
    const jobs: Job[] = [];
    const messages: OutgoingMessage[] = [];
    /** Pools that gave no quote in this round: their other jobs are put off without asking. */
    const silent = new Set<string>();
    for (const job of await store.liveJobs()) {
      if (messages.length === Math.min(wallet.maxMessages, MOST_MESSAGES)) break;
      if (job.state !== "accepted" || (job.notBefore ?? 0) > clock.now()) continue;
      const message = await this.#messageOf(job, silent);
      if (!message) continue;
      jobs.push(job);
      messages.push(message);
    }
    if (messages.length === 0) return undefined;
    const { seqno, now } = await wallet.state();
    const { message, hash, validUntil } = wallet.sign({ seqno, validUntil: now + TRANSFER_LIFE, messages });
    const transfer: Transfer = {
      seqno,
      validUntil,
      hash,
      boc: new Uint8Array(message.toBoc()),
      jobs: jobs.map(({ pool, nullifierHash, queryId }) => ({ pool, nullifierHash, queryId })),
      signedAt: now,
    };
    await store.beginTransfer(transfer);
    return transfer;
  }

  /**
   * The job's message; undefined while its pool is not ready or does not say what to attach, and when its root is gone:
   * then the job has expired.
   */
  async #messageOf(job: Job, silent: Set<string>): Promise<OutgoingMessage | undefined> {
    const { chain, store, pools, clock, changes, log } = this.#deps;
    const pool = pools.get(job.pool);
    if (!pool?.readiness(clock.now()).ready || !job.message) return undefined;
    if (!pool.roots.includes(job.root)) {
      await store.changeJob(
        job,
        (found) => found.state === "accepted" ? asExpired(found, clock.now()) : undefined,
      );
      log.warning("a withdrawal of {pool} expired: its root is no longer accepted", { pool: pool.key });
      changes.notify();
      return undefined;
    }
    const { address } = pool.deployment;
    const value = silent.has(pool.id) ? undefined : await this.#quote(pool, job);
    if (value === undefined) {
      silent.add(pool.id);
      const notBefore = clock.now() + NEXT_QUOTE_MS;
      await store.changeJob(job, (found) => found.state === "accepted" ? { ...found, notBefore } : undefined);
      return undefined;
    }
    return new Pool(chain, address).withdrawMessage({
      queryId: job.queryId,
      root: job.root,
      nullifierHash: job.nullifierHash,
      fee: job.fee,
      refund: job.refund,
      recipient: Address.parse(job.message.recipient),
      relayer: this.#deps.wallet.address,
      proof: Cell.fromBase64(job.message.proof),
      value,
    });
  }

  /** Nano to attach; undefined when the pool does not say in time: one pool's trouble must not hold up the others. */
  async #quote({ key, deployment }: PoolState, { refund }: Job): Promise<bigint | undefined> {
    const { chain, clock, log } = this.#deps;
    try {
      return await within(
        QUOTE_MS,
        { clock, signal: this.#signal },
        (signal) => valueToAttach(chain, deployment.address, refund, { signal }),
      );
    } catch (error) {
      if (this.#signal.aborted) throw error;
      log.warning("withdrawals of {pool} wait, it gives no quote: {error}", {
        pool: key,
        error: String(error),
      });
      return undefined;
    }
  }
}

/** Given to the endpoint. The pool may have answered already: then only seqno and hash are filled in. */
function asBroadcast(job: Job, { seqno, hash }: Transfer, now: number): Job | undefined {
  if (job.broadcastAt !== undefined && job.messageHash === hash && job.state !== "accepted") return job;
  const state = job.state === "accepted" ? "broadcast" : job.state;
  return { ...job, state, seqno, messageHash: hash, broadcastAt: now };
}

/** Back in the queue, a little later each time; ended jobs stay as they are. */
function asWaiting(job: Job, now: number): Job | undefined {
  if (job.state !== "accepted" && job.state !== "broadcast") return undefined;
  const attempts = (job.attempts ?? 0) + 1;
  return { ...job, state: "accepted", attempts, notBefore: now + resendDelay(attempts) };
}

function asExpired({ message: _, ...job }: Job, now: number): Job {
  return { ...job, state: "expired", reason: "its root left the pool's history", settledAt: now };
}
