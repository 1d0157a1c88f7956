/** Verifies every link by hash from the newest transaction to a cursor, then yields the oldest first. */
import type { Address } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAddress } from "../../../core/text/address_format.ts";
import { POOL_CAPACITY } from "../../../core/protocol/pool_constants.ts";
import type { LedgerMessage } from "../../../core/protocol/pool_ledger.ts";
import type { Chain, TransactionId } from "../../chain.ts";
import type { PoolEvent, PoolEventBatch, RefusedEvent } from "./pool_events.ts";
import { decodePoolEvents } from "./event_decoder.ts";

/** Range and limits of a scan. */
export interface ScanOptions {
  /** The last transaction that the caller knows. Default: start at the first one. */
  readonly after?: TransactionId;
  /** The account's newest transaction, if just read. Default: read from the account. */
  readonly newest?: TransactionId;
  readonly signal?: AbortSignal;
  /** Transactions in one request. Default: 100. */
  readonly pageSize?: number;
  /** Decoded pages kept in memory; newer ones are read again. Default: 64. */
  readonly maxPagesInMemory?: number;
  /** Deposits that the pool can have. Default: as many as a version 1 pool. */
  readonly capacity?: number;
  readonly onProgress?: (seen: number) => void;
  readonly checkpoint?: ScanCheckpoint;
  readonly verifier?: ScanVerifier;
}

export interface HistoryClaims {
  /** The logs that change the pool's ledger, in order. */
  readonly messages: readonly LedgerMessage[];
  readonly refusalCount: number;
}

/** Hashes link only backwards, so an endpoint can add invented transactions on top of a real history. */
export interface ScanVerifier {
  isRelevantRefusal(refusal: RefusedEvent): boolean;
  /** Returns undefined to accept the history up to `tip`, or a later transaction to read up to first. */
  verify(tip: TransactionId, claims: HistoryClaims): Promise<TransactionId | undefined>;
}

/** No other source confirms the history: it is invented, or the other source lags. */
export class UnverifiedHistory extends Problem {
  constructor(reason: string) {
    super("chain_inconsistent", reason);
  }
}

export class UnlinkedHistory extends Problem {
  constructor(reason: string) {
    super("chain_inconsistent", reason);
  }
}

/** A page of history. Its events are kept in memory only for the oldest pages, which are yielded first. */
interface HistoryPage {
  readonly newest: TransactionId;
  readonly previous: TransactionId | null;
  readonly transactionCount: number;
  readonly claims?: HistoryClaims;
  events?: PoolEvent[];
}

/** The state of a scan: it reads back until `next` is `after`, then yields `pages`, the last one first. */
interface ScanState {
  readonly pages: HistoryPage[];
  after?: TransactionId;
  next: TransactionId | null;
  transactionCount: number;
  depositCount: number;
  withdrawalCount: number;
  failures: number;
  verified: boolean;
}

/** After this many interruptions at one page the scan restarts: its first transaction may not be on chain. */
const MAX_RESUME_FAILURES = 10;
/** A shorter unverified scan restarts: that is cheap, and the next newest transaction may be real. */
const MIN_CHECKPOINT_PAGES = 8;

/** Keeps an interrupted scan for the next one to continue. */
export class ScanCheckpoint {
  #state: ScanState | undefined;

  resume(after: TransactionId | undefined): ScanState | undefined {
    const state = this.#state;
    this.#state = undefined;
    return state?.after?.lt === after?.lt && state?.after?.hash === after?.hash ? state : undefined;
  }

  save(state: ScanState, error: unknown): void {
    const unanswered = error instanceof Problem && error.code === "chain_unavailable";
    const unverified = error instanceof UnverifiedHistory && state.pages.length >= MIN_CHECKPOINT_PAGES;
    if ((unanswered || unverified) && ++state.failures < MAX_RESUME_FAILURES) this.#state = state;
  }
}

/**
 * Yields the pool's events after the cursor in batches, oldest first.
 * @throws {Problem} `chain_inconsistent` for a gap, a fork or a stale endpoint; as {@linkcode Chain} does
 * @example
 * ```ts
 * for await (const { events } of scanPoolTransactions(chain, pool.address)) console.log(events);
 * ```
 */
export async function* scanPoolTransactions(
  chain: Chain,
  pool: Address,
  options: ScanOptions = {},
): AsyncGenerator<PoolEventBatch, void, undefined> {
  const { after, signal, checkpoint } = options;
  const scan = new PoolScan(chain, pool, options);
  const newest = options.newest ?? (await chain.account(pool, { signal })).last;
  if (!newest) {
    if (after) {
      throw new Problem("chain_inconsistent", `endpoint has no history of ${scan.shown}: it lags behind`);
    }
    return;
  }
  const state = checkpoint?.resume(after) ?? initialState(after, newest);
  try {
    await scan.readBack(state);
    await scan.verify(state);
    yield* scan.events(state);
  } catch (error) {
    checkpoint?.save(state, error);
    throw error;
  }
}

function initialState(after: TransactionId | undefined, next: TransactionId): ScanState {
  return {
    pages: [],
    after,
    next,
    transactionCount: 0,
    depositCount: 0,
    withdrawalCount: 0,
    failures: 0,
    verified: false,
  };
}

