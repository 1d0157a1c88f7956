/** File locks, which the system releases when the process ends. */
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { pollUntil } from "../../core/time/deadline.ts";

/** A runtime without `tryLock` (Deno 2.4) then treats the lock as held. */
const LOCK_TIMEOUT_MS = 1_000;
const RETRY_INTERVAL_MS = 20;
/** How often the file can be replaced between opening and locking it, before the lock counts as held. */
const MAX_REPLACEMENTS = 3;

/**
 * Locks through a file, which exists while it is locked: a crash may leave the file, but not the lock. Returns
 * undefined if another process keeps the lock for `timeoutMs` milliseconds. Throws system errors, and an error if the
 * path is not a regular file.
 */
export async function lockFile(
  path: string,
  { timeoutMs = 0, clock = systemClock }: { readonly timeoutMs?: number; readonly clock?: Clock } = {},
): Promise<Disposable | undefined> {
  let file: Deno.FsFile | undefined;
  await pollUntil(async () => (file = await openLocked(path)) !== undefined, {
    intervalMs: RETRY_INTERVAL_MS,
    timeoutMs: timeoutMs - RETRY_INTERVAL_MS, // no wait may end after the timeout
    clock,
  });
  if (file === undefined) return undefined;
  const locked = file;
  return {
    [Symbol.dispose]() {
      try {
        Deno.removeSync(path); // before the lock is released: afterwards the file may belong to another process
      } catch {
        // A file that stays does not block others.
      }
      unlockAndClose(locked);
    },
  };
}

async function openLocked(path: string): Promise<Deno.FsFile | undefined> {
  for (let replaced = 0; replaced < MAX_REPLACEMENTS; replaced++) {
    const file = await openRegular(path);
    if (file === undefined) continue;
    const isLocked = await tryLock(file);
    if (isLocked && await isSameFile(file, path)) return file;
    file.close();
    if (!isLocked) return undefined;
  }
}

/**
 * Creates the file, or opens it. Returns undefined if it is removed meanwhile. Rejects pipes, which block when opened,
 * and links, which a folder of others may contain.
 */
async function openRegular(path: string): Promise<Deno.FsFile | undefined> {
  try {
    return await Deno.open(path, { createNew: true, write: true, mode: 0o600 }); // follows no link
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  try {
    if (!(await Deno.lstat(path)).isFile) throw new Error(`the lock file ${path} is not a regular file`);
    return await Deno.open(path, { write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The last holder may have removed the file before it was locked here. */
async function isSameFile(file: Deno.FsFile, path: string): Promise<boolean> {
  const current = await Deno.lstat(path).catch(() => undefined);
  return current !== undefined && current.ino === (await file.stat()).ino;
}

/** Returns whether the file is locked now. Release the lock with `unlockAndClose`. */
export async function tryLock(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  const end = new AbortController();
  const timeout = systemClock.sleep(LOCK_TIMEOUT_MS, end.signal).then(() => false);
  try {
    return await Promise.race([file.lock(true).then(() => true), timeout]);
  } finally {
    end.abort();
  }
}

/** Unlocks explicitly: a process that is just being started has a copy of the file, which keeps the lock until it runs. */
export function unlockAndClose(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } finally {
    file.close();
  }
}
