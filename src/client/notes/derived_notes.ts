/** Finds the notes of a seed: the next free index, and all deposited notes for recovery. */
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Note } from "../../core/protocol/note.ts";
import { deriveNote, type NoteSeed, type SeedPool } from "../../core/protocol/seed/note_seed.ts";

/**
 * Recovery stops after this many consecutive indices without a deposit. No note is created beyond such a gap, so
 * recovery finds every deposit.
 */
export const RECOVERY_GAP = 100;

/** A note of a seed, with its number in the pool. */
export interface DerivedNote {
  readonly index: number;
  readonly note: Note;
}

/** Looks up a pool's derived notes by commitment. */
export interface KnownCommitments {
  /** Whether a note with this commitment is stored, deposited or not. */
  isStored(commitment: bigint): boolean;
  /** Whether the pool is known to have it as a leaf or a waiting deposit. */
  isDeposited(commitment: bigint): boolean;
}

/**
 * Returns the first note of a pool that is neither stored nor deposited, so two devices with one seed rarely collide.
 * @throws {Problem} `note_gap_reached` if {@linkcode RECOVERY_GAP} stored notes before it have no deposit;
 *   `invalid_note` if the pool's asset or amount is malformed
 * @example
 * ```ts
 * const isDeposited = (commitment: bigint) => tree.indexOf(commitment) >= 0;
 * const { note } = nextDerivedNote(seed, "testnet", deployment, { isStored: () => false, isDeposited });
 * ```
 */
export function nextDerivedNote(
  seed: NoteSeed,
  network: Network,
  pool: SeedPool,
  { isStored, isDeposited }: KnownCommitments,
): DerivedNote {
  const notes: Note[] = [];
  const commitmentAt = (index: number) => (notes[index] = deriveNote(seed, network, pool, index)).commitment;
  const index = nextFreeIndex(commitmentAt, { isStored, isDeposited });
  return { index, note: notes[index] };
}

/** Like {@linkcode nextDerivedNote}, of the commitments alone. Each index is read once, in order. */
export function nextFreeIndex(
  commitmentAt: (index: number) => bigint,
  { isStored, isDeposited }: KnownCommitments,
): number {
  let gap = 0;
  for (let index = 0; gap < RECOVERY_GAP; index++) {
    const commitment = commitmentAt(index);
    if (isDeposited(commitment)) gap = 0;
    else if (isStored(commitment)) gap++;
    else return index;
  }
  throw new Problem(
    "note_gap_reached",
    `${RECOVERY_GAP} notes of this pool were created one after the other and not deposited`,
  );
}

/**
 * Returns the deposited notes of a pool, by index. No server learns which notes are searched: `isDeposited` searches
 * leaves that were downloaded as a whole.
 * @param isDeposited whether the pool has a leaf or a waiting deposit with this commitment
 * @throws {Problem} `invalid_note` if the pool's asset or amount is malformed
 * @example
 * ```ts
 * const tree = await syncTree(pool, source);
 * const notes = recoverDerivedNotes(seed, "testnet", deployment, (commitment) => tree.indexOf(commitment) >= 0);
 * ```
 */
export function recoverDerivedNotes(
  seed: NoteSeed,
  network: Network,
  pool: SeedPool,
  isDeposited: (commitment: bigint) => boolean,
): DerivedNote[] {
  const found: DerivedNote[] = [];
  for (let index = 0, gap = 0; gap < RECOVERY_GAP; index++) {
    const note = deriveNote(seed, network, pool, index);
    if (isDeposited(note.commitment)) found.push({ index, note });
    gap = found.at(-1)?.index === index ? 0 : gap + 1;
  }
  return found;
}
