/** Settlements that are proved or sent, by pool. Each begins where the previous one ends. */
import { settlementEnd, type SettlementInput, settlementStart } from "../../core/tree/settlement.ts";
import type { PoolId } from "../../store/store.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";

interface PreparedSettlement {
  readonly input: SettlementInput;
  readonly message: OutgoingMessage;
}

interface TrackedSettlement extends PreparedSettlement {
  sentAt?: number; // Unix milliseconds
}

/** A sent settlement that does not appear within this time is prepared again. */
export const SENT_TIMEOUT_MS = 120_000;

/** The leaves `start` to `end - 1`. */
export interface SentSettlement {
  readonly start: number;
  readonly end: number;
}

export class Settlements {
  readonly #byPool = new Map<PoolId, TrackedSettlement[]>();
  readonly #earlier = new Map<PoolId, { readonly starts: ReadonlySet<number>; readonly until: number }>();

  get isEmpty(): boolean {
    return ![...this.#byPool.values()].flat().some(({ sentAt }) => sentAt === undefined);
  }

  /** Replaces the settlements of an earlier process. While the next one may still arrive, none is prepared or sent. */
  restore(sent: readonly (SentSettlement & { readonly pool: PoolId })[], now: number): void {
    this.#earlier.clear();
    for (const [pool, list] of Map.groupBy(sent, (each) => each.pool)) {
      this.#earlier.set(pool, {
        starts: new Set(list.map(({ start }) => start)),
        until: now + SENT_TIMEOUT_MS,
      });
    }
  }

  isEarlierUnderWay({ id, settledTree }: PoolState, now: number): boolean {
    const earlier = this.#earlier.get(id);
    return earlier !== undefined && now < earlier.until && earlier.starts.has(settledTree!.size);
  }

  count({ id }: PoolState): number {
    return this.#byPool.get(id)?.length ?? 0;
  }

  /** Removes settlements that are done or out of date, and returns the last remaining one. */
  last(pool: PoolState, now: number): PreparedSettlement | undefined {
    return this.#current(pool, now).at(-1);
  }

  /** Returns false if the settlement does not follow the last one, or the tree if the pool has no settlement here. */
  add(pool: PoolState, settlement: PreparedSettlement): boolean {
    const known = this.#byPool.get(pool.id) ?? [];
    const last = known.at(-1);
    const end = last === undefined ? pool.settledTree!.size : settlementEnd(last.input);
    if (settlementStart(settlement.input) !== end) return false;
    this.#byPool.set(pool.id, [...known, settlement]);
    return true;
  }

  /** Returns the messages of at most `limit` unsent settlements, and marks them as sent. */
  take(pools: { get(id: PoolId): PoolState | undefined }, limit: number, now: number): OutgoingMessage[] {
    const messages: OutgoingMessage[] = [];
    for (const id of this.#byPool.keys()) {
      const pool = pools.get(id);
      for (const settlement of pool === undefined ? [] : this.#current(pool, now)) {
        if (settlement.sentAt !== undefined) continue;
        if (messages.length === limit) return messages;
        settlement.sentAt = now;
        messages.push(settlement.message);
      }
    }
    return messages;
  }

  #current(pool: PoolState, now: number): TrackedSettlement[] {
    const { size } = pool.settledTree!;
    const known = this.isEarlierUnderWay(pool, now) ? [] : this.#byPool.get(pool.id) ?? [];
    let left = known.filter(({ input }) => settlementEnd(input) > size);
    const [first] = left;
    const isLost = first?.sentAt !== undefined && now - first.sentAt >= SENT_TIMEOUT_MS;
    if (first !== undefined && (isLost || settlementStart(first.input) !== size)) left = [];
    this.#byPool.set(pool.id, left);
    return left;
  }
}
