/**
 * The single writer of the wallet. What it does next it reads from the journal, never from memory, so that it may be
 * killed at any point: a transfer is written down before it is sent, sent again until the wallet's transactions show it
 * or time has passed its end, and only then forgotten. It ends no job but those whose root is gone; the pool's events do.
 *
 * An endpoint's word on the seqno alone ends nothing and keeps nothing: whatever it says, a transfer that is not on chain
 * holds the wallet for its own life and no longer.
 */
import { Address, Cell } from "@ton/core";
import type { Job, JobChange, Store, Transfer } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import type { Books } from "./books.ts";
import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { Leadership } from "./leadership.ts";
import type { Pace } from "./pace.ts";
import type { PoolState } from "./pool_state.ts";
import { Quotes } from "./quotes.ts";
import { CLOCK_SKEW, resendDelay } from "./terms.ts";
import { type SentTransfer, sentTransfer } from "./transfer_outcome.ts";
import type { SeenWallet, WalletLook } from "./wallet_look.ts";

/** Seconds of chain time that a transfer may be included in. */
const TRANSFER_LIFE = 60;
/** Messages in one transfer at most: about 500 bytes each, and an external message holds 64 KiB. */
export const MOST_MESSAGES = 100;
/** Between looks at a journal that only this process writes, and at one that other replicas add jobs to. */
const IDLE_MS = 5_000;
const SHARED_IDLE_MS = 500;
/** When a pool is asked again that did not say what to attach. */
const NEXT_QUOTE_MS = 5_000;

/** What the broadcaster needs. */
export interface BroadcasterDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly look: WalletLook;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly pace: Pace;
  /** By raw address. */
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
  readonly leadership: Pick<Leadership, "leads">;
  /** Absent: nothing is counted. */
  readonly books?: Pick<Books, "sent">;
  readonly log: Log;
}

