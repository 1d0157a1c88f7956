/** Adds writes of rows to an atomic operation of a KV store. */
import {
  type Deposit,
  isLive,
  type Job,
  type LedgerEntry,
  type LogEntry,
  type PoolId,
  type Transfer,
  type Withdrawal,
} from "../store.ts";
import { encodeValue, storeKeys } from "./codec.ts";

type Atomic = Deno.AtomicOperation;

export function writeDeposit(atomic: Atomic, pool: PoolId, deposit: Deposit): Atomic {
  return atomic.set(storeKeys.deposit(pool, deposit.leafIndex), encodeValue(deposit));
}

export function writeWithdrawal(atomic: Atomic, pool: PoolId, withdrawal: Withdrawal): Atomic {
  return atomic.set(storeKeys.withdrawal(pool, withdrawal.nullifierHash), encodeValue(withdrawal));
}

export function writeLedger(atomic: Atomic, entry: LedgerEntry): Atomic {
  return atomic.set(storeKeys.ledger(entry.pool, entry.lt, entry.txHash), encodeValue(entry));
}

export function writeLogEntry(atomic: Atomic, pool: PoolId, entry: LogEntry): Atomic {
  return atomic.set(storeKeys.log(pool, entry.position), encodeValue(entry));
}

export function writeJob(atomic: Atomic, job: Job): Atomic {
  const live = storeKeys.live(job.pool, job.nullifierHash);
  atomic.set(storeKeys.job(job.pool, job.nullifierHash), encodeValue(job));
  return isLive(job) ? atomic.set(live, encodeValue(null)) : atomic.delete(live);
}

/** Two values, because journal and message together may exceed the size of one. */
export function writeTransfer(atomic: Atomic, { boc, ...journal }: Transfer): Atomic {
  return atomic.set(storeKeys.transfer, encodeValue(journal)).set(storeKeys.transferBoc, boc);
}
