import { Problem } from "../../core/errors/problem.ts";
import { type Note, placeNote } from "../../core/protocol/note.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";

/**
 * Returns a version 2 note with the nullifier hash of its leaf, and any other note unchanged. If several leaves have
 * the note's commitment, it uses the first that can be withdrawn, or the last one if all are spent.
 * @param nullifierHash of an interrupted withdrawal; its leaf is preferred
 * @throws {Problem} `commitment_not_found` if the pool has no such deposit, or it waits for its settlement
 * @example
 * ```ts
 * const placed = await findNoteLeaf(pool, note);
 * const spent = await pool.getIsSpent(placed.nullifierHash);
 * ```
 */
export async function findNoteLeaf(
  pool: AnyPool,
  note: Note,
  { nullifierHash, signal }: {
    readonly nullifierHash?: bigint | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Note> {
  if (note.version !== 2 || note.leafIndex !== undefined || !(pool instanceof V2Pool)) return note;
  const log = await pool.readLog({ signal });
  const leaves = log.leavesOf(note.commitment);
  if (leaves.length === 0) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool's logs");
  }
  const placed = leaves.filter((leafIndex) => leafIndex < log.settled).map((leafIndex) =>
    placeNote(note, leafIndex)
  );
  if (placed.length === 0) {
    throw new Problem("commitment_not_found", `the deposit waits as leaf ${leaves[0]} for its settlement`, {
      hint: "Relayers settle deposits by themselves; `tonado settle <pool>` settles them at once.",
    });
  }
  return placed.find((each) => each.nullifierHash === nullifierHash) ??
    placed.find((each) => !log.isSpent(each.nullifierHash)) ?? placed[placed.length - 1];
}
