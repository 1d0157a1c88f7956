/** The chain is not read: the relayer compares the rows with it at every start. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { FIELD_BYTES, fieldToBytes } from "../../core/crypto/field.ts";
import type { Archive, ArchiveRow } from "../../store/archive.ts";
import { formatIdentity } from "../../store/identity.ts";
import { isLive, isPaid, type Job, type PoolId, type Store } from "../../store/store.ts";

interface StoreCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

interface PoolRowTotals {
  leaves: number;
  readonly digest: ReturnType<typeof sha256.create>; // over the commitments and times in the rows
  withdrawals: number;
  /** The log's length, and how many of its entries are payments. */
  logLength: number;
  loggedPayments: number;
  settled: number;
  hasCursor: boolean;
}

const MAX_REPORTED_FAULTS = 5;
const PROGRESS_INTERVAL_ROWS = 1_000;

export async function checkStore(
  store: Store & Archive,
  onProgress: (rows: number) => void,
): Promise<StoreCheck[]> {
  const state = new StoreState();
  let rows = 0;
  for await (const row of store.rows()) {
    visit(row, state);
    if (++rows % PROGRESS_INTERVAL_ROWS === 0) onProgress(rows);
  }
  checkCompleteness(state);
  if (!store.isShared) {
    await checkLiveJobs(store, state);
    await checkPackedLeaves(store, state);
  }
  return results(state);
}

class StoreState {
  owner = "none yet: the first relayer that uses this store becomes its owner";
  transfer = "none in flight";
  readonly pools = new Map<PoolId, PoolRowTotals>();
  readonly jobs = new Map<string, Job>();
  readonly withoutPayment = new Set<string>(); // labels of paid jobs whose payment has not been seen
  ledgerEntries = 0;
  readonly unpaidEntries = new Set<string>();
  readonly faults = {
    leaves: [] as string[],
    cursors: [] as string[],
    jobs: [] as string[],
    payments: [] as string[],
    logs: [] as string[],
    transfer: [] as string[],
    ledger: [] as string[],
  };

  totalsOf(pool: PoolId): PoolRowTotals {
    const totals = this.pools.get(pool) ??
      {
        leaves: 0,
        digest: sha256.create(),
        withdrawals: 0,
        hasCursor: false,
        logLength: 0,
        loggedPayments: 0,
        settled: 0,
      };
    this.pools.set(pool, totals);
    return totals;
  }
}

/** Jobs come before the transfer and the withdrawals. */
function visit(row: ArchiveRow, state: StoreState): void {
  switch (row.kind) {
    case "identity":
      state.owner = formatIdentity(row.identity);
      return;
    case "cursor":
      state.totalsOf(row.pool).hasCursor = true;
      return;
    case "job":
      return visitJob(row.job, state);
    case "transfer":
      return visitTransfer(row.transfer, state);
    case "ledger":
      state.ledgerEntries++;
      if (row.entry.kind === "withdrawal") state.unpaidEntries.add(`${row.entry.pool} ${row.entry.txHash}`);
      return;
    case "deposit":
      return visitDeposit(row, state);
    case "withdrawal":
      return visitWithdrawal(row, state);
    case "log":
      return visitLogEntry(row, state);
  }
}

type Row<K extends ArchiveRow["kind"]> = Extract<ArchiveRow, { kind: K }>;

function visitJob(job: Job, { jobs, withoutPayment, faults }: StoreState): void {
  const label = jobLabel(job.pool, job.nullifierHash);
  jobs.set(label, job);
  if (isPaid(job)) withoutPayment.add(label);
  if (isLive(job) !== (job.message !== undefined)) {
    faults.jobs.push(`${label} is ${job.state} ${isLive(job) ? "without" : "with"} its message`);
  }
}

function visitTransfer(transfer: Row<"transfer">["transfer"], state: StoreState): void {
  const { faults, jobs } = state;
  state.transfer = `one of ${transfer.jobs.length} withdrawals`;
  if (transfer.jobs.length === 0) faults.transfer.push("it carries nothing");
  for (const { pool, nullifierHash } of transfer.jobs) {
    const label = jobLabel(pool, nullifierHash);
    if (!jobs.has(label)) faults.transfer.push(`it contains ${label}, which the journal does not`);
  }
}

function visitDeposit({ pool, deposit }: Row<"deposit">, state: StoreState): void {
  const { leafIndex, commitment, timestamp } = deposit;
  const totals = state.totalsOf(pool);
  if (leafIndex !== totals.leaves) {
    state.faults.leaves.push(`${pool} has leaf ${leafIndex} instead of leaf ${totals.leaves}`);
  }
  totals.leaves = leafIndex + 1;
  totals.digest.update(fieldToBytes(commitment)).update(timeBytes(timestamp));
}

