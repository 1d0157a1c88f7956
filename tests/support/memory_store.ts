/** A store in memory, for simulations: every method is atomic because nothing in it waits. */
import { Problem } from "../../src/core/errors.ts";
import {
  type Cursor,
  type Deposit,
  depositOf,
  isLive,
  type Job,
  type JobId,
  type PoolId,
  type Store,
  type Transfer,
  type Withdrawal,
  withdrawalOf,
} from "../../src/store/store.ts";
import { leavesOf } from "./leaves.ts";
const BATCH_LIMIT = 7;

/** Rows of one pool. */
interface PoolRows {
  cursor: Cursor | undefined;
  readonly deposits: Deposit[];
  readonly leaves: Map<bigint, Deposit>;
  readonly withdrawals: Map<bigint, Withdrawal>;
  readonly jobs: Map<bigint, Job>;
}

/** What a store keeps, for every process that opens it. */
export interface MemoryStoreOptions {
  /** Told of every job as it is written. */
  readonly onJob?: (job: Job) => void;
  /** Unix milliseconds, for the lead. */
  readonly now: () => number;
  /** Whether several processes may open it; else whoever opens it leads. */
  readonly shared: boolean;
}

/** A store that lives as long as the object; each call opens it for one process. */
export function memoryStore({ onJob = () => {}, now, shared }: MemoryStoreOptions): () => Store {
  const pools = new Map<PoolId, PoolRows>();
  let inFlight: Transfer | undefined;
  let lead = { holder: 0, until: -Infinity };
  let opened = 0;

  function rows(pool: PoolId): PoolRows {
    let found = pools.get(pool);
    if (!found) {
      found = { cursor: undefined, deposits: [], leaves: new Map(), withdrawals: new Map(), jobs: new Map() };
      pools.set(pool, found);
    }
    return found;
  }

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
      shared,
      health: () => ({ ok: true }),

      lead: (ms) =>
        soon(() => {
          if (lead.holder !== me && lead.until > now()) return false;
          lead = { holder: me, until: now() + ms };
          return true;
        }),

      resign: () =>
        soon(() => {
          if (lead.holder === me) lead = { holder: 0, until: -Infinity };
        }),

      cursor: (pool) => soon(() => rows(pool).cursor),

      apply: ({ pool, events, from, to }, settle) =>
        asLeader(() => {
          if (events.length > BATCH_LIMIT) {
            throw new RangeError(`a batch holds at most ${BATCH_LIMIT} events`);
          }
          const { cursor, deposits, leaves, withdrawals, jobs } = rows(pool);
          if (cursor?.hash !== from?.hash || cursor?.lt !== from?.lt) {
            throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
          }
          for (const event of events) {
            if (event.kind === "deposit") {
              const deposit = depositOf(event);
              deposits[deposit.leafIndex] = deposit;
              leaves.set(deposit.commitment, deposit);
              continue;
            }
            if (event.kind === "withdrawal") withdrawals.set(event.nullifierHash, withdrawalOf(event));
            const { nullifierHash } = event;
            const job = nullifierHash === undefined ? undefined : jobs.get(nullifierHash);
            if (nullifierHash === undefined || !job) continue;
            put(settle(job, { ...event, nullifierHash }) ?? job);
          }
          rows(pool).cursor = to;
        }),

      takeBack: ({ pool, from, to, leaves: left, payments }, reopen) =>
        asLeader(() => {
          const { cursor, deposits, leaves, withdrawals, jobs } = rows(pool);
          if (cursor?.hash !== from.hash || cursor.lt !== from.lt) {
            throw new Problem("store_conflict", "the cursor of this pool was moved by another writer");
          }
          for (const { commitment } of deposits.splice(left)) leaves.delete(commitment);
          for (const nullifierHash of payments) {
            withdrawals.delete(nullifierHash);
            const job = jobs.get(nullifierHash);
            const reopened = job && reopen(job);
            if (reopened) put(reopened);
          }
          rows(pool).cursor = to;
        }),

      async *payments(pool) {
        for (const payment of [...rows(pool).withdrawals.values()]) yield await soon(() => payment);
      },

      async *leaves(pool, leafIndex) {
        const { deposits } = rows(pool);
        for (let i = leafIndex; i < deposits.length; i++) yield await soon(() => leavesOf([deposits[i]]));
      },

      deposit: (pool, commitment) => soon(() => rows(pool).leaves.get(commitment)),
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

      endTransfer: (hash) =>
        asLeader(() => {
          if (inFlight?.hash === hash) inFlight = undefined;
        }),

      forgetJobs: (before) =>
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
