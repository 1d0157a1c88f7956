import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { PoolDepositArgs } from "../../ton/pool/pool.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import type { DepositEvent, RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import { findNote, type NoteJournal, type NoteState } from "../notes/note_store.ts";

/** A deposit that is in the tree. `timestamp` is the block's time in Unix seconds. */
export interface DepositResult {
  readonly leafIndex: number;
  readonly timestamp: number;
  readonly tx: TransactionId;
  /** The wallet that paid; public. */
  readonly depositor: Address;
  readonly attempts: number;
}

export function toDepositResult(event: DepositEvent): Omit<DepositResult, "attempts"> {
  const { leafIndex, timestamp, tx } = event;
  return { leafIndex, timestamp, tx, depositor: depositorOf(event) };
}

/** The part of a note store that records deposits. */
interface DepositJournal {
  list(): Promise<readonly { readonly id: string; readonly state: NoteState }[]>;
  update(id: string, change: Pick<NoteJournal, "state" | "deposit">): Promise<unknown>;
}

/** Records a deposit of a stored note. A later step of the note is not undone. */
export async function recordDeposit(
  store: DepositJournal,
  id: string,
  { leafIndex, timestamp, depositor }: Pick<DepositResult, "leafIndex" | "timestamp" | "depositor">,
): Promise<void> {
  const { state } = findNote(await store.list(), id);
  if (state !== "created" && state !== "depositing") return;
  const deposit = { from: depositor.toRawString(), leafIndex, timestamp };
  await store.update(id, { state: "deposited", deposit });
}

/**
 * Returns the payer of a refused payment. Anyone can notify a jetton pool in another wallet's name, so the payer is
 * undefined unless the notification came from the pool's own jetton wallet.
 * @param poolWallet of a jetton pool
 */
export function refusedPayer(event: RefusedEvent, poolWallet: Address | undefined): Address | undefined {
  if (poolWallet === undefined) return event.sender;
  return event.sender.equals(poolWallet) ? depositorOf(event) : undefined;
}

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

/** Reads withdrawals from the same logs: a query of the nullifier hash would reveal it to the node. */
export async function findUnspentDeposit(
  chain: Chain,
  pool: AnyPool,
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
