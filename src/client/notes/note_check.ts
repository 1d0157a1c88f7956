/** Finds the state of notes in the pool's whole history, so that no server learns which notes they are. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { type Note, type NoteHashes, toNoteHashes } from "../../core/protocol/note.ts";
import { poolCapacity } from "../../core/protocol/v2/pool_constants.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { DepositEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
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
  { version = 1, ...options }: PoolHistoryOptions = {},
): Promise<PoolHistory> {
  const deposits: DepositEvent[] = [];
  let settled = version === 1 ? Infinity : 0;
  const spent = new Map<bigint, WithdrawalEvent>();
  const withdrawals: number[] = [];
  const scan = { ...options, capacity: poolCapacity(version) };
  for await (const { events } of scanPoolTransactions(chain, pool, scan)) {
    for (const event of events) {
      if (event.kind === "deposit") deposits.push(event);
      if (event.kind === "settlement") settled = event.end;
      if (event.kind !== "withdrawal") continue;
      spent.set(event.nullifierHash, event);
      withdrawals.push(deposits.length);
    }
  }
  const tree = new MerkleTree();
  tree.appendMany(deposits.slice(0, settled).map(({ commitment }) => commitment));
  const roots = await new Pool(chain, pool).getRootHistory();
  if (!roots.includes(tree.root)) {
    throw new Problem(
      "unknown_root",
      `the root of the ${tree.size} deposits in the history is not one of the pool's roots`,
    );
  }
  const paid = new Map<bigint, DepositEvent[]>();
  for (const deposit of deposits) {
    paid.set(deposit.commitment, [...paid.get(deposit.commitment) ?? [], deposit]);
  }
  return {
    isDeposited: (commitment) => paid.has(commitment),
    leavesOf: (commitment) => paid.get(commitment)?.map(({ leafIndex }) => leafIndex) ?? [],
    statusOf: (note) => {
      const own = paid.get(note.commitment) ?? [];
      const unspent = own.filter(({ leafIndex }) => !spent.has(note.nullifierHashAt(leafIndex)));
      const deposit = unspent[0] ?? own.at(-1);
      const counts = { deposits: deposits.length, since: deposits.length, withdrawalsSince: 0 };
      if (!deposit) return { state: "absent", ...counts };
      const { leafIndex, timestamp: depositedAt } = deposit;
      const withdrawal = spent.get(note.nullifierHashAt(leafIndex));
      return {
        ...leafIndex >= tree.size && { waits: true as const },
        state: withdrawal ? "withdrawn" : "deposited",
        leafIndex,
        ...own.length > 1 && { unspentDeposits: unspent.length },
        depositor: depositorOf(deposit).toRawString(),
        depositedAt,
        ...withdrawal && { withdrawnAt: withdrawal.timestamp, payment: toNotePayment(withdrawal) },
        ...counts,
        since: deposits.length - leafIndex - 1,
        withdrawalsSince: withdrawals.filter((leaves) => leaves > leafIndex).length,
      };
    },
  };
}
