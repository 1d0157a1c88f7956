/** What the pool's whole log and the store say about a note that is to be withdrawn. */
import { type NoteStatus, readPoolHistory } from "../../../client/notes/note_check.ts";
import type { NoteJournal } from "../../../client/notes/note_store.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { type Note, toNoteHashes } from "../../../core/protocol/note.ts";
import { type AppContext, deploymentOf, type Session, type StoredNote, withdrawalChain } from "../context.ts";

/** Returns the journaled deposit. Reads the log if it lacks the payer and the time, because the warnings need them. */
export async function depositOf(
  context: AppContext,
  { store }: Session,
  { record: { id, deposit }, deployment }: StoredNote,
  signal: AbortSignal,
): Promise<NoteJournal["deposit"]> {
  if (deposit?.timestamp !== undefined) return deposit;
  const note = (await store.reveal(id)).reveal();
  const { leafIndex, depositor, depositedAt } = await statusInLog(context, deployment, note, signal);
  if (leafIndex === undefined) return deposit; // a withdrawal reports it
  const found = { leafIndex, from: depositor, timestamp: depositedAt };
  await store.update(id, { deposit: found });
  return found;
}

/** Returns the deposit at this leaf as a check of this visit found it in the log. */
export function loggedDeposit(
  { logged }: Session,
  id: string,
  leafIndex: number | undefined,
): NoteJournal["deposit"] {
  const found = logged?.get(id);
  return found?.leafIndex === leafIndex ? found : undefined;
}

export async function statusInLog(
  context: AppContext,
  { address, version }: Deployment,
  note: Note,
  signal: AbortSignal,
): Promise<NoteStatus> {
  const history = await readPoolHistory(withdrawalChain(context), address, { version, signal });
  return history.statusOf(toNoteHashes(note));
}

/** Returns the leaves of the store's notes in this pool. */
export async function findOwnLeaves(
  context: AppContext,
  { store }: Session,
  deployment: Deployment,
): Promise<number[]> {
  return (await store.list()).flatMap((record) =>
    deploymentOf(context, record) === deployment ? record.deposit?.leafIndex ?? [] : []
  );
}
