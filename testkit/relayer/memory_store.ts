/** A store in memory for simulations. Every method is atomic because it does not await. */
import { Problem } from "../../src/core/errors/problem.ts";
import {
  assertCursorIs,
  isLive,
  type Store,
  toDeposit,
  toJobEvent,
  toWithdrawal,
} from "../../src/store/store.ts";
import { toLeaves } from "./leaf_batches.ts";
import { type MemoryStoreOptions, StoreMemory } from "./store_memory.ts";

const BATCH_LIMIT = 7;

/** Defers an answer by one microtask, as a real store would. */
const soon = async <T>(answer: () => T): Promise<T> => await answer();

/** Runs a write if the process leads. */
type AsLeader = <T>(write: () => T) => Promise<T>;

/** Creates a store that lives as long as the object. Each call of the result opens it for one process. */
export function memoryStore(options: MemoryStoreOptions): () => Store {
  const memory = new StoreMemory(options);
  return () => {
    const process = memory.open();
    const asLeader: AsLeader = async (write) => {
      if (options.shared && memory.lease.holder !== process) throw new Problem("not_leader");
      return await write();
    };
    return {
      batchLimit: BATCH_LIMIT,
      isShared: options.shared,
      health: () => ({ ok: true }),
      ...leaseMethods(memory, process),
      ...historyWrites(memory, asLeader),
      ...historyReads(memory),
      ...jobMethods(memory, asLeader),
      ...transferMethods(memory, asLeader),
      close: () => Promise.resolve(),
    };
  };
}

function leaseMethods(
  memory: StoreMemory,
  process: number,
): Pick<Store, "acquireLease" | "releaseLease"> {
  return {
    acquireLease: (ms) =>
      soon(() => {
        if (memory.lease.holder !== process && memory.lease.until > memory.now()) return false;
        memory.lease = { holder: process, until: memory.now() + ms };
        return true;
      }),

    releaseLease: () =>
      soon(() => {
        if (memory.lease.holder === process) memory.lease = { holder: 0, until: -Infinity };
      }),
  };
}

function historyWrites(memory: StoreMemory, asLeader: AsLeader): Pick<Store, "apply" | "rollBack"> {
  return {
    apply: ({ pool, events, from, to, ledger = [], log: added = [] }, change) =>
      asLeader(() => {
        if (events.length > BATCH_LIMIT) {
          throw new RangeError(`a batch holds at most ${BATCH_LIMIT} events`);
        }
        const { cursor, deposits, withdrawals, jobs, log } = memory.rows(pool);
        assertCursorIs(from, cursor);
        for (const entry of added) log[entry.position] = entry;
        for (const event of events) {
          if (event.kind === "deposit") {
            const deposit = toDeposit(event);
            deposits[deposit.leafIndex] = deposit;
            continue;
          }
          if (event.kind === "withdrawal") withdrawals.set(event.nullifierHash, toWithdrawal(event));
          const jobEvent = toJobEvent(event);
          const job = jobEvent && jobs.get(jobEvent.nullifierHash);
          if (job) memory.writeJob(change(job, jobEvent) ?? job);
        }
        for (const entry of ledger) memory.writeEntry(entry);
        memory.rows(pool).cursor = to;
      }),

    rollBack: ({ pool, from, to, keptLeafCount, nullifierHashes, keptLogLength }, reopen) =>
      asLeader(() => {
        const { cursor, deposits, withdrawals, jobs, ledger, log } = memory.rows(pool);
        assertCursorIs(from, cursor);
        for (const [key, { lt }] of ledger) if (lt > (to?.lt ?? 0n)) ledger.delete(key);
        deposits.splice(keptLeafCount);
        log.splice(keptLogLength ?? 0);
        for (const nullifierHash of nullifierHashes) {
          withdrawals.delete(nullifierHash);
          const job = jobs.get(nullifierHash);
          const reopened = job && reopen(job);
          if (reopened) memory.writeJob(reopened);
        }
        memory.rows(pool).cursor = to;
      }),
  };
}

function historyReads(
  memory: StoreMemory,
): Pick<Store, "cursor" | "withdrawals" | "leaves" | "poolLog" | "deposit" | "withdrawal"> {
  return {
    cursor: (pool) => soon(() => memory.rows(pool).cursor),

    async *withdrawals(pool) {
      for (const payment of [...memory.rows(pool).withdrawals.values()]) yield await soon(() => payment);
    },

    async *leaves(pool, leafIndex) {
      const { deposits } = memory.rows(pool);
      for (let i = leafIndex; i < deposits.length; i++) yield await soon(() => toLeaves([deposits[i]]));
    },

    async *poolLog(pool, position) {
      for (const entry of memory.rows(pool).log.slice(position)) yield await soon(() => entry);
    },

    deposit: (pool, leafIndex) => soon(() => memory.rows(pool).deposits[leafIndex]),
    withdrawal: (pool, nullifierHash) => soon(() => memory.rows(pool).withdrawals.get(nullifierHash)),
  };
}

function jobMethods(
  memory: StoreMemory,
  asLeader: AsLeader,
): Pick<Store, "job" | "addJob" | "changeJob" | "liveJobs" | "deleteEndedJobs"> {
  return {
    job: (id) => soon(() => memory.job(id)),

    addJob: (job, replaces) =>
      soon(() => {
        const existing = memory.job(job);
        if (existing && (isLive(existing) || !replaces(existing))) return existing;
        const withdrawal = memory.rows(job.pool).withdrawals.get(job.nullifierHash);
        if (withdrawal) return withdrawal;
        memory.writeJob(job);
        return undefined;
      }),

    changeJob: (id, change) =>
      asLeader(() => {
        const found = memory.job(id);
        const changed = found && change(found);
        if (changed) memory.writeJob(changed);
        return changed ?? found;
      }),

    liveJobs: () =>
      soon(() =>
        [...memory.pools.values()].flatMap(({ jobs }) => [...jobs.values()].filter(isLive))
          .sort((a, b) => a.acceptedAt - b.acceptedAt)
      ),

    deleteEndedJobs: (before) =>
      asLeader(() => {
        let count = 0;
        for (const { jobs } of memory.pools.values()) {
          for (const [id, job] of jobs) {
            if (isLive(job) || (job.endedAt ?? Infinity) >= before) continue;
            jobs.delete(id);
            count++;
          }
        }
        return count;
      }),
  };
}

function transferMethods(
  memory: StoreMemory,
  asLeader: AsLeader,
): Pick<Store, "transfer" | "beginTransfer" | "endTransfer" | "ledger"> {
  return {
    transfer: () => soon(() => memory.transfer),

    beginTransfer: (transfer) =>
      asLeader(() => {
        if (memory.transfer) throw new Problem("store_conflict", "another transfer is in flight");
        memory.transfer = transfer;
      }),

    endTransfer: (hash, ledger = []) =>
      asLeader(() => {
        if (memory.transfer?.hash !== hash) return;
        memory.transfer = undefined;
        for (const entry of ledger) memory.writeEntry(entry);
      }),

    async *ledger(since, until) {
      for (const { ledger } of memory.pools.values()) {
        for (const entry of [...ledger.values()]) {
          if (entry.timestamp >= since && entry.timestamp < until) yield await soon(() => entry);
        }
      }
    },
  };
}
