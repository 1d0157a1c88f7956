/** Computes which notes the proven backups bring back. */
import type { BackupProof, Settings } from "../../flows/settings.ts";
import type { VaultProof } from "../../vault/vault_task.ts";

/** What the last proven backups cover of the open store. */
export interface BackupCoverage {
  /** Whether a backup has the store's seed, and therefore every note that will be derived. */
  readonly hasSeed: boolean;
  /** The ids of notes that no proven backup brings back. */
  readonly missing: ReadonlySet<string>;
}

/** Returns the proof of a backup for the settings; undefined if it has no seed. */
export function toBackupProof({ seed, besides }: VaultProof): BackupProof | undefined {
  return seed === undefined ? undefined : { provenSeed: seed, provenNotes: besides.map(({ tag }) => tag) };
}

/**
 * @param store the proof that a backup of the whole store would have
 * @param records all notes of the store
 */
export function findCoverage(
  store: VaultProof,
  records: readonly { readonly id: string }[],
  { provenSeed, provenNotes = [] }: Pick<Settings, "provenSeed" | "provenNotes">,
): BackupCoverage {
  const hasSeed = store.seed !== undefined && provenSeed === store.seed;
  if (!hasSeed) return { hasSeed, missing: new Set(records.map(({ id }) => id)) };
  const proven = new Set(provenNotes);
  return {
    hasSeed,
    missing: new Set(store.besides.filter(({ tag }) => !proven.has(tag)).map(({ id }) => id)),
  };
}
