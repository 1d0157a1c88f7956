/**
 * The embedded store: Deno KV in one file of the data directory, one process at a time. Each method of the port is one
 * atomic commit, checked against the versions that it read.
 */
import { Problem } from "../../core/errors.ts";
import type { ArchivedStore, ArchiveRow } from "../archive.ts";
import type { StoreIdentity } from "../identity.ts";
import {
  type Batch,
  type Cursor,
  type Deposit,
  depositOf,
  isLive,
  type Job,
  type JobChange,
  type JobId,
  type Leaves,
  type PoolId,
  type SettlingEvent,
  type StoreHealth,
  type Transfer,
  type Untruth,
  type Withdrawal,
  withdrawalOf,
} from "../store.ts";
import { archiveRows, leavesOf, restoreRows } from "./archive.ts";
import { decode, encode, keys, liveKeyParts } from "./codec.ts";
import { leavesFrom, packFilled } from "./leaf_pages.ts";
import { lockDirectory } from "./lock.ts";
import { paymentsOf, takeBack } from "./untruth.ts";
import { writeDeposit, writeJob, writeTransfer, writeWithdrawal } from "./writes.ts";

/** Form of keys and values; another one in the file refuses to open. */
const VERSION = 1;

/** Events in one commit: KV takes 100 checks (one a job), 1,000 mutations and 80 KiB of keys (two or three an event). */
const BATCH_LIMIT = 90;

type Atomic = Deno.AtomicOperation;

/**
 * Opens `<directory>/tonado.kv`.
 *
 * @param create makes what is missing
 * @throws {Problem} `unknown_store` when there is none and none is to be made; `already_running` when another process uses the directory; `store_damaged` after half an import
 */
