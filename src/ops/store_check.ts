/**
 * Whether what a store holds fits together: a table of named checks over one pass of its rows. It asks no chain; what the
 * chain says is for the relayer, which compares roots whenever it starts.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { FIELD_BYTES, toBytes } from "../core/field.ts";
import type { Archive, ArchiveRow } from "../store/archive.ts";
import { shownIdentity } from "../store/identity.ts";
import { type Deposit, isLive, type Job, type PoolId, type Store } from "../store/store.ts";

/** What a check found. */
export interface StoreCheck {
  readonly name: string;
  readonly holds: boolean;
  /** What was seen; where it does not hold, the first faults. */
  readonly detail: string;
}

/** What the pass has seen of one pool. */
interface PoolRows {
  leaves: number;
  /** Of their commitments and times, as the rows tell them. */
  readonly digest: ReturnType<typeof sha256.create>;
  withdrawals: number;
  hasCursor: boolean;
}

/** Commitments looked up at once. */
const TOGETHER = 1_000;
/** Faults of one check that are told. */
const TOLD = 5;
/** Rows between two reports of progress. */
const REPORT = 1_000;

/** Reads all of a store. */
export async function checkStore(
  store: Store & Archive,
  onProgress: (rows: number) => void,
): Promise<StoreCheck[]> {
  const faults = {
    leaves: [] as string[],
    commitments: [] as string[],
    cursors: [] as string[],
    jobs: [] as string[],
    payments: [] as string[],
    transfer: [] as string[],
  };
  const pools = new Map<PoolId, PoolRows>();
  const jobs = new Map<string, Job>();
  const unpaid = new Set<string>();
  /** Leaves of one pool whose commitments are to be looked up. */
  let unchecked: { readonly pool: PoolId; readonly deposits: Deposit[] } = { pool: "", deposits: [] };
  let owner = "none yet: that of the first relayer to start on it";
  let transferred = "none in flight";
  let rows = 0;

  const of = (pool: PoolId) => {
    const seen = pools.get(pool) ??
      { leaves: 0, digest: sha256.create(), withdrawals: 0, hasCursor: false };
    pools.set(pool, seen);
    return seen;
  };
  const take: { [K in ArchiveRow["kind"]]: (row: ArchiveRow & { kind: K }) => void } = {
    identity: ({ identity }) => void (owner = shownIdentity(identity)),
    cursor: ({ pool }) => void (of(pool).hasCursor = true),
    job({ job }) {
      const name = nameOf(job.pool, job.nullifierHash);
      jobs.set(name, job);
      if (job.state === "confirmed") unpaid.add(name);
      if (isLive(job) !== (job.message !== undefined)) {
        faults.jobs.push(`${name} is ${job.state} ${isLive(job) ? "without" : "with"} its message`);
      }
    },
    transfer({ transfer }) {
      transferred = `one of ${transfer.jobs.length} withdrawals`;
      if (transfer.jobs.length === 0) faults.transfer.push("it carries nothing");
      for (const { pool, nullifierHash } of transfer.jobs) {
        const name = nameOf(pool, nullifierHash);
        if (!jobs.has(name)) faults.transfer.push(`${name} is in it, and in no journal`);
      }
    },
    deposit({ pool, deposit }) {
      const { leafIndex } = deposit;
      const seen = of(pool);
      if (leafIndex !== seen.leaves) {
        faults.leaves.push(`${pool} has leaf ${leafIndex} where ${seen.leaves} should be`);
      }
      seen.leaves = leafIndex + 1;
      seen.digest.update(toBytes(deposit.commitment)).update(timeBytes(deposit.timestamp));
      unchecked.deposits.push(deposit);
    },
    withdrawal({ pool, withdrawal: { nullifierHash, txHash } }) {
      of(pool).withdrawals++;
      const name = nameOf(pool, nullifierHash);
      const job = jobs.get(name);
      if (job && isLive(job)) faults.payments.push(`${name} is paid, and still ${job.state}`);
      if (job?.state === "confirmed" && job.txHash !== txHash) {
        faults.payments.push(`${name} is paid by another transaction than its job says`);
      }
      unpaid.delete(name);
    },
  };
  const lookUp = async (next: PoolId) => {
    const { pool, deposits } = unchecked;
    unchecked = { pool: next, deposits: [] };
    const leaves = await store.leavesOf(pool, deposits.map(({ commitment }) => commitment));
    for (const [i, { leafIndex }] of deposits.entries()) {
      if (leaves[i] === leafIndex) continue;
      faults.commitments.push(`that of leaf ${leafIndex} of ${pool} leads to ${leaves[i] ?? "none"}`);
    }
  };
  for await (const row of store.rows()) {
    if (row.kind === "deposit" && (row.pool !== unchecked.pool || unchecked.deposits.length === TOGETHER)) {
      await lookUp(row.pool);
    }
    take[row.kind](row as never);
    if (++rows % REPORT === 0) onProgress(rows);
  }
  await lookUp("");
  for (const name of unpaid) faults.payments.push(`${name} is confirmed, and there is no payment`);
  for (const [pool, { hasCursor }] of pools) {
    if (!hasCursor) faults.cursors.push(`${pool} has rows and no cursor`);
  }
  if (!store.shared) await compareLive(store, jobs, faults.jobs);
  if (!store.shared) await compareLeaves(store, pools, faults.leaves);

  const total = (member: "leaves" | "withdrawals") =>
    [...pools.values()].reduce((sum, pool) => sum + pool[member], 0);
  const live = [...jobs.values()].filter(isLive).length;
  const check = (name: keyof typeof faults, seen: string): StoreCheck => {
    const found = faults[name];
    const more = found.length > TOLD ? `; and ${found.length - TOLD} more` : "";
    return {
      name,
      holds: found.length === 0,
      detail: found.length ? found.slice(0, TOLD).join("; ") + more : seen,
    };
  };
  return [
    { name: "identity", holds: true, detail: owner },
    check("leaves", `${total("leaves")} of ${pools.size} pools, without a gap`),
    check("commitments", "each leads to its leaf"),
    check("cursors", `${pools.size}, one a pool`),
    check("jobs", `${jobs.size}, ${live} of them live`),
    check("payments", `${total("withdrawals")}, as the jobs tell them`),
    check("transfer", transferred),
  ];
}

