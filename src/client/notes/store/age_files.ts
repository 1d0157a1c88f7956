/** The two age files in the file of a note store. Separate from their encryption, which a page loads only in a worker. */
import { Problem } from "../../../core/errors/problem.ts";

const AGE_ARMOR_FOOTER = "-----END AGE ENCRYPTED FILE-----\n";

/** Throws `note_store_corrupted`. */
export function splitAgeFiles(bytes: Uint8Array): [head: string, body: string] {
  const text = new TextDecoder().decode(bytes);
  const at = text.indexOf(AGE_ARMOR_FOOTER);
  if (
    at < 0 || !text.endsWith(AGE_ARMOR_FOOTER) ||
    text.indexOf(AGE_ARMOR_FOOTER, at + 1) !== text.length - AGE_ARMOR_FOOTER.length
  ) {
    throw noteStoreCorrupted();
  }
  return [text.slice(0, at + AGE_ARMOR_FOOTER.length), text.slice(at + AGE_ARMOR_FOOTER.length)];
}

export function noteStoreCorrupted(): Problem {
  return new Problem(
    "note_store_corrupted",
    "the note store is truncated or altered, or the file is not a note store",
  );
}
