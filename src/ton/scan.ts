/**
 * The lossless walk over a pool's history: back from its newest transaction to a cursor, every link verified by hash,
 * then handed out oldest first. It never skips: a gap, a fork, a lagging or lying endpoint ends it with a problem, and
 * what was handed out until then stays true.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Chain, ChainTransaction, TransactionId } from "./chain.ts";
import type { PoolEvent, PoolTransactions } from "./pool_event.ts";
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
  /** Of this pool: where a walk that `chain_unavailable` ends is left for the next call to go on with. */
  readonly kept?: KeptWalk;
}

/** A page of history: its newest and oldest transaction, and its events while they are held. */
interface Page {
  readonly newest: TransactionId;
  /** The transaction before this page's oldest; null at the account's first. */
  readonly before: TransactionId | null;
  readonly count: number;
  events?: PoolEvent[];
}

/** A walk on its way: back until `next` is `after`, then forth over `pages`, the last one first. */
interface Walk {
  readonly pages: Page[];
  after?: TransactionId;
  next: TransactionId | null;
  seen: number;
  /** Ends by `chain_unavailable` since the last page. */
  failures: number;
}

/** So often a kept walk may end at the same page: the transaction that it began with may be none of the chain's. */
const FAILURES = 10;

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
    if (unanswered && ++walk.failures < FAILURES) this.#walk = walk;
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
  const last = options.newest ?? (await chain.account(pool, { signal })).last;
  if (!last) {
    if (after) throw new Problem("chain_inconsistent", `endpoint has no history of ${pool}: it lags behind`);
    return;
  }

  const readPage = async (newest: TransactionId, limit: number): Promise<Page> => {
    const page = await chain.transactions(pool, { from: newest, limit, signal });
    const fresh = page.filter(({ id }) => !after || id.lt > after.lt);
    const before = fresh.length > 0 ? fresh[fresh.length - 1].prev : newest;
    return { newest, before, count: fresh.length, events: eventsOf(pool, fresh) };
  };

  const walk = options.kept?.take(after) ?? { pages: [], after, next: last, seen: 0, failures: 0 };
  const { pages } = walk;
  try {
    // Back, keeping of each page at least its newest id, so that memory stays flat over any length of history.
    while (walk.next && (!after || walk.next.lt > after.lt)) {
      const page = await readPage(walk.next, pageSize);
      pages.push(page);
      if (pages.length > pagesHeld) pages[pages.length - 1 - pagesHeld].events = undefined;
      walk.next = page.before;
      walk.failures = 0;
      onProgress?.(walk.seen += page.count);
    }
    if (after && (walk.next?.lt !== after.lt || walk.next.hash !== after.hash)) {
      throw new Problem("chain_inconsistent", `history of ${pool} does not contain transaction ${after.lt}`);
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