export async function openKvStore(
  directory: string,
  { create = true }: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  if (!create && !await isThere(`${directory}/tonado.kv`)) {
    throw new Problem("unknown_store", `there is no store in ${directory}`);
  }
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    const kv = await Deno.openKv(`${directory}/tonado.kv`);
    const found = await get<number>(kv, keys.version);
    if (found.value === undefined) await kv.set(keys.version, encode(VERSION));
    else if (found.value !== VERSION) {
      kv.close();
      throw new Problem(
        "invalid_config",
        `${directory}/tonado.kv has version ${found.value}, this release works with version ${VERSION}: use ${
          found.value > VERSION ? "a newer" : "an older"
        } release`,
      );
    }
    if ((await kv.get(keys.restoring)).value !== null) {
      kv.close();
      throw new Problem(
        "store_damaged",
        `an import into ${directory} was cut off: remove the directory and import again`,
      );
    }
    return new KvStore(kv, lock);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

class KvStore implements ArchivedStore {
  readonly batchLimit = BATCH_LIMIT;
  /** The lock file sees to it. */
  readonly shared = false;
  readonly #kv: Deno.Kv;
  readonly #lock: Disposable;

  constructor(kv: Deno.Kv, lock: Disposable) {
    this.#kv = kv;
    this.#lock = lock;
  }

  health(): StoreHealth {
    return { ok: true };
  }

  lead(): Promise<boolean> {
    return Promise.resolve(true); // who has the directory has no rival
  }

  async resign(): Promise<void> {}

  async cursor(pool: PoolId): Promise<Cursor | undefined> {
    return (await get<Cursor>(this.#kv, keys.cursor(pool))).value;
  }

  async apply(
    { pool, events, from, to }: Batch,
    settle: (job: Job, event: SettlingEvent) => Job | undefined,
  ): Promise<void> {
    if (events.length > BATCH_LIMIT) throw new RangeError(`a batch holds at most ${BATCH_LIMIT} events`);
    await this.#commit(async (atomic) => {
      const cursor = await get<Cursor>(this.#kv, keys.cursor(pool));
      if (cursor.value?.hash !== from?.hash || cursor.value?.lt !== from?.lt) {
        throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
      }
      atomic.check(cursor.entry).set(cursor.entry.key, encode(to));
      const deposits = events.filter((event) => event.kind === "deposit").map(depositOf);
      for (const deposit of deposits) writeDeposit(atomic, pool, deposit);
      await packFilled(this.#kv, atomic, pool, deposits);
      const jobs = new Map<bigint, Versioned<Job>>();
      for (const event of events) {
        if (event.kind === "deposit") continue;
        if (event.kind === "withdrawal") writeWithdrawal(atomic, pool, withdrawalOf(event));
        if (event.nullifierHash === undefined) continue;
        const { nullifierHash } = event;
        const found = jobs.get(nullifierHash) ??
          await get<Job>(this.#kv, keys.job(pool, nullifierHash));
        const job = found.value && (settle(found.value, { ...event, nullifierHash }) ?? found.value);
        jobs.set(nullifierHash, { entry: found.entry, value: job });
      }
      for (const { entry, value } of jobs.values()) {
        atomic.check(entry);
        if (value !== undefined) writeJob(atomic, value);
      }
    });
  }

  async takeBack(untruth: Untruth, reopen: JobChange): Promise<void> {
    await takeBack(this.#kv, untruth, reopen);
  }

  payments(pool: PoolId): AsyncIterable<Withdrawal> {
    return paymentsOf(this.#kv, pool);
  }

  leaves(pool: PoolId, leafIndex: number): AsyncIterable<Leaves> {
    return leavesFrom(this.#kv, pool, leafIndex);
  }

  async deposit(pool: PoolId, commitment: bigint): Promise<Deposit | undefined> {
    const leaf = await get<number>(this.#kv, keys.leaf(pool, commitment));
    if (leaf.value === undefined) return undefined;
    return (await get<Deposit>(this.#kv, keys.deposit(pool, leaf.value))).value;
  }

  async withdrawal(pool: PoolId, nullifierHash: bigint): Promise<Withdrawal | undefined> {
    return (await get<Withdrawal>(this.#kv, keys.withdrawal(pool, nullifierHash))).value;
  }

  async job({ pool, nullifierHash }: JobId): Promise<Job | undefined> {
    return (await get<Job>(this.#kv, keys.job(pool, nullifierHash))).value;
  }

  async addJob(job: Job, replaces: (existing: Job) => boolean): Promise<Job | Withdrawal | undefined> {
    return await this.#commit(async (atomic) => {
      const { pool, nullifierHash } = job;
      const existing = await get<Job>(this.#kv, keys.job(pool, nullifierHash));
      const withdrawal = await get<Withdrawal>(this.#kv, keys.withdrawal(pool, nullifierHash));
      if (existing.value && (isLive(existing.value) || !replaces(existing.value))) return existing.value;
      if (withdrawal.value) return withdrawal.value;
      writeJob(atomic.check(existing.entry).check(withdrawal.entry), job);
      return undefined;
    });
  }

  async changeJob({ pool, nullifierHash }: JobId, change: JobChange): Promise<Job | undefined> {
    return await this.#commit(async (atomic) => {
      const found = await get<Job>(this.#kv, keys.job(pool, nullifierHash));
      const changed = found.value && change(found.value);
      if (changed === undefined) return found.value;
      writeJob(atomic.check(found.entry), changed);
      return changed;
    });
  }

  async liveJobs(): Promise<Job[]> {
    const jobs: Job[] = [];
    for await (const { key } of this.#kv.list({ prefix: keys.allLive })) {
      const job = await this.job(liveKeyParts(key));
      if (job && isLive(job)) jobs.push(job);
    }
    return jobs.sort((a, b) => a.acceptedAt - b.acceptedAt);
  }

  async transfer(): Promise<Transfer | undefined> {
    const [journal, boc] = await this.#kv.getMany<[Uint8Array, Uint8Array]>([
      keys.transfer,
      keys.transferBoc,
    ]);
    if (journal.value === null || boc.value === null) return undefined;
    return { ...decode<Omit<Transfer, "boc">>(journal.value), boc: boc.value };
  }

  async beginTransfer(transfer: Transfer): Promise<void> {
    const none = { key: keys.transfer, versionstamp: null };
    const { ok } = await writeTransfer(this.#kv.atomic().check(none), transfer).commit();
    if (!ok) throw new Problem("store_conflict", "another transfer is in flight");
  }

  async endTransfer(hash: string): Promise<void> {
    await this.#commit(async (atomic) => {
      const found = await get<Transfer>(this.#kv, keys.transfer);
      if (found.value?.hash !== hash) return;
      atomic.check(found.entry).delete(keys.transfer).delete(keys.transferBoc);
    });
  }

  async forgetJobs(before: number): Promise<number> {
    let count = 0;
    for await (const { key, value } of this.#kv.list<Uint8Array>({ prefix: keys.allJobs })) {
      const job = decode<Job>(value);
      if (isLive(job) || !(job.settledAt !== undefined && job.settledAt < before)) continue;
      await this.#commit(async (atomic) => {
        const found = await get<Job>(this.#kv, keys.job(job.pool, job.nullifierHash));
        if (found.value?.settledAt !== job.settledAt) return; // replaced meanwhile
        atomic.check(found.entry).delete(key);
      });
      count++;
    }
    return count;
  }

  async identity(): Promise<StoreIdentity | undefined> {
    return (await get<StoreIdentity>(this.#kv, keys.identity)).value;
  }

  async claim(identity: StoreIdentity): Promise<StoreIdentity> {
    return await this.#commit(async (atomic) => {
      const found = await get<StoreIdentity>(this.#kv, keys.identity);
      if (found.value !== undefined) return found.value;
      atomic.check(found.entry).set(keys.identity, encode(identity));
      return identity;
    });
  }

  rows(): AsyncIterable<ArchiveRow> {
    return archiveRows(this.#kv);
  }

  leavesOf(pool: PoolId, commitments: readonly bigint[]): Promise<(number | undefined)[]> {
    return leavesOf(this.#kv, pool, commitments);
  }

  async restore(rows: AsyncIterable<ArchiveRow>): Promise<void> {
    await restoreRows(this.#kv, rows);
  }

  close(): Promise<void> {
    this.#kv.close();
    this.#lock[Symbol.dispose]();
    return Promise.resolve();
  }

  /** Runs `prepare` on fresh reads until its commit meets no other writer. */
  async #commit<T>(prepare: (atomic: Atomic) => Promise<T>): Promise<T> {
    while (true) {
      const atomic = this.#kv.atomic();
      const result = await prepare(atomic);
      if ((await atomic.commit()).ok) return result;
    }
  }
}

interface Versioned<T> {
  readonly entry: { readonly key: Deno.KvKey; readonly versionstamp: string | null };
  readonly value: T | undefined;
}

async function get<T>(kv: Deno.Kv, key: Deno.KvKey): Promise<Versioned<T>> {
  const { value, versionstamp } = await kv.get<Uint8Array>(key);
  return { entry: { key, versionstamp }, value: value === null ? undefined : decode<T>(value) };
}
