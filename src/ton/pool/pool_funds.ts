import { SECONDS_PER_YEAR, storageYears } from "../account_storage.ts";
import type { PoolInfo } from "./pool_getters.ts";

/** A pool's state, and what its storage costs. Amounts are in nano. */
interface PoolBalance {
  readonly info: Pick<PoolInfo, "assetKind" | "deposits" | "withdrawals" | "debt">;
  readonly denomination: bigint; // in the asset's smallest unit
  readonly balance: bigint;
  readonly storageDue: bigint;
  readonly storagePerYear: bigint;
}

/** Funds of a pool in nano, and how long they last. */
export interface PoolFunds {
  readonly available: bigint; // balance minus unpaid storage fees
  /** Total payout in coins of the notes that are not withdrawn. A jetton pool owes its notes in jettons: 0. */
  readonly unspentNotes: bigint;
  readonly debt: bigint;
  /** What paying every note takes from the balance: the notes without the debt, which withdrawals repay. */
  readonly obligations: bigint;
  /** What the pool holds beyond its obligations. Negative if the notes' own coins have paid for storage. */
  readonly surplus: bigint;
  /** Part of the notes that the pool could not pay; 0 in a sound pool. */
  readonly shortfall: bigint;
  /** Years until storage fees consume the balance and the account freezes. */
  readonly runwayYears: number;
  /** Years until storage fees consume the surplus: the runway that remains after every note is withdrawn. */
  readonly reserveYears: number;
}

/** Computes the funds of a pool. The balance of a jetton pool does not pay its notes. */
export function poolFunds(
  { info, denomination, balance, storageDue, storagePerYear }: PoolBalance,
): PoolFunds {
  const available = balance > storageDue ? balance - storageDue : 0n;
  const unspentNotes = info.assetKind === "native"
    ? BigInt(info.deposits - info.withdrawals) * denomination
    : 0n;
  const { debt } = info;
  const obligations = unspentNotes - debt;
  const surplus = available - obligations;
  return {
    available,
    unspentNotes,
    debt,
    obligations,
    surplus,
    shortfall: surplus < 0n ? -surplus : 0n,
    runwayYears: storageYears(available, storagePerYear),
    reserveYears: storageYears(surplus < 0n ? 0n : surplus, storagePerYear),
  };
}

/** Returns when storage fees will have consumed the surplus, in Unix seconds; Infinity if they are zero. */
export function surplusEnd({ reserveYears }: PoolFunds, now: number): number {
  return now + Math.floor(reserveYears * Number(SECONDS_PER_YEAR));
}
