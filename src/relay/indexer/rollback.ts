/** Removes stored rows that the pool's complete history lacks, after an endpoint returned a false history. */
import type { Address } from "@ton/core";
import { FIELD_BYTES, fieldFromBytes } from "../../core/crypto/field.ts";
import { Problem } from "../../core/errors/problem.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Cursor, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { PoolEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { ScanCheckpoint, scanPoolTransactions } from "../../ton/pool/history/scan.ts";
import { HistoryVerifier, type HistoryVerifierDeps } from "./history_verifier.ts";
import type { PoolState } from "./pool_state.ts";
import { createPoolTree } from "./tree/settled_pool.ts";
import { reopenJob } from "./job_outcome.ts";

interface RollbackDeps extends HistoryVerifierDeps {
  readonly store: Store;
  readonly walletAddress: Address;
  readonly log: Log;
}

/** Rolls back once the cursor was missing for this many `staleAfterMs`: a delayed node catches up sooner. */
const ROLLBACK_STALE_PERIODS = 5;

interface HistoryRow {
  readonly tx: TransactionId;
  readonly leaf?: { readonly index: number; readonly commitment: bigint };
  readonly payment?: WithdrawalEvent;
  /** Position of a settlement or payment in the pool's log. */
  readonly logPosition?: number;
}

export class RollbackTrigger {
  #missingSince: number | undefined;
  #checkpoint = new ScanCheckpoint();

  /** Forgets the missing cursor and the scan, because the endpoint shows the cursor. */
  reset(): void {
    this.#missingSince = undefined;
    this.#checkpoint = new ScanCheckpoint();
  }