function visitWithdrawal({ pool, withdrawal }: Row<"withdrawal">, state: StoreState): void {
  const { nullifierHash, txHash } = withdrawal;
  const { faults, withoutPayment } = state;
  state.totalsOf(pool).withdrawals++;
  const label = jobLabel(pool, nullifierHash);
  const job = state.jobs.get(label);
  if (job && isLive(job)) faults.payments.push(`${label} is paid but still ${job.state}`);
  if (job && isPaid(job) && job.txHash !== txHash) {
    faults.payments.push(`${label} is paid by another transaction than its job names`);
  }
  withoutPayment.delete(label);
  state.unpaidEntries.delete(`${pool} ${txHash}`);
}

/** Logs come after the deposits and the withdrawals. */
function visitLogEntry({ pool, entry }: Row<"log">, state: StoreState): void {
  const { position, kind, settled } = entry;
  const totals = state.totalsOf(pool);
  const fault = position !== totals.logLength
    ? `entry ${position} instead of entry ${totals.logLength}`
    : settled > totals.leaves || settled < totals.settled ||
        (settled > totals.settled) !== (kind === "settlement")
    ? `a ${kind} after which ${settled} of ${totals.leaves} deposits are settled, before it ${totals.settled}`
    : undefined;
  if (fault !== undefined) state.faults.logs.push(`${pool} has ${fault}`);
  totals.logLength = position + 1;
  totals.settled = settled;
  if (kind === "payment") totals.loggedPayments++;
}

function checkCompleteness({ pools, withoutPayment, unpaidEntries, faults }: StoreState): void {
  for (const entry of unpaidEntries) {
    faults.ledger.push(`${entry} is booked as a payment without a row of it`);
  }

  for (const label of withoutPayment) {
    faults.payments.push(`${label} is paid by its own account, without a payment row`);
  }
  for (const [pool, { hasCursor, loggedPayments, withdrawals }] of pools) {
    if (!hasCursor) faults.cursors.push(`${pool} has rows but no cursor`);
    if (loggedPayments !== withdrawals) {
      faults.logs.push(`${pool} has ${withdrawals} payments, but its log has ${loggedPayments}`);
    }
  }
}

/** The embedded store lists its live jobs separately. */
async function checkLiveJobs(store: Store, { jobs, faults }: StoreState): Promise<void> {
  const listed = new Set(
    (await store.liveJobs()).map(({ pool, nullifierHash }) => jobLabel(pool, nullifierHash)),
  );
  for (const [label, job] of jobs) {
    if (isLive(job) && !listed.has(label)) {
      faults.jobs.push(`${label} is ${job.state} but not listed as live`);
    }
  }
}

/** A relayer reads packed leaves when it starts; they must match the rows. */
async function checkPackedLeaves(store: Store, { pools, faults }: StoreState): Promise<void> {
  for (const [pool, { digest }] of pools) {
    const packed = sha256.create();
    for await (const { commitments, times } of store.leaves(pool, 0)) {
      for (const [i, time] of times.entries()) {
        packed.update(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES)).update(timeBytes(time));
      }
    }
    if (bytesToHex(packed.digest()) === bytesToHex(digest.digest())) continue;
    faults.leaves.push(
      `the packed leaves of ${pool}, which a relayer reads when it starts, differ from its rows`,
    );
  }
}

function results({ owner, transfer, pools, jobs, ledgerEntries, faults }: StoreState): StoreCheck[] {
  const total = (member: "leaves" | "withdrawals" | "logLength") =>
    [...pools.values()].reduce((sum, pool) => sum + pool[member], 0);
  const live = [...jobs.values()].filter(isLive).length;
  const result = (name: keyof typeof faults, summary: string): StoreCheck => {
    const found = faults[name];
    if (found.length === 0) return { name, passed: true, detail: summary };
    const more = found.length > MAX_REPORTED_FAULTS ? `; and ${found.length - MAX_REPORTED_FAULTS} more` : "";
    return { name, passed: false, detail: found.slice(0, MAX_REPORTED_FAULTS).join("; ") + more };
  };
  return [
    { name: "identity", passed: true, detail: owner },
    result("leaves", `${total("leaves")} of ${pools.size} pools, without a gap`),
    result("cursors", `${pools.size}, one for each pool`),
    result("jobs", `${jobs.size}, ${live} of them live`),
    result("payments", `${total("withdrawals")}, consistent with the jobs`),
    result("logs", `${total("logLength")} entries, consistent with the pools' rows`),
    result("transfer", transfer),
    result("ledger", `${ledgerEntries} entries, each payment among the pool's`),
  ];
}

function timeBytes(seconds: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds));
  return bytes;
}

/** Nullifier hashes are public once their notes are withdrawn. */
function jobLabel(pool: PoolId, nullifierHash: bigint): string {
  return `${pool.slice(0, 12)}…/0x${nullifierHash.toString(16).padStart(64, "0")}`;
}
