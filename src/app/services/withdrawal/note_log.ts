/** What is known about a note that is to be withdrawn, from its journal and from the pool's whole log. */
import { type NoteStatus, readPoolHistory } from "../../../client/notes/note_check.ts";
import type { NoteJournal } from "../../../client/notes/note_store.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { type Note, toNoteHashes } from "../../../core/protocol/note.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import { type AppContext, type Session, type StoredNote, withdrawalChain } from "../context.ts";

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

export async function statusInLog(
  context: AppContext,
  { address, version }: Deployment,
  note: Note,
  signal: AbortSignal,
): Promise<NoteStatus> {
  const history = await readPoolHistory(withdrawalChain(context), address, { version, signal });
  return history.statusOf(toNoteHashes(note));
}

/** Returns the URLs of the relayers that got a proof for the deposit that is to be withdrawn. A note may have had another. */
export async function relayersWithProof(
  { store }: Session,
  { id, note: { commitment }, deposit, withdrawal, earlier = [] }: NoteEntry,
): Promise<ReadonlySet<string | undefined>> {
  const attempts = [...earlier, ...withdrawal ? [withdrawal] : []];
  const leafIndex = deposit?.leafIndex;
  if (leafIndex === undefined) return new Set(attempts.map(({ relayer }) => relayer));
  const [hashes] = await store.hashes([{ id, commitment, leafIndexes: [leafIndex] }]);
  const current = hashes.nullifierHashAt(leafIndex);
  return new Set(
    attempts.filter(({ request }) => BigInt(request.publicSignals[1]) === current)
      .map(({ relayer }) => relayer),
  );
}
