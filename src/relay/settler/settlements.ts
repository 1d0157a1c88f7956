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
const SENT_TIMEOUT_MS = 120_000;

export class Settlements {
  readonly #byPool = new Map<PoolId, TrackedSettlement[]>();

  get isEmpty(): boolean {
    return ![...this.#byPool.values()].flat().some(({ sentAt }) => sentAt === undefined);
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
    let left = (this.#byPool.get(pool.id) ?? []).filter(({ input }) => settlementEnd(input) > size);
    const [first] = left;
    const isLost = first?.sentAt !== undefined && now - first.sentAt >= SENT_TIMEOUT_MS;
    if (first !== undefined && (isLost || settlementStart(first.input) !== size)) left = [];
    this.#byPool.set(pool.id, left);
    return left;
  }
}
