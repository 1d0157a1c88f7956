/**
 * The lossless walk over a pool's history: back from its newest transaction to a cursor, every link verified by hash,
 * then handed out oldest first. It never skips: a gap, a fork, a lagging or lying endpoint ends it with a problem, and
 * what was handed out until then stays true.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import { POOL_CAPACITY } from "../core/pool_constants.ts";
import type { Chain, ChainTransaction, TransactionId } from "./chain.ts";
import type { DepositEvent, PoolEvent, PoolTransactions, RefusedEvent } from "./pool_event.ts";
import { poolEvents } from "./pool_transaction.ts";

/** Where to start, and how much to hold. */
export interface ScanOptions {
  /** The last transaction that the caller knows; absent: from the account's first one. */
  readonly after?: TransactionId;
  /** The account's newest transaction, from whoever has just asked; absent: taken from the account's state. */
  readonly newest?: TransactionId;
  readonly signal?: AbortSignal;
  /** Transactions asked for at once; default 100. */
  readonly pageSize?: number;
  /** Decoded pages held in memory; older history than fits is asked for a second time. Default 64. */
  readonly pagesHeld?: number;
  /** Told on the way back how many transactions were seen. */
  readonly onProgress?: (seen: number) => void;
  /** Of this pool: where a walk that `chain_unavailable` or doubt ends is left for the next call to go on with. */
  readonly kept?: KeptWalk;
  /** Is asked before anything is handed out; absent: the history is believed for hanging together. */
  readonly judge?: HistoryJudge;
}

/** What a history claims, as far as somebody else can be asked about it. Oldest first. */
export interface Claims {
  readonly leaves: readonly Pick<DepositEvent, "leafIndex" | "commitment">[];
  /** Nullifier hashes that it says are spent. */
  readonly spent: readonly bigint[];
  /** Refusals that {@linkcode HistoryJudge.matters} to somebody. */
  readonly refusals: number;
}

/**
 * Decides whether a walk is believed. Hashes link a transaction to those before it and nothing commits to those after
 * it, so whoever answers can put invented ones on top of a real history.
 */
export interface HistoryJudge {
  /** Whether a refusal would change anything. */
  matters(refusal: RefusedEvent): boolean;
  /**
   * @returns undefined when the history up to `tip` is believed; a later transaction when it is to be read up to that
   * first
   * @throws {Unbelieved} when it is not, or not yet
   */
  judge(tip: TransactionId, claims: Claims): Promise<TransactionId | undefined>;
}

/** Nobody bears out what the history says: it is made up, or whoever was asked is behind. */
export class Unbelieved extends Problem {
  constructor(reason: string) {
    super("chain_inconsistent", reason);
  }
}

/** The history leads to another transaction than the one it is to lead to. */
export class Unlinked extends Problem {
  constructor(reason: string) {
    super("chain_inconsistent", reason);
  }
}

/** A page of history: its newest and oldest transaction, and its events while they are held. */
interface Page {
  readonly newest: TransactionId;
  /** The transaction before this page's oldest; null at the account's first. */
  readonly before: TransactionId | null;
  readonly count: number;
  readonly claims?: Claims;
  events?: PoolEvent[];
}

/** A walk on its way: back until `next` is `after`, then forth over `pages`, the last one first. */
interface Walk {
  readonly pages: Page[];
  after?: TransactionId;
  next: TransactionId | null;
  seen: number;
  /** Leaves and withdrawals that it claims so far. */
  leaves: number;
  spent: number;
  /** Ends by `chain_unavailable` or doubt since the last page. */
  failures: number;
  believed: boolean;
}

/** So often a kept walk may end at the same page: the transaction that it began with may be none of the chain's. */
const FAILURES = 10;
/** A shorter walk is not kept for doubt: it is read again soon enough, from a transaction that may not be made up. */
const LONG_WALK = 8;

/** What an endpoint that stopped answering leaves of a walk: ids of its pages, linked by hash, and the events held. */
export class KeptWalk {
  #walk: Walk | undefined;

  /** Hands out the walk that leads to `after`, and forgets whatever it had. */
  take(after: TransactionId | undefined): Walk | undefined {
    const walk = this.#walk;
    this.#walk = undefined;
    return walk?.after?.lt === after?.lt && walk?.after?.hash === after?.hash ? walk : undefined;
  }

  /** Keeps `walk`, which `error` has ended, if it may go on. */
  leave(walk: Walk, error: unknown): void {
    const unanswered = error instanceof Problem && error.code === "chain_unavailable";
    const doubted = error instanceof Unbelieved && walk.pages.length >= LONG_WALK;
    if ((unanswered || doubted) && ++walk.failures < FAILURES) this.#walk = walk;
  }
}

/**
 * Everything that happened at `pool` after the cursor, until now, oldest first, in batches; none when nothing did.
 *
 * @throws {Problem} `chain_inconsistent` for a gap, a fork or an endpoint behind the cursor, `chain_unavailable`, `cancelled`
 */
