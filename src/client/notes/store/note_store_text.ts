import { Problem } from "../../../core/errors/problem.ts";
import { type NoteStoreContent, toNoteStoreContent } from "../note_store.ts";
import { noteStoreSchema } from "./note_store_schema.ts";

/**
 * Parses the decrypted text of a note store.
 * @param text from {@linkcode serializeNoteStore}
 * @throws {Problem} `note_store_corrupted`
 * @example
 * ```ts
 * const { records } = parseNoteStore(await vault.decrypt(bytes));
 * ```
 */
export function parseNoteStore(text: string): NoteStoreContent {
  try {
    return toNoteStoreContent(noteStoreSchema.parse(JSON.parse(text)));
  } catch { // no cause: it could quote decrypted text
    throw new Problem(
      "note_store_corrupted",
      "it was decrypted, but its content is not in this version's format",
    );
  }
}
