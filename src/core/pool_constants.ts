/** Figures of the pool contracts that other parts reckon with. A test compares them with `contracts/fees.tolk`. */

/** What a pool keeps of a withdrawal at least: the interface's REFUND_RESERVE, nano. */
export const REFUND_RESERVE = 10_000_000n;

/** What stays of it for good at least: the interface's net accrual, nano. */
export const NET_ACCRUAL = 5_000_000n;

/** Seconds of storage that each withdrawal prepays for the cell that its nullifier may take: 20 years. */
export const ENDOWMENT_SECONDS = 631_152_000n;

/**
 * Highest generation of a pool. Code, denomination and owner make one address a generation; the first pool is of
 * generation 0, its successors count on (contracts/SPEC.md, First state).
 */
export const HIGHEST_GENERATION = 255;

/** Deposits that a pool takes in all: what proves to fit an account with exact getters (contracts/SPEC.md). */
export const POOL_CAPACITY = 131_072;
