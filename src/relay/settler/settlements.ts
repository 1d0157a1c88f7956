/**
 * Settlements that are proved or sent, by pool. Each begins where the previous one ends. They count only in the
 * term of leadership in which {@linkcode Settlements.restore} ran: another replica may have led since.
 */
import { settlementEnd, type SettlementInput, settlementStart } from "../../core/tree/settlement.ts";
import type { PoolId } from "../../store/store.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { Leadership } from "../operations/leadership.ts";
import { messageBytes } from "../wallet/transfer_size.ts";

interface PreparedSettlement {
  readonly input: SettlementInput;
  readonly message: OutgoingMessage;
}

interface TrackedSettlement extends PreparedSettlement {
  sentAt?: number; // when its transfer was found on chain, in Unix milliseconds
}

/** Maximum number of a pool's settlements that are prepared or sent. */
export const MAX_AHEAD = 8;
/** A settlement that does not appear within this time after its transfer is prepared again. */
export const SENT_TIMEOUT_MS = 120_000;

/** The leaves `start` to `end - 1`. */
export interface SentSettlement {
  readonly start: number;
  readonly end: number;
}

export class Settlements {
  readonly #byPool = new Map<PoolId, TrackedSettlement[]>();
  readonly #earlier = new Map<PoolId, { readonly starts: ReadonlySet<number>; until: number }>();
  #term: number | undefined;
  /** The settlements of the transfer in flight. */
  #inTransfer: readonly TrackedSettlement[] = [];
  #mayTransferBeEarlier = false;

  constructor(private readonly leadership: Pick<Leadership, "isLeader" | "term">) {}

  get isRestored(): boolean {
    return this.leadership.isLeader && this.#term === this.leadership.term;
  }

  get isEmpty(): boolean {
    return !this.isRestored || this.#unsent.length === 0;
  }

  /** What the unsent settlements carry, in nano. */
  get unsentValue(): bigint {
    return this.#unsent.reduce((sum, { message }) => sum + message.value, 0n);
  }

  get #unsent(): TrackedSettlement[] {
    return [...this.#byPool.values()].flat().filter(({ sentAt }) => sentAt === undefined);
  }

  /**
   * Replaces all settlements by those that were sent before this term. While the next one may still arrive, none is
   * prepared or sent.
   * @param term the term in which `sent` was read
   */
  restore(
    sent: readonly (SentSettlement & { readonly pool: PoolId })[],
    { term, now }: { readonly term: number; readonly now: number },
  ): void {
    this.#term = term;
    this.#byPool.clear();
    this.#earlier.clear();
    this.#inTransfer = [];
    this.#mayTransferBeEarlier = true;
    for (const [pool, list] of Map.groupBy(sent, (each) => each.pool)) {
      this.#earlier.set(pool, {
        starts: new Set(list.map(({ start }) => start)),
        until: now + SENT_TIMEOUT_MS,
      });
    }
  }

  awaitsPreviousTerm({ id, settledPool }: PoolState, now: number): boolean {
    const earlier = this.#earlier.get(id);
    return earlier !== undefined && now < earlier.until && earlier.starts.has(settledPool!.size);
  }

  count({ id }: PoolState): number {
    return this.#byPool.get(id)?.length ?? 0;
  }

  /** Removes settlements that are done or out of date, and returns the last remaining one. */
  last(pool: PoolState, now: number): PreparedSettlement | undefined {
    return this.#current(pool, now).at(-1);
  }

  /**
   * Returns false if the settlement does not follow the last one, or the tree if the pool has no settlement here, or
   * if the term ended.
   */
  add(pool: PoolState, settlement: PreparedSettlement): boolean {
    if (!this.isRestored) return false;
    const known = this.#byPool.get(pool.id) ?? [];
    const last = known.at(-1);
    const end = last === undefined ? pool.settledPool!.size : settlementEnd(last.input);
    if (settlementStart(settlement.input) !== end) return false;
    this.#byPool.set(pool.id, [...known, settlement]);
    return true;
  }

  /** Returns the messages of the unsent settlements that fit the next transfer. None may be in flight. */
  take(
    pools: { get(id: PoolId): PoolState | undefined },
    limits: { readonly messages: number; readonly bytes: number },
    now: number,
  ): OutgoingMessage[] {
    const served = this.isRestored ? [...this.#byPool.keys()].flatMap((id) => pools.get(id) ?? []) : [];
    const unsent = served.flatMap((pool) =>
      this.#current(pool, now).filter(({ sentAt }) => sentAt === undefined)
    );
    let bytes = 0;
    const fitting = unsent.findIndex(({ message }, i) =>
      i >= limits.messages || (bytes += messageBytes(message)) > limits.bytes
    );
    this.#inTransfer = fitting < 0 ? unsent : unsent.slice(0, fitting);
    return this.#inTransfer.map(({ message }) => message);
  }

  /** Those of an expired transfer are sent again with the next one. */
  endTransfer(isIncluded: boolean, now: number): void {
    if (isIncluded) {
      for (const settlement of this.#inTransfer) settlement.sentAt = now;
      for (const earlier of this.#mayTransferBeEarlier ? this.#earlier.values() : []) {
        earlier.until = now + SENT_TIMEOUT_MS;
      }
    }
    this.#inTransfer = [];
    this.#mayTransferBeEarlier = false;
  }

  #current(pool: PoolState, now: number): TrackedSettlement[] {
    const { size } = pool.settledPool!;
    const known = this.awaitsPreviousTerm(pool, now) ? [] : this.#byPool.get(pool.id) ?? [];
    let left = known.filter(({ input }) => settlementEnd(input) > size);
    const [first] = left;
    const isLost = first?.sentAt !== undefined && now - first.sentAt >= SENT_TIMEOUT_MS;
    if (first !== undefined && (isLost || settlementStart(first.input) !== size)) left = [];
    this.#byPool.set(pool.id, left);
    return left;
  }
}
