/** What each kind of row is in the embedded store: its keys and their values, as one step of a commit. */
import { type Deposit, isLive, type Job, type PoolId, type Transfer, type Withdrawal } from "../store.ts";
import { encode, keys } from "./codec.ts";

type Atomic = Deno.AtomicOperation;

/** The row, and where its commitment stands. */
export function writeDeposit(atomic: Atomic, pool: PoolId, deposit: Deposit): Atomic {
  return atomic.set(keys.deposit(pool, deposit.leafIndex), encode(deposit))
    .set(keys.leaf(pool, deposit.commitment), encode(deposit.leafIndex));
}

export function writeWithdrawal(atomic: Atomic, pool: PoolId, withdrawal: Withdrawal): Atomic {
  return atomic.set(keys.withdrawal(pool, withdrawal.nullifierHash), encode(withdrawal));
}

/** The row and its entry in the index of live jobs. */
export function writeJob(atomic: Atomic, job: Job): Atomic {
  const live = keys.live(job.pool, job.nullifierHash);
  atomic.set(keys.job(job.pool, job.nullifierHash), encode(job));
  return isLive(job) ? atomic.set(live, encode(null)) : atomic.delete(live);
}

/** The journal, and the message in a value of its own: both together could be more than a value holds. */
export function writeTransfer(atomic: Atomic, { boc, ...journal }: Transfer): Atomic {
  return atomic.set(keys.transfer, encode(journal)).set(keys.transferBoc, boc);
}
