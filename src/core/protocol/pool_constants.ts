/** Constants of the pool contracts. A test compares them with `contracts/fees.tolk`. */

/** The minimum that a pool keeps of a withdrawal, REFUND_RESERVE of the interface, in nano. */
export const REFUND_RESERVE = 10_000_000n;

/** The part of the reserve that is never spent on gas, in nano. */
export const NET_ACCRUAL = 5_000_000n;

/** Seconds of storage that each withdrawal prepays for its nullifier's cell: 20 years. */
export const ENDOWMENT_SECONDS = 631_152_000n;

/** Gas of the most expensive withdrawal from a native pool, which its quote contains twice. */
export const GAS_HIGHEST_PATH = 356_000n;

/** Gas of the most expensive withdrawal from a jetton pool, which its quote contains twice. */
export const GAS_HIGHEST_JETTON_WITHDRAW = 361_000n;

/** A jetton pool refuses withdrawals unless two claims more than it has fit below this number. */
export const MAX_OPEN_CLAIMS = 256;

/** Gas of a retry with as many claims as a pool can hold. */
export const GAS_HIGHEST_RETRY = 17_200n;

/** The highest generation of a pool. The first pool has generation 0 (contracts/SPEC.md, First state). */
export const MAX_GENERATION = 255;

/** The number of deposits that a pool accepts in its lifetime: as many as provably fit (SPEC.md). */
export const POOL_CAPACITY = 131_072;

/** Storage that each deposit to and withdrawal from a jetton pool prepays, in seconds: 40 years. */
export const PREPAID_STORAGE_SECONDS = 1_262_304_000n;

/**
 * The order of a payment no longer changes once this many follow it: a relayer checks its newest payments on chain one by
 * one, and accepts more of them at once only with a newest transaction that is confirmed, which hashes link to all before.
 */
export const SETTLED_PAYMENT_DEPTH = 30;
