/** Finds the state of notes in the pool's whole history, so that no server learns which notes they are. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import {
  emptyLedger,
  type Facts,
  nullifierKey,
  type PoolLedger,
  stepOrThrow,
} from "../../core/protocol/pool_ledger.ts";
import { UncheckedRoots } from "../../core/protocol/v2/root_window.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { type Note, type NoteHashes, toNoteHashes } from "../../core/protocol/note.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import { nodesOf, rootAt } from "../../core/tree/root_at.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { LeafBatcher } from "../../tree/leaf_batcher.ts";
import { sharedTreeService } from "../../tree/tree_workers.ts";
import type { PoolEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { DepositColumns } from "../../ton/pool/history/deposit_columns.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";
import { type NotePayment, toNotePayment } from "./note_payment.ts";

export interface NoteStatus {
  readonly state: "absent" | "deposited" | "withdrawn";
  /** The leaf of this note's first deposit that can be withdrawn, or of its last deposit. */
  readonly leafIndex?: number;
  /** Deposits of this note that are not withdrawn, if it was paid more than once. Each can be withdrawn. */
  readonly unspentDeposits?: number;
  /** A deposit into a version 2 pool waits for its settlement. */
  readonly waits?: true;
  readonly depositor?: string; // raw address
  readonly depositedAt?: number; // Unix seconds
  readonly withdrawnAt?: number;
  readonly payment?: NotePayment;
  readonly deposits: number;
  /** Number of deposits after this one; of all deposits if the note is not in the pool. */
  readonly since: number;
  readonly withdrawalsSince: number;
}

/** A pool's whole history, in which notes are looked up locally. */
export interface PoolHistory {
  /** Whether the pool has a leaf or a waiting deposit with this commitment. */
  isDeposited(commitment: bigint): boolean;
  statusOf(note: NoteHashes): NoteStatus;
  /** Returns the leaves with this commitment, also those that wait for their settlement. */
  leavesOf(commitment: bigint): readonly number[];
}

interface PoolHistoryOptions {
  readonly version?: PoolVersion | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (count: number) => void;
}

/** Throws `unknown_root` if the pool does not know the history's root: the endpoint is behind or gives false data. */
export async function checkNotes(
  chain: Chain,
  pool: Address,
  notes: readonly Note[],
  options: Omit<PoolHistoryOptions, "version"> = {},
): Promise<NoteStatus[]> {
  const history = await readPoolHistory(chain, pool, { ...options, version: notes[0]?.version });
  return notes.map((note) => history.statusOf(toNoteHashes(note)));
}

/** Throws `unknown_root` if the pool does not know the history's root: the endpoint is behind or wrong. */
export async function readPoolHistory(
  chain: Chain,
  pool: Address,
  { version, ...options }: PoolHistoryOptions = {},
): Promise<PoolHistory> {
  return await new PoolHistoryReader(chain, pool, version).read(options);
}

/** Reads a pool's history from its logs. A later read continues where the last one ended. */
export class PoolHistoryReader {
  #past: Past;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(readonly chain: Chain, readonly pool: Address, readonly version: PoolVersion = 1) {
    this.#past = emptyPast(version);
  }

  /**
   * Reads what was added since the last read, once that one has ended. Also updates the history that it returned.
   * Throws as {@linkcode readPoolHistory}.
   */
  read(options: Omit<PoolHistoryOptions, "version"> = {}): Promise<PoolHistory> {
    const reading = this.#reading.then(() => this.#read(options)); // two reads at once would add a leaf twice
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #read(options: Omit<PoolHistoryOptions, "version">): Promise<PoolHistory> {
    const { signal } = options;
    const past = this.#past;
    const scan = { ...options, after: past.cursor, capacity: poolCapacity(this.version) };
    try {
      for await (const { events, cursor } of scanPoolTransactions(this.chain, this.pool, scan)) {
        for (const event of events) follow(past, event);
        past.cursor = cursor;
      }
      const leaves = new LeafBatcher(past.tree, sharedTreeService());
      await leaves.addBytes(past.deposits.commitments(past.tree.size, past.ledger.settledLeaves));
      await leaves.flush();
      const nodes = nodesOf(past.tree.levels);
      const wrongRoot = await past.unchecked.check((size) => rootAt(size, nodes));
      if (wrongRoot !== undefined) throw new Problem("chain_inconsistent", wrongRoot.detail);
      const roots = await new Pool(this.chain, this.pool).getRootHistory(signal && { signal });
      if (!roots.includes(past.tree.root)) {
        throw new Problem(
          "unknown_root",
          `the root of the ${past.tree.size} deposits in the history is not one of the pool's roots`,
        );
      }
    } catch (error) {
      const isContradiction = error instanceof Problem &&
        (error.code === "chain_inconsistent" || error.code === "unknown_root");
      if (isContradiction) this.#past = emptyPast(this.version); // the next read begins anew
      throw error;
    }
    return {
      isDeposited: (commitment) => past.deposits.has(commitment),
      leavesOf: (commitment) => past.deposits.leavesOf(commitment),
      statusOf: (note) => findStatus(past, note),
    };
  }
}