/** The embedded store lists its live jobs apart: the list must be what the jobs say. */
async function compareLive(store: Store, jobs: ReadonlyMap<string, Job>, faults: string[]): Promise<void> {
  const listed = new Set(
    (await store.liveJobs()).map(({ pool, nullifierHash }) => nameOf(pool, nullifierHash)),
  );
  for (const [name, job] of jobs) {
    if (isLive(job) && !listed.has(name)) faults.push(`${name} is ${job.state}, and not listed as live`);
  }
}

/** A start reads leaves packed: they must be what the rows say. */
async function compareLeaves(
  store: Store,
  pools: ReadonlyMap<PoolId, PoolRows>,
  faults: string[],
): Promise<void> {
  for (const [pool, { digest }] of pools) {
    const read = sha256.create();
    for await (const { commitments, times } of store.leaves(pool, 0)) {
      for (const [i, time] of times.entries()) {
        read.update(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES)).update(timeBytes(time));
      }
    }
    if (bytesToHex(read.digest()) === bytesToHex(digest.digest())) continue;
    faults.push(`${pool} is read at a start with other leaves than its rows have`);
  }
}

function timeBytes(seconds: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds));
  return bytes;
}

/** Names a note in what an operator reads: the first digits tell it apart, and are no secret once it is withdrawn. */
function nameOf(pool: PoolId, nullifierHash: bigint): string {
  return `${pool.slice(0, 12)}…/0x${nullifierHash.toString(16).padStart(64, "0")}`;
}
