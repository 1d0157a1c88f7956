/** Deno KV in one file, for a single process. Each method is one atomic commit. */
import { Problem } from "../../core/errors/problem.ts";
import type { ArchivedStore, ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import {
  assertCursorIs,
  type Cursor,
  type Deposit,
  type EventBatch,
  isLive,
  type Job,
  type JobChange,
  type JobEvent,
  type JobId,
  type LeafRange,
  type LedgerEntry,
  type LogEntry,
  type PoolId,
  type Rollback,
  type StoreHealth,
  toDeposit,
  toJobEvent,
  toWithdrawal,
  type Transfer,
  type Withdrawal,
} from "../store.ts";
import { archiveRows, readLedger, readTransfer, restoreRows } from "./archive.ts";
import { encodeValue, parseLiveKey, storeKeys } from "./codec.ts";
import { readLeaves, writeFilledPages } from "./leaf_pages.ts";
import { fileExists } from "../../config/files/bounded_file.ts";
import { lockDirectory } from "./directory_lock.ts";
import { logEarlierPayments, loggedPools } from "./payment_logs.ts";
import { rollBackRows } from "./rollback.ts";
import { getVersioned, listRows, listValues, rowsFrom, type VersionedValue } from "./row_reads.ts";
import {
  writeDeposit,
  writeJob,
  writeLedger,
  writeLogEntry,
  writeTransfer,
  writeWithdrawal,
} from "./row_writes.ts";

/** Opening a file upgrades an older version: versions 2 to 5 only add values. A newer version is rejected. */
export const STORE_VERSION = 5;
const VERSION_WITH_PAYMENT_LOGS = 5;

/** Events per commit: KV allows 100 checks (one per job), 1,000 mutations and 80 KiB of keys (2 to 4 per event). */
const MAX_BATCH_EVENTS = 90;

type Atomic = Deno.AtomicOperation;

/** Throws `unknown_store`, `folder_in_use`, and `store_corrupted` after an incomplete import. */
export async function openKvStore(
  directory: string,
  { create = true }: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  if (!create && !await fileExists(`${directory}/tonado.kv`)) {
    throw new Problem("unknown_store", `there is no store in ${directory}`);
  }
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    const kv = await Deno.openKv(`${directory}/tonado.kv`);
    const found = await getVersioned<number>(kv, storeKeys.version);
    if ((found.value ?? 0) > STORE_VERSION) {
      kv.close();
      throw new Problem(
        "invalid_config",
        `${directory}/tonado.kv has version ${found.value}, but this release supports version ${STORE_VERSION}: use a newer release`,
      );
    }
    if ((found.value ?? STORE_VERSION) < VERSION_WITH_PAYMENT_LOGS) {
      await logEarlierPayments(kv, await loggedPools(kv));
    }
    if (found.value !== STORE_VERSION) await kv.set(storeKeys.version, encodeValue(STORE_VERSION));
    if ((await kv.get(storeKeys.restoring)).value !== null) {
      kv.close();
      throw new Problem(
        "store_corrupted",
        `an import into ${directory} was interrupted: remove the directory and import again`,
      );
    }
    return new KvStore(kv, lock);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

class KvStore implements ArchivedStore {
  readonly batchLimit = MAX_BATCH_EVENTS;
  readonly isShared = false;

  constructor(private readonly kv: Deno.Kv, private readonly lock: Disposable) {}

  health(): StoreHealth {
    return { ok: true };
  }

  acquireLease(): Promise<boolean> {
    return Promise.resolve(true); // the directory lock excludes other processes
  }

  async releaseLease(): Promise<void> {}

  async cursor(pool: PoolId): Promise<Cursor | undefined> {
    return (await getVersioned<Cursor>(this.kv, storeKeys.cursor(pool))).value;
  }

  async apply(
    { pool, events, from, to, ledger = [], log = [] }: EventBatch,
    change: (job: Job, event: JobEvent) => Job | undefined,
  ): Promise<void> {
    if (events.length > MAX_BATCH_EVENTS) {
      throw new RangeError(`a batch holds at most ${MAX_BATCH_EVENTS} events`);
    }
    await this.#commit(async (atomic) => {
      const cursor = await getVersioned<Cursor>(this.kv, storeKeys.cursor(pool));
      assertCursorIs(from, cursor.value);
      atomic.check(cursor.entry).set(cursor.entry.key, encodeValue(to));
      const deposits = events.filter((event) => event.kind === "deposit").map(toDeposit);
      for (const deposit of deposits) writeDeposit(atomic, pool, deposit);
      for (const entry of ledger) writeLedger(atomic, entry);
      for (const entry of log) writeLogEntry(atomic, pool, entry);
      await writeFilledPages(this.kv, atomic, pool, deposits);
      const jobs = new Map<bigint, VersionedValue<Job>>();
      for (const event of events) {
        if (event.kind === "withdrawal") writeWithdrawal(atomic, pool, toWithdrawal(event));
        const jobEvent = toJobEvent(event);
        if (jobEvent === undefined) continue;
        const { nullifierHash } = jobEvent;
        const found = jobs.get(nullifierHash) ??
          await getVersioned<Job>(this.kv, storeKeys.job(pool, nullifierHash));
        const job = found.value && (change(found.value, jobEvent) ?? found.value);
        jobs.set(nullifierHash, { entry: found.entry, value: job });
      }
      for (const { entry, value } of jobs.values()) {
        atomic.check(entry);
        if (value !== undefined) writeJob(atomic, value);
      }
    });
  }

  async rollBack(rollback: Rollback, reopen: JobChange): Promise<void> {
    await rollBackRows(this.kv, rollback, reopen);
  }

  withdrawals(pool: PoolId): AsyncIterable<Withdrawal> {
    return listValues(this.kv, { prefix: storeKeys.withdrawalsOf(pool) });
  }

  leaves(pool: PoolId, leafIndex: number): AsyncIterable<LeafRange> {
    return readLeaves(this.kv, pool, leafIndex);
  }

  poolLog(pool: PoolId, position: number): AsyncIterable<LogEntry> {
    return listValues(this.kv, rowsFrom(storeKeys.log, pool, position));
  }

  async deposit(pool: PoolId, leafIndex: number): Promise<Deposit | undefined> {
    return (await getVersioned<Deposit>(this.kv, storeKeys.deposit(pool, leafIndex))).value;
  }

  async withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined> {
    return (await getVersioned<Withdrawal>(this.kv, storeKeys.withdrawal(pool, nullifierHash))).value;
  }

  async job({ pool, nullifierHash }: JobId): Promise<Job | undefined> {
    return (await getVersioned<Job>(this.kv, storeKeys.job(pool, nullifierHash))).value;
  }

  async addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined> {
    return await this.#commit(async (atomic) => {
      const { pool, nullifierHash } = job;
      const existing = await getVersioned<Job>(this.kv, storeKeys.job(pool, nullifierHash));
      const withdrawal = await getVersioned<Withdrawal>(this.kv, storeKeys.withdrawal(pool, nullifierHash));
      if (existing.value && (isLive(existing.value) || !replaces(existing.value))) return existing.value;
      if (withdrawal.value) return withdrawal.value;
      writeJob(atomic.check(existing.entry).check(withdrawal.entry), job);
      return undefined;
    });
  }

  async changeJob({ pool, nullifierHash }: JobId, change: JobChange): Promise<Job | undefined> {
    return await this.#commit(async (atomic) => {
      const found = await getVersioned<Job>(this.kv, storeKeys.job(pool, nullifierHash));
      const changed = found.value && change(found.value);
      if (changed === undefined) return found.value;
      writeJob(atomic.check(found.entry), changed);
      return changed;
    });
  }

  async liveJobs(): Promise<Job[]> {
    const jobs: Job[] = [];
    for await (const { key } of this.kv.list({ prefix: storeKeys.allLive })) {
      const job = await this.job(parseLiveKey(key));
      if (job && isLive(job)) jobs.push(job);
    }
    return jobs.sort((a, b) => a.acceptedAt - b.acceptedAt);
  }

  transfer(): Promise<Transfer | undefined> {
    return readTransfer(this.kv);
  }

  async beginTransfer(transfer: Transfer): Promise<void> {
    const none = { key: storeKeys.transfer, versionstamp: null };
    const { ok } = await writeTransfer(this.kv.atomic().check(none), transfer).commit();
    if (!ok) throw new Problem("store_conflict", "another transfer is in flight");
  }

  async endTransfer(hash: string, ledger: readonly LedgerEntry[] = []): Promise<void> {
    await this.#commit(async (atomic) => {
      const found = await getVersioned<Transfer>(this.kv, storeKeys.transfer);
      if (found.value?.hash !== hash) return;
      atomic.check(found.entry).delete(storeKeys.transfer).delete(storeKeys.transferBoc);
      for (const entry of ledger) writeLedger(atomic, entry);
    });
  }

  ledger(since: number, until: number): AsyncIterable<LedgerEntry> {
    return readLedger(this.kv, since, until);
  }

  async deleteEndedJobs(before: number): Promise<number> {
    let count = 0;
    for await (const [key, job] of listRows<Job>(this.kv, { prefix: storeKeys.allJobs })) {
      if (isLive(job) || !(job.endedAt !== undefined && job.endedAt < before)) continue;
      await this.#commit(async (atomic) => {
        const found = await getVersioned<Job>(this.kv, storeKeys.job(job.pool, job.nullifierHash));
        if (found.value?.endedAt !== job.endedAt) return; // replaced meanwhile
        atomic.check(found.entry).delete(key);
      });
      count++;
    }
    return count;
  }

  async identity(): Promise<StoreIdentity | undefined> {
    return (await getVersioned<StoreIdentity>(this.kv, storeKeys.identity)).value;
  }

  async claimIdentity(identity: StoreIdentity): Promise<StoreIdentity> {
    return await this.#commit(async (atomic) => {
      const found = await getVersioned<StoreIdentity>(this.kv, storeKeys.identity);
      if (found.value !== undefined) return found.value;
      atomic.check(found.entry).set(storeKeys.identity, encodeValue(identity));
      return identity;
    });
  }

  rows(): AsyncIterable<ArchiveRow> {
    return archiveRows(this.kv);
  }

  async restore(rows: AsyncIterable<ArchiveRow>): Promise<void> {
    await restoreRows(this.kv, rows);
  }

  close(): Promise<void> {
    this.kv.close();
    this.lock[Symbol.dispose]();
    return Promise.resolve();
  }

  async #commit<T>(prepare: (atomic: Atomic) => Promise<T>): Promise<T> {
    while (true) {
      const atomic = this.kv.atomic();
      const result = await prepare(atomic);
      if ((await atomic.commit()).ok) return result;
    }
  }
}