/** A job and what its pool is sent for it. */
interface Ready {
  readonly job: Job;
  readonly message: OutgoingMessage;
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
  /** Hashes of a transfer and of the wallet's newest transaction among which it was looked for in vain. */
  #missed = { hash: "", newest: "" };

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
    const { look, clock, pace, log } = this.#deps;
    const seen = await look.state();
    const over = isOver(transfer, seen);
    const moved = seen.seqno > transfer.seqno;
    if (moved || over) {
      const sent = await this.#sentWith(transfer, seen, over);
      if (!sent && !over) return "in flight"; // used by somebody else, or untrue: its end will tell
      await this.#end(
        transfer,
        (job) => sent?.queryIds.has(job.queryId) ? asBroadcast(job, transfer, clock.now()) : undefined,
      );
      const { seqno } = transfer;
      if (sent) {
        const { size } = sent.queryIds;
        log.info("transfer {seqno} is on chain with {sent} withdrawals", { seqno, sent: size });
        this.#deps.books?.sent(transfer, sent.fees);
      } else log.warning("transfer {seqno} was not included in time", { seqno });
      return "ended";
    }
    const again = this.#lastSend.hash === transfer.hash;
    if (!again || clock.now() - this.#lastSend.at >= pace.rebroadcast) await this.#send(transfer);
    return "in flight";
  }

  /** See {@linkcode sentTransfer}; the same transactions are searched once. @param again all the same */
  async #sentWith(
    { hash, signedAt, jobs }: Transfer,
    { last }: SeenWallet,
    again: boolean,
  ): Promise<SentTransfer | undefined> {
    const { chain, store, wallet, log } = this.#deps;
    const newest = last?.hash ?? "";
    if (!again && this.#missed.hash === hash && this.#missed.newest === newest) return undefined;
    // The time of signing may be a lie that was believed; no job was signed before it was taken on.
    const accepted = await Promise.all(jobs.map(async (id) => (await store.job(id))?.acceptedAt ?? Infinity));
    const since = Math.min(signedAt, ...accepted.map((at) => at / 1000));
    const sent = await sentTransfer(chain, wallet.address, { hash, since }, last, this.#signal);
    if (sent) return sent;
    if (!again && this.#missed.hash !== hash) {
      log.warning("the wallet's seqno moved without transfer {hash}: it is waited for until its end", {
        hash,
      });
    }
    this.#missed = { hash, newest };
    return undefined;
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
    const { store, wallet, look } = this.#deps;
    const ready = await this.#nextBatch();
    if (ready.length === 0) return undefined;
    const { seqno, now, passed } = await look.state();
    // While pools and wallet were asked, deposits went on: what would be refused now is not sent.
    const batch = await this.#payable(ready);
    if (batch.length === 0) return undefined;
    const messages = batch.map(({ message }) => message);
    const { message, hash, validUntil } = wallet.sign({ seqno, validUntil: now + TRANSFER_LIFE, messages });
    const transfer: Transfer = {
      seqno,
      validUntil,
      hash,
      boc: new Uint8Array(message.toBoc()),
      jobs: batch.map(({ job: { pool, nullifierHash, queryId } }) => ({ pool, nullifierHash, queryId })),
      signedAt: passed,
    };
    await store.beginTransfer(transfer);
    return transfer;
  }

  /** As many of the jobs that are due as one transfer carries, oldest first, with their messages. */
  async #nextBatch(): Promise<Ready[]> {
    const { store, wallet, clock } = this.#deps;
    const most = Math.min(wallet.maxMessages, MOST_MESSAGES);
    const due = (await store.liveJobs()).filter(({ state, notBefore = 0 }) =>
      state === "accepted" && notBefore <= clock.now()
    );
    const quotes = new Quotes(this.#deps, this.#signal);
    const batch: Ready[] = [];
    while (batch.length < most && due.length > 0) {
      const next = await this.#payable(due.splice(0, most - batch.length).map((job) => ({ job })));
      await quotes.ask(next.map(({ job: { refund }, pool }) => ({ pool, refund })));
      for (const { job, pool } of next) {
        const value = quotes.of({ pool, refund: job.refund });
        if (value === undefined) await this.#putOff(job);
        else batch.push({ job, message: this.#messageOf(job, pool, value) });
      }
    }
    return batch;
  }

  /** Those whose pools would pay them now. What waits for its pool stays as it is; what lost its root has expired. */
  async #payable<T extends { readonly job: Job }>(
    waiting: readonly T[],
  ): Promise<(T & { pool: PoolState })[]> {
    const { pools, clock } = this.#deps;
    const served = waiting.flatMap((one) => {
      const pool = pools.get(one.job.pool);
      return pool?.readiness(clock.now()).ready && one.job.message ? [{ ...one, pool }] : [];
    });
    const payable = served.filter(({ job, pool }) => pool.roots.includes(job.root));
    for (const one of served) if (!payable.includes(one)) await this.#expire(one.job, one.pool);
    return payable;
  }

  async #expire(job: Job, { key }: PoolState): Promise<void> {
    const { store, clock, changes, log } = this.#deps;
    await store.changeJob(
      job,
      (found) => found.state === "accepted" ? asExpired(found, clock.now()) : undefined,
    );
    log.warning("a withdrawal of {pool} expired: its root is no longer accepted", { pool: key });
    changes.notify();
  }

  async #putOff(job: Job): Promise<void> {
    const { store, clock } = this.#deps;
    const notBefore = clock.now() + NEXT_QUOTE_MS;
    await store.changeJob(job, (found) => found.state === "accepted" ? { ...found, notBefore } : undefined);
  }

  #messageOf(job: Job, { deployment }: PoolState, value: bigint): OutgoingMessage {
    const { recipient, proof } = job.message!;
    return new Pool(this.#deps.chain, deployment.address).withdrawMessage({
      queryId: job.queryId,
      root: job.root,
      nullifierHash: job.nullifierHash,
      fee: job.fee,
      refund: job.refund,
      recipient: Address.parse(recipient),
      relayer: this.#deps.wallet.address,
      proof: Cell.fromBase64(proof),
      value,
    });
  }
}

/**
 * Whether it can no longer be included. One whose time no believable clock has signed was signed by a lie, before such
 * were told from the truth: unless it is the wallet's very next, which the chain may still take, it is not waited for.
 */
function isOver({ seqno, validUntil }: Transfer, seen: SeenWallet): boolean {
  if (validUntil > seen.believable + TRANSFER_LIFE) return seqno !== seen.seqno;
  return seen.passed > validUntil + CLOCK_SKEW;
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
