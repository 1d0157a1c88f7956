/**
 * The way back for a pool whose cursor is none of the chain's: an endpoint that lied in all of its answers was believed
 * once. What is stored is held against the whole history as it is told now, the rows that this one does not have are
 * taken back, and the cursor is set to the last transaction that both have.
 */
import { FIELD_BYTES, fromBytes } from "../core/field.ts";
import { Problem } from "../core/errors.ts";
import type { Cursor, Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { TransactionId } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { KeptWalk, scanPoolTransactions } from "../ton/scan.ts";
import { Belief, type BeliefDeps } from "./belief.ts";
import type { PoolState } from "./pool_state.ts";
import { PoolTree } from "./pool_tree.ts";
import { unsettle } from "./settlement.ts";

/** What it needs. */
export interface RecoveryDeps extends BeliefDeps {
  readonly store: Store;
  readonly log: Log;
}

/** Times `staleAfter` that the cursor has to be lost: nodes that are behind come back sooner. */
const PATIENCE = 5;
/** Of the rows that are to go so many are asked for one by one. */
const MOST_ASKED = 30;

/** An event of the history that has a row: a leaf, or a payment. */
interface Told {
  readonly tx: TransactionId;
  readonly leaf?: { readonly index: number; readonly commitment: bigint };
  readonly spent?: bigint;
}

/** How long the endpoint has not shown a pool's cursor. */
export class LostCursor {
  #since: number | undefined;
  #walk = new KeptWalk();

  /** The endpoint showed it. */
  found(): void {
    this.#since = undefined;
    this.#walk = new KeptWalk();
  }

  /**
   * The endpoint did not show it. Takes back what is not on chain when it is time for that; says whether it did.
   *
   * @throws {Problem} `chain_inconsistent` when what is stored is borne out, or the history is not; and what asking throws
   */
  async missed(
    pool: PoolState,
    deps: RecoveryDeps,
    signal: AbortSignal,
    onProgress: (seen: number) => void,
  ): Promise<boolean> {
    const { chain, clock, pace, store } = deps;
    this.#since ??= clock.now();
    if (clock.now() - this.#since < PATIENCE * pace.staleAfter) return false;
    const { address } = pool.deployment;
    const cursor = await store.cursor(pool.id);
    if (cursor === undefined) return false;
    // An endpoint that is behind shows no cursor either, and bears nothing out.
    const { last, syncUtime } = await chain.account(address, { signal });
    if (last === undefined || syncUtime * 1000 < this.#since) return false;
    if (await chain.witness?.knows(address, cursor, { signal })) {
      throw new Problem(
        "chain_inconsistent",
        "the second chain endpoint knows what the first one leaves out",
      );
    }
    const told: Told[] = [];
    const judge = new Belief(
      address,
      { after: undefined, tree: new PoolTree(pool.tree.service) },
      deps,
      signal,
    );
    const options = { newest: last, signal, kept: this.#walk, judge, onProgress };
    for await (const { events } of scanPoolTransactions(chain, address, options)) {
      for (const event of events) {
        const { tx } = event;
        if (event.kind === "deposit") {
          told.push({ tx, leaf: { index: event.leafIndex, commitment: event.commitment } });
        } else if (event.kind === "withdrawal") told.push({ tx, spent: event.nullifierHash });
      }
    }
    await takeBack(pool, cursor, told, deps, signal);
    this.found();
    return true;
  }
}

async function takeBack(
  { id, key, tree, deployment: { address } }: PoolState,
  from: Cursor,
  told: readonly Told[],
  deps: RecoveryDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, chain, log } = deps;
  const paid = new Map(told.flatMap(({ spent, tx }) => spent === undefined ? [] : [[spent, tx.hash]]));
  const stored = new Map<bigint, string>();
  for await (const { nullifierHash, txHash } of store.payments(id)) stored.set(nullifierHash, txHash);
  const same = await sameLeaves(id, told, store);
  // All from the first difference on goes: what of it is real is read again.
  const end = told.findIndex(({ tx, leaf, spent }) =>
    leaf ? leaf.index >= same : spent !== undefined && stored.get(spent) !== tx.hash
  );
  const staying = end < 0 ? told : told.slice(0, end);
  const leaves = staying.filter(({ leaf }) => leaf !== undefined).length;
  const stay = new Set(staying.map(({ spent }) => spent));
  const payments = [...stored.keys()].filter((nullifierHash) => !stay.has(nullifierHash));
  await assertUntrue(new Pool(chain, address), {
    payments: payments.filter((nullifierHash) => !paid.has(nullifierHash)),
    commitments: await commitmentsFrom(id, leaves, told, store),
  }, signal);
  const to = staying.at(-1)?.tx;
  const now = clock.now();
  await store.takeBack({ pool: id, from, to, leaves, payments }, (job) => {
    return unsettle(job, paid.get(job.nullifierHash), now);
  });
  log.error(
    "{pool}: {deposits} deposits and {payments} payments were taken back: the endpoint had told them, and they are not on chain",
    { pool: key, deposits: tree.size - leaves, payments: payments.length },
  );
  tree.clear();
}

/** How many of the stored leaves are the history's, by the same transactions. */
async function sameLeaves(pool: string, told: readonly Told[], store: Store): Promise<number> {
  const real = told.flatMap(({ leaf, tx }) => leaf ? [{ ...leaf, tx }] : []);
  let same = 0;
  read: for await (const { first, commitments, times } of store.leaves(pool, 0)) {
    if (first !== same) break;
    for (let i = 0; i < times.length; i++) {
      const commitment = fromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
      if (real[same]?.commitment !== commitment) break read;
      same++;
    }
  }
  // Hashes link a row's transaction to all before it: the newest one that is the same vouches for the rest.
  while (same > 0) {
    const { commitment, tx } = real[same - 1];
    if ((await store.deposit(pool, commitment))?.txHash === tx.hash) break;
    same--;
  }
  return same;
}

/** Commitments of stored leaves from one on that the history does not have; so many as are asked for. */
async function commitmentsFrom(
  pool: string,
  leafIndex: number,
  told: readonly Told[],
  store: Store,
): Promise<bigint[]> {
  const real = new Set(told.map(({ leaf }) => leaf?.commitment));
  const found: bigint[] = [];
  for await (const { commitments } of store.leaves(pool, leafIndex)) {
    for (let at = 0; at < commitments.length && found.length < MOST_ASKED; at += FIELD_BYTES) {
      const commitment = fromBytes(commitments.subarray(at, at + FIELD_BYTES));
      if (!real.has(commitment)) found.push(commitment);
    }
    if (found.length === MOST_ASKED) break;
  }
  return found;
}

/** @throws {Problem} `chain_inconsistent` when the get methods bear out what is to go */
async function assertUntrue(
  pool: Pool,
  { payments, commitments }: { payments: readonly bigint[]; commitments: readonly bigint[] },
  signal: AbortSignal,
): Promise<void> {
  const borneOut = () =>
    new Problem("chain_inconsistent", "the pool's get methods bear out what its history leaves out");
  for (const payment of payments.slice(0, MOST_ASKED)) {
    if (await pool.getIsSpent(payment, { signal })) throw borneOut();
  }
  for (const commitment of commitments) {
    if (await pool.getIsDeposited(commitment, { signal })) throw borneOut();
  }
}