  /** Returns whether it rolled back. Throws `chain_inconsistent` if the pool counts more events than its history has. */
  async rollBackIfDue(
    pool: PoolState,
    deps: RollbackDeps,
    signal: AbortSignal,
    onProgress: (seen: number) => void,
  ): Promise<boolean> {
    const { chain, clock, intervals, store } = deps;
    this.#missingSince ??= clock.now();
    if (clock.now() - this.#missingSince < ROLLBACK_STALE_PERIODS * intervals.staleAfterMs) return false;
    const { address } = pool.deployment;
    const cursor = await store.cursor(pool.id);
    if (cursor === undefined) return false;
    // An endpoint that is behind does not return the cursor either, which proves nothing.
    const { last, syncUtime } = await chain.account(address, { signal });
    if (last === undefined || syncUtime * 1000 < this.#missingSince) return false;
    if (await chain.verifier?.hasTransaction(address, cursor, { signal })) {
      throw new Problem(
        "chain_inconsistent",
        "the second chain endpoint knows transactions that the first one omits",
      );
    }
    const history: HistoryRow[] = [];
    const verifier = new HistoryVerifier(
      address,
      createPoolTree(pool.deployment.version, pool.tree.service),
      deps,
      signal,
    );
    let logLength = 0;
    const capacity = poolCapacity(pool.deployment.version);
    const options = { newest: last, signal, checkpoint: this.#checkpoint, verifier, onProgress, capacity };
    for await (const { events } of scanPoolTransactions(chain, address, options)) {
      for (const event of events) {
        const row = toHistoryRow(event, logLength);
        if (row === undefined) continue;
        history.push(row);
        if (row.logPosition !== undefined) logLength++;
      }
    }
    await rollBackPool(pool, cursor, history, deps, signal);
    this.reset();
    return true;
  }
}

function toHistoryRow(event: PoolEvent, logLength: number): HistoryRow | undefined {
  const { tx } = event;
  if (event.kind === "deposit") {
    return { tx, leaf: { index: event.leafIndex, commitment: event.commitment } };
  }
  if (event.kind !== "withdrawal" && event.kind !== "settlement") return undefined;
  const payment = event.kind === "withdrawal" && { payment: event };
  return { tx, ...payment, logPosition: logLength };
}

async function rollBackPool(
  { id, key, tree, deployment: { address, version } }: PoolState,
  from: Cursor,
  history: readonly HistoryRow[],
  deps: RollbackDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, chain, walletAddress, log } = deps;
  const realPayments = new Map(
    history.flatMap(({ payment }) => payment === undefined ? [] : [[payment.nullifierHash, payment]]),
  );
  const storedTxHashes = new Map<bigint, string>();
  for await (const { nullifierHash, txHash } of store.withdrawals(id)) {
    storedTxHashes.set(nullifierHash, txHash);
  }
  const storedLog = new Map<number, string>();
  for await (const { position, txHash } of store.poolLog(id, 0)) storedLog.set(position, txHash);
  const commonLeafCount = await countCommonLeaves(id, history, store);
  // Everything from the first difference on is removed; valid rows are read again.
  const end = history.findIndex(({ tx, leaf, logPosition }) =>
    leaf ? leaf.index >= commonLeafCount : logPosition !== undefined && storedLog.get(logPosition) !== tx.hash
  );
  const keptHistory = end < 0 ? history : history.slice(0, end);
  const keptLeafCount = keptHistory.filter(({ leaf }) => leaf !== undefined).length;
  const keptNullifierHashes = new Set(keptHistory.map(({ payment }) => payment?.nullifierHash));
  const payments = [...storedTxHashes.keys()].filter((nullifierHash) =>
    !keptNullifierHashes.has(nullifierHash)
  );
  await assertComplete(chain, { address, version }, history, signal);
  const to = keptHistory.at(-1)?.tx;
  const now = clock.now();
  const keptLogLength = keptHistory.filter(({ logPosition }) => logPosition !== undefined).length;
  const rollback = { pool: id, from, to, keptLeafCount, nullifierHashes: payments, keptLogLength };
  await store.rollBack(rollback, (job) => {
    return reopenJob(job, realPayments.get(job.nullifierHash), walletAddress, now);
  });
  log.error(
    "{pool}: rolled back {deposits} deposits and {payments} payments: the endpoint had reported them, but they are not on chain",
    { pool: key, deposits: tree.depositCount - keptLeafCount, payments: payments.length },
  );
  tree.clear();
}

async function countCommonLeaves(
  pool: string,
  history: readonly HistoryRow[],
  store: Store,
): Promise<number> {
  const historyLeaves = history.flatMap(({ leaf, tx }) => leaf ? [{ ...leaf, tx }] : []);
  let commonLeafCount = 0;
  read: for await (const { firstIndex: first, commitments, times } of store.leaves(pool, 0)) {
    if (first !== commonLeafCount) break;
    for (let i = 0; i < times.length; i++) {
      const commitment = fieldFromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
      if (historyLeaves[commonLeafCount]?.commitment !== commitment) break read;
      commonLeafCount++;
    }
  }
  // Hashes link the transactions: the newest match proves all before it.
  while (commonLeafCount > 0) {
    const { tx } = historyLeaves[commonLeafCount - 1];
    if ((await store.deposit(pool, commonLeafCount - 1))?.txHash === tx.hash) break;
    commonLeafCount--;
  }
  return commonLeafCount;
}

/**
 * Throws `chain_inconsistent` if the pool counts more events than its history has. Asking a version 1 pool for single
 * keys would not do: it compares 114 bits, so a forged key could pass for a real one.
 */
async function assertComplete(
  chain: Chain,
  { address, version }: Pick<Deployment, "address" | "version">,
  history: readonly HistoryRow[],
  signal: AbortSignal,
): Promise<void> {
  const { deposits, withdrawals } = await new PoolGetters(chain, address).getPoolInfo({ signal });
  const settlements = version === 2
    ? (await new V2Pool(chain, address).getSettleInfo({ signal })).rootCount
    : 0;
  const count = (holds: (row: HistoryRow) => boolean) => history.filter(holds).length;
  const isComplete = deposits <= count(({ leaf }) => leaf !== undefined) &&
    withdrawals + settlements <= count(({ logPosition }) => logPosition !== undefined);
  if (isComplete) return;
  throw new Problem("chain_inconsistent", "the pool's get methods count events that its history omits");
}
