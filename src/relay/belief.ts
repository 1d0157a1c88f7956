/**
 * What makes the indexer believe a history before it writes any of it. Nothing commits to an account's newest
 * transactions, so the get methods have to bear them out: the root that the deposits make must be among the pool's last
 * ones, and what was paid must be spent. Where a second endpoint is set it must also know the newest transaction, and by
 * its hashes all before it. With one endpoint alone a long history, or one that fails a withdrawal of ours, must be the
 * one that the account's own state names.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { turn } from "../core/turns.ts";
import type { Store } from "../store/store.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { RefusedEvent } from "../ton/pool_event.ts";
import { type Claims, type HistoryJudge, Unbelieved } from "../ton/scan.ts";
import type { Clock } from "./clock.ts";
import type { Pace } from "./pace.ts";
import type { PoolTree } from "./pool_tree.ts";

/** What judging needs. */
export interface BeliefDeps {
  readonly chain: Chain;
  readonly store: Pick<Store, "withdrawal">;
  /** Our wallet: a refusal of its messages ends a withdrawal. */
  readonly wallet: Address;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Getters may answer from a node some blocks behind: so often they are asked before a history is doubted. */
const ATTEMPTS = 3;
/** Withdrawals that are asked for one by one, the newest first. */
const MOST_ASKED = 30;
/** Claimed leaves that are looked for in the tree before others may have their turn. */
const LEAVES_A_TURN = 1_024;

const UNKNOWN = "the second chain endpoint does not know the newest transactions of the first: " +
  "they are made up, or it is behind";
const UNNAMED = "the account's state does not name the newest transactions that its history shows";
const UNBORNE = "the pool's get methods do not bear out the newest transactions that its history shows: " +
  "they are made up, or the get methods are behind";

/** Judges the walks of one look at a pool. */
export class Belief implements HistoryJudge {
  /** The pool's roots as they were last asked, newest first, and when; undefined: not yet. */
  asked: { readonly roots: readonly bigint[]; readonly at: number } | undefined;
  /** Leaves that the tree would have, and whether their root was among those. */
  leaves = 0;
  rootStands = false;
  readonly #address: Address;
  readonly #after: TransactionId | undefined;
  readonly #tree: PoolTree;
  readonly #deps: BeliefDeps;
  readonly #signal: AbortSignal;
  readonly #spent = new Set<bigint>();
  /** What the account's state named. */
  #named: TransactionId | undefined;
  #attempts = 0;

  /**
   * @param after the transaction before the walk; undefined: it began with the account's first
   * @param tree of the leaves until then
   */
  constructor(
    address: Address,
    { after, tree }: { after: TransactionId | undefined; tree: PoolTree },
    deps: BeliefDeps,
    signal: AbortSignal,
  ) {
    this.#address = address;
    this.#after = after;
    this.#tree = tree;
    this.#deps = deps;
    this.#signal = signal;
  }

  matters({ sender, nullifierHash }: RefusedEvent): boolean {
    return nullifierHash !== undefined && sender.equals(this.#deps.wallet);
  }

  async judge(tip: TransactionId, claims: Claims): Promise<TransactionId | undefined> {
    const { clock, pace } = this.#deps;
    await assertFollow(claims, this.#tree);
    await this.#assertPaidOnce(claims);
    const root = await this.#tree.rootAfter(claims.leaves.map(({ commitment }) => commitment));
    this.leaves = this.#tree.size + claims.leaves.length;
    for (;;) {
      const verdict = await this.#look(tip, claims, root);
      if (typeof verdict !== "string") return verdict;
      if (++this.#attempts >= ATTEMPTS) throw new Unbelieved(verdict);
      await clock.sleep(pace.retryMin, this.#signal);
      if (this.#signal.aborted) throw new Problem("cancelled");
    }
  }

  /** What is spent can be paid a second time in inventions only. */
  async #assertPaidOnce({ spent }: Claims): Promise<void> {
    const pool = this.#address.toRawString();
    let twice = new Set(spent).size < spent.length;
    for (const nullifierHash of this.#after ? spent : []) {
      twice ||= await this.#deps.store.withdrawal(pool, nullifierHash) !== undefined;
    }
    if (twice) throw new Problem("chain_inconsistent", "a note is paid twice in the history");
  }

  /** Undefined: believed; a transaction: to be read up to that first; a text: why not. */
  async #look(tip: TransactionId, claims: Claims, root: bigint): Promise<TransactionId | undefined | string> {
    const { chain, clock } = this.#deps;
    const signal = this.#signal;
    const contract = new Pool(chain, this.#address);
    const roots = await contract.getRootHistory({ signal });
    this.asked = { roots, at: clock.now() };
    this.rootStands = roots.includes(root);
    if (!this.rootStands) return await this.#later(tip) ?? UNBORNE;
    if (chain.witness) return await chain.witness.knows(this.#address, tip, { signal }) ? undefined : UNKNOWN;
    if (claims.spent.length > MOST_ASKED || claims.refusals > 0) {
      const unnamed = await this.#unnamed(tip);
      if (unnamed !== undefined) return unnamed;
    }
    for (const nullifierHash of claims.spent.slice(-MOST_ASKED)) {
      if (this.#spent.has(nullifierHash)) continue;
      if (!await contract.getIsSpent(nullifierHash, { signal })) return UNBORNE;
      this.#spent.add(nullifierHash);
    }
    return undefined;
  }

  /** The pool may have gone on while its history was read. Counted: one that goes on for ever is not followed so. */
  async #later(tip: TransactionId): Promise<TransactionId | undefined> {
    const { chain } = this.#deps;
    const [newest] = await chain.transactions(this.#address, {
      limit: 1,
      signal: this.#signal,
    });
    const later = newest !== undefined && newest.id.lt > tip.lt;
    return later && ++this.#attempts < ATTEMPTS ? newest.id : undefined;
  }

  /** Undefined: the account's state has named it. */
  async #unnamed(tip: TransactionId): Promise<TransactionId | undefined | string> {
    if (this.#named?.hash === tip.hash) return undefined;
    const { last } = await this.#deps.chain.account(this.#address, { signal: this.#signal });
    if (last === undefined || last.lt < tip.lt) return UNNAMED;
    this.#named = last;
    if (last.lt > tip.lt) return last;
    return last.hash === tip.hash ? undefined : UNNAMED;
  }
}

/** Leaves follow the tree's, and no commitment is in it twice. */
async function assertFollow({ leaves }: Claims, tree: PoolTree): Promise<void> {
  const seen = new Set<bigint>();
  for (const [i, { leafIndex, commitment }] of leaves.entries()) {
    if (leafIndex !== tree.size + i) {
      throw new Problem(
        "chain_inconsistent",
        `a deposit took leaf ${leafIndex}, and the next one is ${tree.size + i}`,
      );
    }
    if (seen.has(commitment) || tree.find(commitment) !== undefined) {
      throw new Problem("chain_inconsistent", `the commitment of leaf ${leafIndex} is in the tree already`);
    }
    seen.add(commitment);
    if (seen.size % LEAVES_A_TURN === 0) await turn();
  }
}