class PoolScan {
  readonly shown: string;

  constructor(
    private readonly chain: Chain,
    private readonly pool: Address,
    private readonly options: ScanOptions,
  ) {
    this.shown = formatAddress(pool, chain.network);
  }

  /** Reads back to the cursor. Newer pages may keep only ids and claims: not all events fit in memory. */
  async readBack(state: ScanState): Promise<void> {
    const { after, pageSize = 100, maxPagesInMemory = 64, onProgress } = this.options;
    const { capacity = POOL_CAPACITY } = this.options;
    const { pages } = state;
    while (state.next && (!after || state.next.lt > after.lt)) {
      const page = await this.#readPage(state.next, pageSize, after);
      for (const { kind } of page.events ?? []) {
        if (kind === "deposit") state.depositCount++;
        if (kind === "withdrawal") state.withdrawalCount++;
      }
      pages.push(page);
      if (pages.length > maxPagesInMemory) pages[pages.length - 1 - maxPagesInMemory].events = undefined;
      state.next = page.previous;
      state.failures = 0;
      if (state.depositCount > capacity || state.withdrawalCount > capacity) {
        throw new Problem(
          "chain_inconsistent",
          `history of ${this.shown} has more events than a pool can have`,
        );
      }
      onProgress?.(state.transactionCount += page.transactionCount);
    }
    this.#assertReached(after, state.next);
  }

  async verify(state: ScanState): Promise<void> {
    const { verifier, pageSize = 100 } = this.options;
    const { pages } = state;
    while (verifier && pages.length > 0 && !state.verified) {
      const tip = pages[0].newest;
      const later = await verifier.verify(tip, mergeClaims(pages));
      const added: HistoryPage[] = [];
      let next: TransactionId | null = later ?? tip;
      while (next && next.lt > tip.lt) {
        const page: HistoryPage = await this.#readPage(next, pageSize, tip);
        added.push(page);
        next = page.previous;
      }
      this.#assertReached(tip, next);
      pages.unshift(...added);
      state.verified = later === undefined;
    }
  }

  /** Yields pages oldest first. Pages no longer in memory are read again; hashes still link them. */
  async *events(state: ScanState): AsyncGenerator<PoolEventBatch, void, undefined> {
    const { pages } = state;
    for (let page = pages.at(-1); page; page = pages.at(-1)) {
      const { newest: cursor, transactionCount } = page;
      const events = page.events ?? await this.#rereadEvents(page);
      pages.pop();
      state.after = state.next = cursor;
      state.failures = 0;
      yield { events, cursor, transactionCount };
    }
  }

  async #readPage(newest: TransactionId, limit: number, end?: TransactionId): Promise<HistoryPage> {
    const { signal, verifier } = this.options;
    const page = (await this.chain.transactions(this.pool, { from: newest, limit, signal }))
      .filter(({ id }) => !end || id.lt > end.lt);
    const previous = page.length > 0 ? page[page.length - 1].prev : newest;
    const events = page.toReversed().flatMap((transaction) => decodePoolEvents(this.pool, transaction));
    const claims = verifier && extractClaims(events, verifier);
    return { newest, previous, transactionCount: page.length, events, ...claims && { claims } };
  }

  /** Reads until the end of `page`, because the endpoint may return shorter pages than before. */
  async #rereadEvents(page: HistoryPage): Promise<PoolEvent[]> {
    const parts: PoolEvent[][] = [];
    let from: TransactionId | null = page.newest;
    for (let left = page.transactionCount; left > 0 && from;) {
      const part: HistoryPage = await this.#readPage(from, left, this.options.after);
      parts.push(part.events ?? []);
      left -= part.transactionCount;
      from = part.previous;
    }
    return parts.reverse().flat();
  }

  #assertReached(end: TransactionId | undefined, next: TransactionId | null): void {
    if (end && (next?.lt !== end.lt || next.hash !== end.hash)) {
      throw new UnlinkedHistory(`history of ${this.shown} does not contain transaction ${end.lt}`);
    }
  }
}

function extractClaims(events: readonly PoolEvent[], verifier: ScanVerifier): HistoryClaims {
  return {
    messages: events.flatMap((event) => toMessage(event) ?? []),
    refusalCount:
      events.filter((event) => event.kind === "refused" && verifier.isRelevantRefusal(event)).length,
  };
}

/** Returns less than the event, because all claims are in memory at once. */
function toMessage(event: PoolEvent): LedgerMessage | undefined {
  if (event.kind === "deposit") {
    const { kind, leafIndex, commitment } = event;
    return { kind, leafIndex, commitment };
  }
  if (event.kind === "settlement") {
    const { kind, rootNumber, end, newRoot } = event;
    return { kind, rootNumber, end, newRoot };
  }
  return event.kind === "withdrawal" ? { kind: event.kind, nullifierHash: event.nullifierHash } : undefined;
}

/** `pages` are newest first. */
function mergeClaims(pages: readonly HistoryPage[]): HistoryClaims {
  const claims = pages.toReversed().flatMap(({ claims }) => claims ?? []);
  return {
    messages: claims.flatMap(({ messages }) => messages),
    refusalCount: claims.reduce((sum, { refusalCount: refusals }) => sum + refusals, 0),
  };
}
