/** Constants of the pool contracts. A test compares them with `contracts/v1/fees.tolk`. */

/** The minimum that a pool keeps of a withdrawal, in nano. */
export const REFUND_RESERVE = 10_000_000n;

/** The part of the reserve that is never spent on gas, in nano. */
export const NET_ACCRUAL = 5_000_000n;

/** Seconds of storage that each withdrawal prepays for its nullifier's cell: 20 years. */
export const ENDOWMENT_SECONDS = 631_152_000n;

/** Gas of the most expensive withdrawal from a native pool, which its quote contains twice. */
export const GAS_HIGHEST_PATH = 356_000n;

/** Gas of the most expensive withdrawal from a jetton pool, which its quote contains twice. */
export const GAS_HIGHEST_JETTON_WITHDRAW = 361_000n;

/** Maximum number of claims. A jetton pool refuses withdrawals unless two more claims fit. */
export const MAX_OPEN_CLAIMS = 256;

/** Gas of a retry with as many claims as a pool can hold. */
export const GAS_HIGHEST_RETRY = 17_200n;

/** The highest generation of a pool. The first pool has generation 0 (contracts/v1/SPEC.md, First state). */
export const MAX_GENERATION = 255;

/** The number of deposits that a pool accepts in its lifetime: as many as provably fit (SPEC.md). */
export const POOL_CAPACITY = 131_072;

/** Storage that each deposit to and withdrawal from a jetton pool prepays, in seconds: 40 years. */
export const PREPAID_STORAGE_SECONDS = 1_262_304_000n;

/**
 * The order of a payment is final once this many payments follow it. A relayer checks up to this many new payments on
 * chain one by one. More at once must end with a confirmed transaction, which hashes link to all earlier ones.
 */
export const FINAL_PAYMENT_DEPTH = 30;
