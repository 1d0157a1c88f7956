// Hashes link transactions only backwards, so other sources verify the newest ones: the root must be recent
// and the nullifiers spent (get methods), and a second endpoint must know the newest transaction. Without a
// second endpoint, the account state must name it if the history is long or contains a failure of one of
// our withdrawals.
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { FINAL_PAYMENT_DEPTH } from "../../core/protocol/pool_constants.ts";
import type { SpentSet } from "../../core/protocol/v2/spent_set.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { PoolGetters } from "../../ton/pool/pool_getters.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import { type HistoryClaims, type ScanVerifier, UnverifiedHistory } from "../../ton/pool/history/scan.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { PollingIntervals } from "../polling_intervals.ts";
import type { LedgerPreview } from "./tree/ledger_preview.ts";
import type { PoolTree } from "./tree/pool_tree.ts";
import { SettledPool } from "./tree/settled_pool.ts";

export interface HistoryVerifierDeps {
  readonly chain: Chain;
  /** The relayer's wallet. If the pool refuses its message, the withdrawal has failed. */
  readonly walletAddress: Address;
  readonly clock: Clock;
  readonly intervals: PollingIntervals;
}

const MAX_VERIFY_ATTEMPTS = 3; // getters may run on a node some blocks behind
const MAX_SPENT_CHECKS = FINAL_PAYMENT_DEPTH;

const UNKNOWN_TO_VERIFIER_REASON =
  "the second chain endpoint does not know the newest transactions of the first: " +
  "they are forged, or it is behind";
const NOT_IN_ACCOUNT_STATE_REASON =
  "the account's state does not name the newest transactions of its history";
const CONTRADICTED_BY_GETTERS_REASON =
  "the pool's get methods do not confirm the newest transactions of its history: " +
  "they are forged, or the get methods are behind";

export class HistoryVerifier implements ScanVerifier {
  lastRoots: { readonly roots: readonly bigint[]; readonly at: number } | undefined;
  /** Number of deposits with the new ones, once their root is known to be on chain. */
  candidateDepositCount = 0;
  isNewRootKnown = false;
  readonly #confirmedSpent = new Set<bigint>();
  #accountTip: TransactionId | undefined;
  #attempts = 0;

  constructor(
    private readonly address: Address,
    private readonly tree: PoolTree,
    private readonly deps: HistoryVerifierDeps,
    private readonly signal: AbortSignal,
  ) {}

  isRelevantRefusal({ sender, nullifierHash }: RefusedEvent): boolean {
    return nullifierHash !== undefined && sender.equals(this.deps.walletAddress);
  }

  async verify(
    tip: TransactionId,
    { messages, refusalCount }: HistoryClaims,
  ): Promise<TransactionId | undefined> {
    const { clock, intervals } = this.deps;
    const preview = this.tree.preview();
    await preview.addAll(messages);
    const { queued, spent, ledger } = preview;
    const claims = { queued, spent, refusalCount, root: await this.tree.rootAfter(preview) };
    this.candidateDepositCount = ledger.depositCount;
    for (;;) {
      const verdict = await this.#checkOnce(tip, claims);
      if (typeof verdict !== "string") return verdict;
      if (++this.#attempts >= MAX_VERIFY_ATTEMPTS) throw new UnverifiedHistory(verdict);
      await clock.sleep(intervals.minRetryMs, this.signal);
      if (this.signal.aborted) throw new Problem("cancelled");
    }
  }

  /** Returns undefined if verified, a newer transaction to read up to, or the reason why it is not verified. */
  async #checkOnce(
    tip: TransactionId,
    { queued, spent, refusalCount, root }: Pick<LedgerPreview, "queued" | "spent"> & {
      readonly refusalCount: number;
      readonly root: bigint;
    },
  ): Promise<TransactionId | undefined | string> {
    const { chain, clock } = this.deps;
    const signal = this.signal;
    const contract = new PoolGetters(chain, this.address);
    const roots = await contract.getRootHistory({ signal });
    this.lastRoots = { roots, at: clock.now() };
    this.isNewRootKnown = roots.includes(root);
    const isConfirmed = this.isNewRootKnown && await this.#isQueueOnChain(contract, queued.length);
    if (!isConfirmed) return await this.#findLaterTip(tip) ?? CONTRADICTED_BY_GETTERS_REASON;
    if (chain.verifier) {
      return await chain.verifier.hasTransaction(this.address, tip, { signal })
        ? undefined
        : UNKNOWN_TO_VERIFIER_REASON;
    }
    if (spent.length > MAX_SPENT_CHECKS || refusalCount > 0) {
      const fault = await this.#checkAccountTip(tip);
      if (fault !== undefined) return fault;
    }
    return await this.#areSpent(contract, spent)
      ? undefined
      : await this.#findLaterTip(tip) ?? CONTRADICTED_BY_GETTERS_REASON;
  }

  /** Checks the deposits that wait in a version 2 pool, which the root does not cover. */
  async #isQueueOnChain(contract: PoolGetters, queued: number): Promise<boolean> {
    if (!(this.tree instanceof SettledPool) || queued === 0) return true;
    const known = this.tree.depositCount + queued;
    return await contract.getNextIndex({ signal: this.signal }) >= known;
  }

  /** Checks the newest ones. In a version 2 pool, their slots must equal the slots after these withdrawals. */
  async #areSpent(contract: PoolGetters, nullifierHashes: readonly bigint[]): Promise<boolean> {
    const { chain } = this.deps;
    const signal = this.signal;
    const after = this.tree instanceof SettledPool ? this.tree.spentAfter(nullifierHashes) : undefined;
    for (const nullifierHash of nullifierHashes.slice(-MAX_SPENT_CHECKS)) {
      if (this.#confirmedSpent.has(nullifierHash)) continue;
      const isSpent = after === undefined
        ? await new Pool(chain, contract.address).getIsSpent(nullifierHash, { signal })
        : await isSpentBy(new V2Pool(chain, contract.address), nullifierHash, after, signal);
      if (!isSpent) return false;
      this.#confirmedSpent.add(nullifierHash);
    }
    return true;
  }

  /** Attempts are limited, so that a busy pool does not prolong the scan forever. */
  async #findLaterTip(tip: TransactionId): Promise<TransactionId | undefined> {
    const { chain } = this.deps;
    const [newest] = await chain.transactions(this.address, {
      limit: 1,
      signal: this.signal,
    });
    const later = newest !== undefined && newest.id.lt > tip.lt;
    return later && ++this.#attempts < MAX_VERIFY_ATTEMPTS ? newest.id : undefined;
  }

  async #checkAccountTip(tip: TransactionId): Promise<TransactionId | undefined | string> {
    if (this.#accountTip?.hash === tip.hash) return undefined;
    const { last } = await this.deps.chain.account(this.address, { signal: this.signal });
    if (last === undefined || last.lt < tip.lt) return NOT_IN_ACCOUNT_STATE_REASON;
    this.#accountTip = last;
    if (last.lt > tip.lt) return last;
    return last.hash === tip.hash ? undefined : NOT_IN_ACCOUNT_STATE_REASON;
  }
}

/** Returns false if the pool has another path for the slot. */
async function isSpentBy(
  pool: V2Pool,
  nullifierHash: bigint,
  spent: SpentSet,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await pool.getIsSpentBy(nullifierHash, spent.slotPath(nullifierHash), { signal });
  } catch (error) {
    if (error instanceof Problem && error.code === "contract_refused") return false;
    throw error;
  }
}
