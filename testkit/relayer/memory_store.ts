/** A store in memory for simulations. Every method is atomic because it does not await. */
import { Problem } from "../../src/core/errors/problem.ts";
import {
  assertCursorIs,
  type Cursor,
  type Deposit,
  isLive,
  type Job,
  type JobId,
  type LedgerEntry,
  type LogEntry,
  type PoolId,
  type Store,
  toDeposit,
  toSettlingEvent,
  toWithdrawal,
  type Transfer,
  type Withdrawal,
} from "../../src/store/store.ts";
import { toLeaves } from "./leaf_batches.ts";
const BATCH_LIMIT = 7;

interface PoolRows {
  cursor: Cursor | undefined;
  readonly deposits: Deposit[];
  readonly log: LogEntry[];
  readonly withdrawals: Map<bigint, Withdrawal>;
  readonly jobs: Map<bigint, Job>;
  /** By logical time and transaction hash. */
  readonly ledger: Map<string, LedgerEntry>;
}

/** Options of a store, for all processes that open it. */
interface MemoryStoreOptions {
  /** Called with each written job. */
  readonly onJobWritten?: (job: Job) => void;
  /** Returns Unix milliseconds, for the lease. */
  readonly now: () => number;
  /** Whether several processes may open it. Otherwise the process that opens it leads. */
  readonly shared: boolean;
}

/** Creates a store that lives as long as the object. Each call of the result opens it for one process. */
export function memoryStore(
  { onJobWritten: onJob = () => {}, now, shared }: MemoryStoreOptions,
): () => Store {
  const pools = new Map<PoolId, PoolRows>();
  let inFlight: Transfer | undefined;
  let lead = { holder: 0, until: -Infinity };
  let opened = 0;

  function rows(pool: PoolId): PoolRows {
    let found = pools.get(pool);
    if (!found) {
      found = {
        cursor: undefined,
        deposits: [],
        log: [],
        withdrawals: new Map(),
        jobs: new Map(),
        ledger: new Map(),
      };
      pools.set(pool, found);
    }
    return found;
  }

  const book = (entry: LedgerEntry) => rows(entry.pool).ledger.set(`${entry.lt} ${entry.txHash}`, entry);
  const jobOf = ({ pool, nullifierHash }: JobId) => rows(pool).jobs.get(nullifierHash);
  const put = (job: Job) => {
    onJob(job);
    rows(job.pool).jobs.set(job.nullifierHash, job);
  };
  const soon = async <T>(answer: () => T): Promise<T> => await answer();

  return () => {
    const me = ++opened;
    const asLeader = async <T>(write: () => T): Promise<T> => {
      if (shared && lead.holder !== me) throw new Problem("not_leader");
      return await write();
    };
    return {
      batchLimit: BATCH_LIMIT,
      isShared: shared,
      health: () => ({ ok: true }),

      acquireLease: (ms) =>
        soon(() => {
          if (lead.holder !== me && lead.until > now()) return false;
          lead = { holder: me, until: now() + ms };
          return true;
        }),

      releaseLease: () =>
        soon(() => {
          if (lead.holder === me) lead = { holder: 0, until: -Infinity };
        }),

      cursor: (pool) => soon(() => rows(pool).cursor),

      apply: ({ pool, events, from, to, ledger = [], log: added = [] }, settle) =>
        asLeader(() => {
          if (events.length > BATCH_LIMIT) {
            throw new RangeError(`a batch holds at most ${BATCH_LIMIT} events`);
          }
          const { cursor, deposits, withdrawals, jobs, log } = rows(pool);
          assertCursorIs(from, cursor);
          for (const entry of added) log[entry.position] = entry;
          for (const event of events) {
            if (event.kind === "deposit") {
              const deposit = toDeposit(event);
              deposits[deposit.leafIndex] = deposit;
              continue;
            }
            if (event.kind === "withdrawal") withdrawals.set(event.nullifierHash, toWithdrawal(event));
            const settling = toSettlingEvent(event);
            const job = settling && jobs.get(settling.nullifierHash);
            if (job) put(settle(job, settling) ?? job);
          }
          for (const entry of ledger) book(entry);
          rows(pool).cursor = to;
        }),

      rollBack: ({ pool, from, to, keptLeafCount: left, nullifierHashes: payments, keptLogLength }, reopen) =>
        asLeader(() => {
          const { cursor, deposits, withdrawals, jobs, ledger, log } = rows(pool);
          assertCursorIs(from, cursor);
          for (const [key, { lt }] of ledger) if (lt > (to?.lt ?? 0n)) ledger.delete(key);
          deposits.splice(left);
          log.splice(keptLogLength ?? 0);
          for (const nullifierHash of payments) {
            withdrawals.delete(nullifierHash);
            const job = jobs.get(nullifierHash);
            const reopened = job && reopen(job);
            if (reopened) put(reopened);
          }
          rows(pool).cursor = to;
        }),

      async *withdrawals(pool) {
        for (const payment of [...rows(pool).withdrawals.values()]) yield await soon(() => payment);
      },

      async *leaves(pool, leafIndex) {
        const { deposits } = rows(pool);
        for (let i = leafIndex; i < deposits.length; i++) yield await soon(() => toLeaves([deposits[i]]));
      },

      async *poolLog(pool, position) {
        for (const entry of rows(pool).log.slice(position)) yield await soon(() => entry);
      },

      deposit: (pool, leafIndex) => soon(() => rows(pool).deposits[leafIndex]),
      withdrawal: (pool, nullifierHash) => soon(() => rows(pool).withdrawals.get(nullifierHash)),
      job: (id) => soon(() => jobOf(id)),

      addJob: (job, replaces) =>
        soon(() => {
          const existing = jobOf(job);
          if (existing && (isLive(existing) || !replaces(existing))) return existing;
          const withdrawal = rows(job.pool).withdrawals.get(job.nullifierHash);
          if (withdrawal) return withdrawal;
          put(job);
          return undefined;
        }),

      changeJob: (id, change) =>
        asLeader(() => {
          const found = jobOf(id);
          const changed = found && change(found);
          if (changed) put(changed);
          return changed ?? found;
        }),

      liveJobs: () =>
        soon(() =>
          [...pools.values()].flatMap(({ jobs }) => [...jobs.values()].filter(isLive))
            .sort((a, b) => a.acceptedAt - b.acceptedAt)
        ),

      transfer: () => soon(() => inFlight),

      beginTransfer: (transfer) =>
        asLeader(() => {
          if (inFlight) throw new Problem("store_conflict", "another transfer is in flight");
          inFlight = transfer;
        }),

      endTransfer: (hash, ledger = []) =>
        asLeader(() => {
          if (inFlight?.hash !== hash) return;
          inFlight = undefined;
          for (const entry of ledger) book(entry);
        }),

      async *ledger(since, until) {
        for (const { ledger } of pools.values()) {
          for (const entry of [...ledger.values()]) {
            if (entry.timestamp >= since && entry.timestamp < until) yield await soon(() => entry);
          }
        }
      },

      deleteEndedJobs: (before) =>
        asLeader(() => {
          let count = 0;
          for (const { jobs } of pools.values()) {
            for (const [id, job] of jobs) {
              if (isLive(job) || (job.settledAt ?? Infinity) >= before) continue;
              jobs.delete(id);
              count++;
            }
          }
          return count;
        }),

      close: () => Promise.resolve(),
    };
  };
}