export async function* scanPoolTransactions(
  chain: Chain,
  pool: Address,
  options: ScanOptions = {},
): AsyncGenerator<PoolTransactions, void, undefined> {
  const { after, signal, pageSize = 100, pagesHeld = 64, onProgress } = options;
  const shown = shownAddress(pool, chain.network);
  const last = options.newest ?? (await chain.account(pool, { signal })).last;
  if (!last) {
    if (after) throw new Problem("chain_inconsistent", `endpoint has no history of ${shown}: it lags behind`);
    return;
  }

  const readPage = async (newest: TransactionId, limit: number, end = after): Promise<Page> => {
    const page = await chain.transactions(pool, { from: newest, limit, signal });
    const fresh = page.filter(({ id }) => !end || id.lt > end.lt);
    const before = fresh.length > 0 ? fresh[fresh.length - 1].prev : newest;
    const events = eventsOf(pool, fresh);
    const claims = options.judge && claimsOf(events, options.judge);
    return { newest, before, count: fresh.length, events, ...claims && { claims } };
  };
  const assertReached = (end: TransactionId | undefined, next: TransactionId | null) => {
    if (end && (next?.lt !== end.lt || next.hash !== end.hash)) {
      throw new Unlinked(`history of ${shown} does not contain transaction ${end.lt}`);
    }
  };

  const fresh: Walk = {
    pages: [],
    after,
    next: last,
    seen: 0,
    leaves: 0,
    spent: 0,
    failures: 0,
    believed: false,
  };
  const walk = options.kept?.take(after) ?? fresh;
  const { pages } = walk;
  try {
    // Back, keeping of each page at least its newest id and its claims: the events of a long history are too many.
    while (walk.next && (!after || walk.next.lt > after.lt)) {
      const page = await readPage(walk.next, pageSize);
      pages.push(page);
      if (pages.length > pagesHeld) pages[pages.length - 1 - pagesHeld].events = undefined;
      walk.next = page.before;
      walk.failures = 0;
      walk.leaves += page.claims?.leaves.length ?? 0;
      walk.spent += page.claims?.spent.length ?? 0;
      if (walk.leaves > POOL_CAPACITY || walk.spent > POOL_CAPACITY) {
        throw new Problem("chain_inconsistent", `history of ${shown} has more events than a pool can have`);
      }
      onProgress?.(walk.seen += page.count);
    }
    assertReached(after, walk.next);

    while (options.judge && pages.length > 0 && !walk.believed) {
      const tip = pages[0].newest;
      const later = await options.judge.judge(tip, joined(pages));
      const added: Page[] = [];
      let next: TransactionId | null = later ?? tip;
      while (next && next.lt > tip.lt) {
        const page: Page = await readPage(next, pageSize, tip);
        added.push(page);
        next = page.before;
      }
      assertReached(tip, next);
      pages.unshift(...added);
      walk.believed = later === undefined;
    }

    // Forth. A page that was let go is read again from its newest id: hashes link it to the pages around it.
    for (let page = pages.at(-1); page; page = pages.at(-1)) {
      const { newest: cursor, count } = page;
      const events = page.events ?? await reread(page, readPage);
      pages.pop();
      walk.after = walk.next = cursor;
      walk.failures = 0;
      yield { events, cursor, count };
    }
  } catch (error) {
    options.kept?.leave(walk, error);
    throw error;
  }
}

/** An endpoint may give a smaller page than before: go on until this page's end. */
async function reread(
  page: Page,
  readPage: (newest: TransactionId, limit: number) => Promise<Page>,
): Promise<PoolEvent[]> {
  const parts: PoolEvent[][] = [];
  let from: TransactionId | null = page.newest;
  for (let left = page.count; left > 0 && from;) {
    const part: Page = await readPage(from, left);
    parts.push(part.events ?? []);
    left -= part.count;
    from = part.before;
  }
  return parts.reverse().flat();
}

function eventsOf(pool: Address, newestFirst: readonly ChainTransaction[]): PoolEvent[] {
  return [...newestFirst].reverse().flatMap((transaction) => poolEvents(pool, transaction));
}

function claimsOf(events: readonly PoolEvent[], judge: HistoryJudge): Claims {
  return {
    leaves: events.flatMap((event) =>
      event.kind === "deposit" ? [{ leafIndex: event.leafIndex, commitment: event.commitment }] : []
    ),
    spent: events.flatMap((event) => event.kind === "withdrawal" ? [event.nullifierHash] : []),
    refusals: events.filter((event) => event.kind === "refused" && judge.matters(event)).length,
  };
}

/** Claims of a walk's pages, the newest of which comes first. */
function joined(pages: readonly Page[]): Claims {
  const claims = pages.toReversed().flatMap(({ claims }) => claims ?? []);
  return {
    leaves: claims.flatMap(({ leaves }) => leaves),
    spent: claims.flatMap(({ spent }) => spent),
    refusals: claims.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}
