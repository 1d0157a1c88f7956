/** Constants of version 2 pools. A test compares them with `contracts/v2/`. */
import { POOL_CAPACITY } from "../pool_constants.ts";

export const V2_POOL_CAPACITY = 1 << 20;

/** Returns how many deposits a pool of this version can have; undefined means version 1. */
export function poolCapacity(version: number | undefined): number {
  return version === 2 ? V2_POOL_CAPACITY : POOL_CAPACITY;
}

/** Deposits that may wait in the queue of a native pool. */
export const MAX_QUEUED = 32_768;
/** Deposits that may wait in the queue of a jetton pool. */
export const MAX_QUEUED_JETTON = 2_048;
/** Seconds after the last settlement before which a batch must complete its chunk. */
export const PARTIAL_BATCH_SECONDS = 30;
/** Seconds of waiting after which the reward pays for a lone settlement. */
export const FULL_REWARD_SECONDS = 1200;
/** The reward pays 1/8 of the cost of a settlement for each deposit. */
export const REWARD_DIVISOR = 8;
export const ROOT_WINDOW = 1024;
/** The bits of a nullifier hash by which a pool recognises a spent note: the lowest ones, its slot and its tag. */
export const SPENT_KEY_BITS = 108;
/** Withdrawals in one message to a native pool, and to a jetton pool. */
export const MAX_WITHDRAW_ITEMS = 16;
export const MAX_WITHDRAW_ITEMS_JETTON = 12;
/** Gas of the most expensive withdrawal, which the pool's quote contains twice. */
export const V2_GAS_HIGHEST_PATH = 288_000n;
export const V2_GAS_HIGHEST_JETTON_WITHDRAW = 291_000n;
/** Upper bound of the account's size without waiting deposits, of a native and of a jetton pool. */
export const V2_FIXED_SIZE = { cells: 2_500n, bits: 1_500_000n } as const;
export const V2_FIXED_JETTON_SIZE = { cells: 2_600n, bits: 1_500_000n } as const;
/** Seconds of storage that the deployer pays: 40 years. */
export const V2_STORAGE_SECONDS = 1_262_304_000n;
