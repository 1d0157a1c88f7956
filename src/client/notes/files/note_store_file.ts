/** Stores notes in a file. A change is written under a lock to a new file, which then replaces the old one. */
import { tryLock, unlockAndClose } from "../../../config/files/file_lock.ts";
import { readBoundedFile } from "../../../config/files/bounded_file.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { type Clock, pollUntil, systemClock } from "../../../core/time.ts";
import type { Secret } from "../../../core/text/secret.ts";
import { createIdentity, identityOf, vaultOf } from "../note_encryption.ts";
import { MAX_NOTE_STORE_BYTES, type NoteStore, serializeNoteStore } from "../note_store.ts";
import { encryptPaperCode } from "../paper/paper_code.ts";
import { type NoteStorage, openStoredNotes } from "../stored_notes.ts";

const LOCK_TIMEOUT_MS = 20_000; // changes of other processes take milliseconds
const LOCK_RETRY_INTERVAL_MS = 20;

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
        await createParentDirectory(path);
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
      if (bytes.length <= maxBytes) return await writeAtomically(path, bytes);
      const cause = new Error(`it would have ${bytes.length} bytes, more than ${maxBytes}`);
      throw fileProblem(path, "written", cause);
    },
    lock: () => acquireLock(`${path}.lock`, LOCK_TIMEOUT_MS, clock),
    lockForWork: () => acquireLock(`${path}.work`, 0, clock),
  };
}

async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    {
      using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
      await file.sync();
    }
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw fileProblem(path, "written", error);
  }
  await syncDirectory(path);
}

/** The new name is on the disk only once its directory is synced (rename(2)). */
async function syncDirectory(path: string): Promise<void> {
  try {
    using dir = await Deno.open(parentDirectory(path), { read: true });
    await dir.sync();
  } catch {
    // Windows cannot sync directories, and does not need it.
  }
}

async function createParentDirectory(path: string): Promise<void> {
  try {
    await Deno.mkdir(parentDirectory(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileProblem(path, "written", error);
  }
}

function parentDirectory(path: string): string {
  return path.replace(/[^/\\]*$/, "") || ".";
}

/** Released when the process ends. Throws `note_store_in_use` or `write_failed`. */
async function acquireLock(path: string, timeoutMs: number, clock: Clock): Promise<Disposable> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  } catch (error) {
    throw fileProblem(path, "written", error);
  }
  const isLocked = await pollUntil(() => tryLock(file), {
    intervalMs: LOCK_RETRY_INTERVAL_MS,
    timeoutMs: timeoutMs - LOCK_RETRY_INTERVAL_MS, // no wait may end after the timeout
    clock,
  });
  if (!isLocked) {
    file.close();
    throw new Problem("note_store_in_use");
  }
  return { [Symbol.dispose]: () => unlockAndClose(file) };
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
