/// <reference lib="dom" />
/** The one note store of this browser: the bytes of the command line's `notes.age`, as a record of the database. */
import { Problem } from "../../core/errors/problem.ts";
import type { NoteFiles } from "../ports.ts";
import { holdFreeLock, holdLock } from "./locks.ts";
import { forgetPreferences } from "./preferences.ts";
import type { Records } from "./indexeddb.ts";

const RECORD = "notes.age";

/** @param onWrite tells other tabs that the notes have changed */
export function browserNoteFiles(records: Records, onWrite: () => void = () => {}): NoteFiles {
  return {
    name: "the note store of this browser",
    async read() {
      const found = await records.get("files", RECORD);
      if (found === undefined) return undefined;
      if (!(found instanceof Uint8Array)) throw new Problem("note_store_corrupted");
      return found;
    },
    async write(bytes) {
      await records.put("files", RECORD, bytes);
      onWrite();
    },
    async remove() {
      await records.clear();
      forgetPreferences();
    },
    lock: () => holdLock("tonado-notes-write"),
    lockForWork: () => holdFreeLock("tonado-notes-work"),
    async persist() {
      try {
        return await navigator.storage.persist();
      } catch { // not supported by every browser
        return false;
      }
    },
  };
}
