/** The leaf of a note that is withdrawn. */
import { checkNotesInPages } from "../../../client/pages/note_pages.ts";
import { findNote } from "../../../client/notes/note_store.ts";
import {
  placeStoredNote,
  type StoredWithdrawal,
} from "../../../client/withdrawal/stored/stored_withdrawal.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { type Note, placeNote } from "../../../core/protocol/note.ts";
import type { AppContext, Session, StoredNote } from "../context.ts";
import { readPages } from "../pages/pool_pages.ts";
import { statusInLog } from "./note_log.ts";

/** Returns the withdrawal of the note at the leaf of its journaled attempt. */
export async function placeAttempted(
  { clock }: AppContext,
  { store }: Session,
  { pool, record: { id } }: StoredNote,
  signal: AbortSignal,
): Promise<StoredWithdrawal> {
  const { withdrawal: attempt } = findNote(await store.list(), id);
  const note = await placeStoredNote(pool, (await store.reveal(id)).reveal(), attempt, { signal });
  return { store, id, pool, note, clock };
}

/** Returns the note at a withdrawable leaf; undefined if it is withdrawn. Throws `commitment_not_found`. */
export async function placeNoteByPages(
  context: AppContext,
  deployment: Deployment,
  note: Note,
  signal: AbortSignal,
): Promise<Note | undefined> {
  const pages = await readPages(context, deployment, { signal });
  const [listed] = checkNotesInPages([note], pages);
  // Only the pool's log proves it: a relayer that got an earlier proof could list its nullifier hash.
  const { state, waits, leafIndex } = listed.state === "withdrawn"
    ? await statusInLog(context, deployment, note, signal)
    : listed;
  if (state === "withdrawn") return undefined;
  if (leafIndex === undefined || waits) {
    throw new Problem("commitment_not_found", waits && `the deposit waits as leaf ${leafIndex}`);
  }
  return placeNote(note, leafIndex);
}
