/** What new logs would change, before anything is changed. */
import { yieldToEventLoop } from "../../../core/event_loop_yield.ts";
import type { PoolVersion } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import {
  type Facts,
  type LedgerMessage,
  nullifierKey,
  type PoolLedger,
  stepOrThrow,
} from "../../../core/protocol/pool_ledger.ts";
import { UncheckedRoots } from "../../../core/protocol/v2/root_window.ts";
import { type NodeReader, rootAt } from "../../../core/tree/root_at.ts";

const MESSAGES_PER_TURN = 1_024;

/** What a tree contains of the earlier logs. */
interface KnownLogs {
  readonly version: PoolVersion;
  readonly depositCount: number;
  readonly size: number;
  readonly rootCount: number;
  readonly paymentCount: number;
  find(commitment: bigint): object | undefined;
  isSpent(nullifierHash: bigint): boolean;
}

export class LedgerPreview {
  /** The commitments of new deposits, in order. */
  readonly queued: bigint[] = [];
  /** The nullifier hashes of new withdrawals, in order. */
  readonly spent: bigint[] = [];
  readonly #unchecked = new UncheckedRoots();
  readonly #leaves = new Set<bigint>();
  readonly #spentKeys = new Set<bigint>();
  readonly #facts: Facts;

  /** The state after the new logs. */
  ledger: PoolLedger;

  constructor(known: KnownLogs) {
    const { version, depositCount, size: settledLeaves, rootCount, paymentCount: withdrawalCount } = known;
    this.ledger = { version, depositCount, settledLeaves, rootCount, withdrawalCount };
    this.#facts = {
      hasLeaf: (commitment) => this.#leaves.has(commitment) || known.find(commitment) !== undefined,
      isSpent: (hash) => this.#spentKeys.has(nullifierKey(version, hash)) || known.isSpent(hash),
    };
  }

  /** Throws `chain_inconsistent` for a log that no pool writes after the earlier ones. */
  add(message: LedgerMessage): void {
    const { ledger, effects } = stepOrThrow(this.ledger, message, this.#facts);
    this.ledger = ledger;
    for (const effect of effects) {
      if (effect.kind === "queued") {
        this.queued.push(effect.commitment);
        this.#leaves.add(effect.commitment);
      } else if (effect.kind === "spent") {
        this.spent.push(effect.nullifierHash);
        this.#spentKeys.add(nullifierKey(ledger.version, effect.nullifierHash));
      } else if (effect.root !== undefined) this.#unchecked.add(effect);
    }
  }

  /** Throws as {@linkcode add} does. */
  async addAll(messages: readonly LedgerMessage[]): Promise<void> {
    for (const [i, message] of messages.entries()) {
      this.add(message);
      if (i % MESSAGES_PER_TURN === MESSAGES_PER_TURN - 1) await yieldToEventLoop();
    }
  }

  /** Throws `chain_inconsistent` if a new settlement that matters set another root than the nodes give. */
  async checkRoots(nodeAt: NodeReader): Promise<void> {
    const contradiction = await this.#unchecked.check((size) => rootAt(size, nodeAt));
    if (contradiction !== undefined) throw new Problem("chain_inconsistent", contradiction.detail);
  }
}
