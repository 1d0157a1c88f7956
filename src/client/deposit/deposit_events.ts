/**
 * Shared by deposits with a wallet and by link: the proof for the next free leaf, and the deposit's event.
 */
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
  /** The block's time in Unix seconds. */
  readonly timestamp: number;
  readonly tx: TransactionId;
  /** The wallet that paid; public. */
  readonly depositor: Address;
  /** Proofs made, including the successful one. */
  readonly attempts: number;
}

export function toDepositResult(event: DepositEvent): Omit<DepositResult, "attempts"> {
  const { leafIndex, timestamp, tx } = event;
  return { leafIndex, timestamp, tx, depositor: depositorOf(event) };
}

/** Proves the insertion of `commitment` at the next free leaf of `tree`. */
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
 * Returns the deposit's event. Throws `commitment_not_found`, or `nullifier_already_used` for a spent note.
 * The withdrawal is looked up in the same logs: a query for the nullifier hash would let the node recognise
 * it later.
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
