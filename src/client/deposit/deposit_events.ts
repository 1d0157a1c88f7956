/** What deposits with a wallet and deposits by link share: the proof for the next free leaf, and the deposit's own event. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import type { Pool, PoolDepositArgs } from "../../ton/pool/pool.ts";
import { depositorOf } from "../../ton/pool/event_decoder.ts";
import { fetchNoteHistory } from "../../ton/pool/note_history.ts";
import type { DepositEvent } from "../../ton/pool/pool_events.ts";

/** A deposit that is in the tree. */
export interface DepositResult {
  readonly leafIndex: number;
  /** Unix seconds of its block. */
  readonly timestamp: number;
  readonly tx: TransactionId;
  /** The wallet that paid. This is public. */
  readonly depositor: Address;
  /** Proofs made for this deposit, the successful one included. */
  readonly attempts: number;
}

/** Returns what is reported about a deposit that is in the tree. */
export function toDepositResult(event: DepositEvent): Omit<DepositResult, "attempts"> {
  const { leafIndex, timestamp, tx } = event;
  return { leafIndex, timestamp, tx, depositor: depositorOf(event) };
}

/** Proves that `commitment` is inserted at the next free leaf of `tree`. Throws what the prover throws. */
export async function proveNextLeaf(
  prover: Prover,
  tree: MerkleTree,
  commitment: bigint,
  options: ProveOptions,
): Promise<PoolDepositArgs> {
  const leafIndex = tree.size;
  const newRoot = tree.rootAfter(commitment);
  const { pathElements } = tree.nextLeafPath();
  const { proof } = await prover.proveDeposit(
    { prevRoot: tree.root, newRoot, commitment, leafIndex, pathElements },
    options,
  );
  return { commitment, newRoot, leafIndex, proof };
}

/**
 * Finds the event of a deposit that is in the tree.
 *
 * The withdrawal is looked up in the same logs. If the node were queried for the nullifier hash of a deposited note, it
 * could later recognise the withdrawal.
 *
 * @throws {Problem} `commitment_not_found`; `nullifier_already_used` if the note has been withdrawn
 */
export async function findUnspentDeposit(
  chain: Chain,
  pool: Pool,
  note: Note,
  signal?: AbortSignal,
): Promise<DepositEvent> {
  const { deposit, withdrawal } = await fetchNoteHistory(chain, pool.address, note, { signal });
  if (!deposit) {
    throw new Problem(
      "commitment_not_found",
      "the source of the tree contains this deposit, but the pool's logs do not",
    );
  }
  if (!withdrawal) return deposit;
  throw new Problem(
    "nullifier_already_used",
    `the note was deposited as leaf ${deposit.leafIndex} and has already been withdrawn; nothing was sent`,
    { hint: "A note can be used only once. Create a new note for another deposit." },
  );
}
