/** The content of a note store in the worker: parsed, listed without its secrets, and restored from backups. */
import { identityOf, type NoteVault, vaultOf } from "../../client/notes/note_encryption.ts";
import {
  createNoteRecord,
  type NoteRecord,
  type NoteStoreContent,
  toNoteStoreContent,
} from "../../client/notes/note_store.ts";
import { decryptPaperCode } from "../../client/notes/paper/paper_code.ts";
import { Problem } from "../../core/errors/problem.ts";
import { parseNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../core/text/secret.ts";
import { isSeedText } from "./restorable_text.ts";
import type { BackupSource, NoteEntry, NoteListing } from "./vault_task.ts";

/**
 * Decrypts a store. The page checks the journals before it writes a listing's store, because the schemas are not
 * in the worker.
 */
export async function readContent(vault: NoteVault, bytes: Uint8Array): Promise<NoteStoreContent> {
  return parseContent(await vault.decrypt(bytes));
}

/** Parses the text of a store. Throws `note_store_corrupted`. */
export function parseContent(text: string): NoteStoreContent {
  try {
    const { format, version, seed, notes } = JSON.parse(text);
    if (format === "tonado-notes" && (version === 1 || version === 2)) {
      return toNoteStoreContent({ seed, notes });
    }
  } catch { // no cause: it could quote decrypted text
  }
  throw new Problem(
    "note_store_corrupted",
    "it was decrypted, but its content is not in this version's format",
  );
}

export function listingOf({ seed, records }: NoteStoreContent): NoteListing {
  return { hasSeed: seed !== undefined, records: records.map(entryOf) };
}

/** Names each member, so that an unknown one of the file does not leave the worker. */
export function entryOf(record: NoteRecord): NoteEntry {
  const { id, state, createdAt, pool, deposit, withdrawal, earlier } = record;
  return { id, note: publicNote(record), state, createdAt, pool, deposit, withdrawal, earlier } as NoteEntry;
}

export function publicNote(record: NoteRecord): NoteEntry["note"] {
  const note = record.note.reveal();
  const { asset, amount, network, version, commitment } = note;
  const shown = { asset, amount, network, version, commitment };
  return version === 1 ? { ...shown, nullifierHash: note.nullifierHash } : shown;
}

/** Throws `wrong_passphrase`, `note_store_corrupted`, `invalid_note`, `invalid_seed` or `out_of_memory`. */
export async function readBackup(
  source: BackupSource,
  passphrase: Secret<string>,
  now: number,
): Promise<NoteStoreContent> {
  if (source.kind === "file") {
    return await readContent(await vaultOf(await identityOf(source.bytes, passphrase)), source.bytes);
  }
  if (source.kind === "text") return parseText(source.text, now);
  return parseText((await decryptPaperCode(source.code, passphrase)).reveal(), now);
}

function parseText(text: string, now: number): NoteStoreContent {
  const trimmed = text.trim();
  return isSeedText(trimmed)
    ? { seed: parseNoteSeed(trimmed), records: [] }
    : { records: [createNoteRecord(trimmed, now)] };
}
