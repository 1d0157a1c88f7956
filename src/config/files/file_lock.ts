/** File locks, which the system releases when the process ends. */
import { systemClock } from "../../core/time.ts";

/** A runtime without `tryLock` (Deno 2.4) then treats the lock as held. */
const LOCK_TIMEOUT_MS = 1_000;

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
