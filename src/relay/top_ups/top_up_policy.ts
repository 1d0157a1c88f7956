/** Decides how much a relayer adds to a pool that can pay its storage for less than five years, and when. Pure. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Address } from "@ton/core";
import type { StorageBill } from "../../ton/account_storage.ts";
import type { PoolId } from "../../store/store.ts";
import type { InternalMessage } from "../../ton/wallet/message_list.ts";

/** A pool whose storage is paid for less time is topped up, to the other time. */
export const MIN_RUNWAY_YEARS = 5;
const TARGET_YEARS = 10n;
/** What the pool's transaction costs at most, in nano. */
const MESSAGE_FEE_NANO = 100_000_000n;
/** Less than this is not worth a message, in nano. */
const MIN_VALUE_NANO = 50_000_000n;

export interface TopUpDecision {
  /** In nano; 0: nothing can be sent. */
  readonly value: bigint;
  /** Whether the limit allows less than the pool needs. */
  readonly isShort: boolean;
}

/**
 * Never returns a value below a pool's whole debt: a smaller message would freeze or delete the pool.
 *
 * @param left nano that the relayer may still spend on this pool
 */
export function decideTopUp(
  { perYear, balance, due, debt, runwayYears }: StorageBill,
  left: bigint,
): TopUpDecision {
  if (runwayYears >= MIN_RUNWAY_YEARS) return { value: 0n, isShort: false };
  const needed = TARGET_YEARS * perYear + due - balance + MESSAGE_FEE_NANO;
  const least = debt > 0n ? debt + MESSAGE_FEE_NANO : MIN_VALUE_NANO;
  const value = needed < left ? needed : left;
  return { value: value < least ? 0n : value, isShort: value < needed };
}

/**
 * Returns the first time from `now` on at which this relayer may top up this pool. Relayers have different slots, so
 * the first payment shows in the others' next reads; a restarted relayer keeps its slot.
 *
 * @param intervalMs the interval between two slots
 */
export function nextSlot(now: number, wallet: Address, pool: PoolId, intervalMs: number): number {
  const hash = sha256(new TextEncoder().encode(`${wallet.toRawString()} ${pool}`));
  const offset = new DataView(hash.buffer, hash.byteOffset).getUint32(0) / 2 ** 32 * intervalMs;
  return now + (Math.floor(offset) - now % intervalMs + intervalMs) % intervalMs;
}

/** A message of the wallet that adds coins to a pool's balance. */
export interface SentTopUp {
  readonly pool: PoolId;
  readonly value: bigint;
}

/** Recognises a top-up: this wallet sends no other message without a body. */
export function parseTopUp({ dest, value, bounce, hasInit, body }: InternalMessage): SentTopUp[] {
  const isEmpty = body.bits.length === 0 && body.refs.length === 0;
  return isEmpty && !bounce && !hasInit ? [{ pool: dest.toRawString(), value }] : [];
}
