/** Stores notes in a file. A change replaces the file under a lock. */
import { createFolderOf, followLinks, replaceFile } from "../../../config/files/atomic_file.ts";
import { lockFile } from "../../../config/files/file_lock.ts";
import { readBoundedFile } from "../../../config/files/bounded_file.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { type Clock, systemClock } from "../../../core/time/clock.ts";
import type { Secret } from "../../../core/text/secret.ts";
import { createIdentity, identityOf, vaultOf } from "../note_encryption.ts";
import { MAX_NOTE_STORE_BYTES, type NoteStore, serializeNoteStore } from "../note_store.ts";
import { encryptPaperCode } from "../paper/paper_code.ts";
import { type NoteStorage, openStoredNotes } from "../stored_notes.ts";

const LOCK_TIMEOUT_MS = 20_000; // changes of other processes take milliseconds

interface NoteStoreFile {
  exists(): Promise<boolean>;
  /** Throws `wrong_passphrase`, `invalid_config`, `write_failed`, `note_store_corrupted` or `_in_use`. */
  open(passphrase: Secret<string>): Promise<NoteStore>;
}

interface NoteStoreFileOptions {
  readonly workFactor?: number;
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

/** The note store at `path`. A file above `maxBytes` is neither read nor written. */
export function noteStoreFile(
  path: string,
  { workFactor, maxBytes = MAX_NOTE_STORE_BYTES, clock = systemClock }: NoteStoreFileOptions = {},
): NoteStoreFile {
  const file = fileAccess(path, maxBytes, clock);
  return {
    exists: async () => await file.read() !== undefined,
    async open(passphrase) {
      if (await file.read() === undefined) {
        const vault = await vaultOf(await createIdentity(passphrase, workFactor));
        await createFolder(path);
        using _lock = await file.lock();
        const isCreated = await file.read() !== undefined; // by another process in the meantime
        if (!isCreated) await file.write(await vault.encrypt(serializeNoteStore({ records: [] })));
      }
      const vault = await vaultOf(await identityOf((await file.read())!, passphrase));
      return await openStoredNotes(file, vault, (text) => encryptPaperCode(text, passphrase, workFactor));
    },
  };
}

function fileAccess(path: string, maxBytes: number, clock: Clock): NoteStorage {
  return {
    name: path,
    async read() {
      try {
        return await Promise.resolve(readBoundedFile(path, maxBytes));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw fileProblem(path, "read", error);
      }
    },
    async write(bytes) {
      try {
        if (bytes.length > maxBytes) {
          throw new Error(`it would have ${bytes.length} bytes, more than ${maxBytes}`);
        }
        await replaceFile(path, bytes, { mode: 0o600, folderMode: 0o700 });
      } catch (error) {
        throw fileProblem(path, "written", error);
      }
    },
    lock: () => acquireLock(path, "lock", { timeoutMs: LOCK_TIMEOUT_MS, clock }),
    lockForWork: () => acquireLock(path, "work", { timeoutMs: 0, clock }),
  };
}

async function createFolder(path: string): Promise<void> {
  try {
    await createFolderOf(await followLinks(path), 0o700);
  } catch (error) {
    throw fileProblem(path, "written", error);
  }
}

/** Locks the file itself, whichever link names it. Throws `note_store_in_use` or `write_failed`. */
async function acquireLock(
  path: string,
  suffix: string,
  options: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<Disposable> {
  let lock: Disposable | undefined;
  try {
    lock = await lockFile(`${await followLinks(path)}.${suffix}`, options);
  } catch (error) {
    throw fileProblem(path, "written", error);
  }
  if (lock) return lock;
  throw new Problem("note_store_in_use");
}

function fileProblem(path: string, how: "read" | "written", cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (how === "written") {
    return new Problem("write_failed", `the note store ${path} cannot be written: ${reason}`, {
      hint: "Free disk space, or choose another file with --notes or TONADO_NOTES. The store is unchanged.",
      cause,
    });
  }
  return new Problem("invalid_config", undefined, {
    errors: [{ pointer: "TONADO_NOTES", detail: `${path} cannot be ${how}: ${reason}` }],
    cause,
  });
}
