/** Notes whose payment was neither shown nor requested: `created` in their journal. */
import { findNote } from "../../../client/notes/note_store.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { Settings } from "../../flows/settings.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import { findCoverage } from "../backups/backup_coverage.ts";
import { type AppContext, deploymentOf, type Session } from "../context.ts";
import { vaultPools } from "../note_book.ts";

/** Returns a stored note of the pool whose payment was never shown or requested, and that a proven backup brings back. */
export async function findUnrequested(
  context: AppContext,
  { store }: Session,
  deployment: Deployment,
  provenBackup: Pick<Settings, "provenSeed" | "provenNotes">,
): Promise<NoteEntry | undefined> {
  const records = await store.list();
  const created = records.filter((record) =>
    record.state === "created" && deploymentOf(context, record) === deployment
  );
  if (created.length === 0) return undefined;
  const proof = await store.prove(vaultPools(context.registry));
  const { missing } = findCoverage(proof, records, provenBackup);
  return created.find(({ id }) => !missing.has(id));
}

/** Stores that the note may be paid from now on. */
export async function markRequested({ store }: Session, id: string): Promise<void> {
  const { state } = findNote(await store.list(), id);
  if (state === "created") await store.update(id, { state: "depositing" });
}
