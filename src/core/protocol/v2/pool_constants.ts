/** Constants of version 2 pools. A test compares them with `contracts/v2/`. */

export const V2_POOL_CAPACITY = 1 << 20;
/** Deposits that may wait in the queue of a native pool. */
export const MAX_QUEUED = 32_768;
/** Seconds after the last settlement before which a batch must complete its chunk. */
export const PARTIAL_BATCH_SECONDS = 30;
/** Seconds of waiting after which the reward pays for a lone settlement. */
export const FULL_REWARD_SECONDS = 1200;
export const ROOT_WINDOW = 1024;
export const MAX_WITHDRAW_ITEMS = 16;
