/** Text that restores notes: a recovery code, or a single note. */
import { parseNote } from "../../core/protocol/note.ts";
import { parseNoteSeed } from "../../core/protocol/seed/note_seed.ts";

export function isSeedText(text: string): boolean {
  return /^\s*tonado[\s-]*seed/i.test(text);
}

/** Throws `invalid_seed` or `invalid_note`. */
export function assertRestorable(text: string): void {
  const trimmed = text.trim();
  if (isSeedText(trimmed)) parseNoteSeed(trimmed);
  else parseNote(trimmed);
}