/** What the logs contain up to `cursor`. */
interface Past {
  ledger: PoolLedger;
  readonly facts: Facts;
  readonly deposits: DepositColumns;
  readonly spent: Map<bigint, WithdrawalEvent>; // by nullifierKey
  /** For each withdrawal, the number of deposits before it. */
  readonly withdrawals: number[];
  /** The settled deposits, once they are hashed. */
  readonly tree: MerkleTree;
  readonly unchecked: UncheckedRoots;
  cursor?: TransactionId;
}

function emptyPast(version: PoolVersion): Past {
  const deposits = new DepositColumns();
  const spent = new Map<bigint, WithdrawalEvent>();
  return {
    ledger: emptyLedger(version),
    facts: {
      hasLeaf: (commitment) => deposits.has(commitment),
      isSpent: (nullifierHash) => spent.has(nullifierKey(version, nullifierHash)),
    },
    deposits,
    spent,
    withdrawals: [],
    tree: new MerkleTree(),
    unchecked: new UncheckedRoots(),
  };
}

function follow(past: Past, event: PoolEvent): void {
  const { ledger, effects } = stepOrThrow(past.ledger, event, past.facts);
  past.ledger = ledger;
  for (const effect of effects) if (effect.kind === "settled") past.unchecked.add(effect);
  if (event.kind === "deposit") {
    past.deposits.add({ ...event, depositor: depositorOf(event) });
  } else if (event.kind === "withdrawal") {
    past.spent.set(nullifierKey(ledger.version, event.nullifierHash), event);
    past.withdrawals.push(ledger.depositCount);
  }
}

function findStatus({ ledger, deposits, spent, withdrawals, tree }: Past, note: NoteHashes): NoteStatus {
  const paymentAt = (leafIndex: number) =>
    spent.get(nullifierKey(ledger.version, note.nullifierHashAt(leafIndex)));
  const own = deposits.leavesOf(note.commitment);
  const unspent = own.filter((leafIndex) => paymentAt(leafIndex) === undefined);
  const leafIndex = unspent[0] ?? own.at(-1);
  const counts = { deposits: deposits.count, since: deposits.count, withdrawalsSince: 0 };
  if (leafIndex === undefined) return { state: "absent", ...counts };
  const withdrawal = paymentAt(leafIndex);
  return {
    ...leafIndex >= tree.size && { waits: true as const },
    state: withdrawal ? "withdrawn" : "deposited",
    leafIndex,
    ...own.length > 1 && { unspentDeposits: unspent.length },
    depositor: deposits.depositorOf(leafIndex).toRawString(),
    depositedAt: deposits.timeOf(leafIndex),
    ...withdrawal && { withdrawnAt: withdrawal.timestamp, payment: toNotePayment(withdrawal) },
    ...counts,
    since: deposits.count - leafIndex - 1,
    withdrawalsSince: withdrawals.filter((leaves) => leaves > leafIndex).length,
  };
}
