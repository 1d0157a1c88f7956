/**
 * A version 2 pool with 2^20 notes, all settled and all but 1,000 withdrawn. The keys of 64 slots are
 * modelled, 255 in each. The digests of the other slots are random.
 */
import { V2_POOL_CAPACITY } from "../../../src/core/protocol/v2/pool_constants.ts";
import type { V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";

const MODELLED_SLOTS = 64;
const KEYS_PER_SLOT = 255;

/** Returns a reproducible stream of numbers below 2^bits. */
export function drawNumbers(seed: bigint): (bits: number) => bigint {
  let state = seed;
  return (bits) => {
    let value = 0n;
    for (let drawn = 0; drawn < bits; drawn += 32) {
      state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
      value = (value << 32n) | (state >> 32n);
    }
    return value & ((1n << BigInt(bits)) - 1n);
  };
}

/** Returns the state, and a source of nullifier hashes in the modelled slots. */
export function fullPool(): { readonly state: Partial<V2PoolState>; readonly drawKey: () => bigint } {
  const draw = drawNumbers(2n ** 20n);
  const digests = Array.from({ length: 4096 }, () => draw(255) | 1n);
  const spent = new SpentSet((slot) => digests[slot]);
  const drawKey = () => (draw(238) << 12n) | (draw(16) % BigInt(MODELLED_SLOTS));
  for (let slot = 0; slot < MODELLED_SLOTS; slot++) {
    for (let i = 0; i < KEYS_PER_SLOT; i++) spent.add((draw(238) << 12n) | BigInt(slot));
  }
  const roots = Array.from({ length: 1024 }, () => draw(250));
  const state = {
    deposits: V2_POOL_CAPACITY,
    settled: V2_POOL_CAPACITY,
    withdrawals: V2_POOL_CAPACITY - 1000,
    spent,
    roots,
    rootCount: 70_000,
  };
  return { state, drawKey };
}
