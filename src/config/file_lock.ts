/** Locks of files, which the system releases when the process ends, however it ends. */

/** How long a runtime without `tryLock` (Deno 2.4) waits before it believes that the lock is held. */
const PATIENCE_MS = 1_000;

/** Whether the lock of an open file is now this one's; closing the file gives it back. */
export async function tryLock(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), PATIENCE_MS));
  try {
    return await Promise.race([file.lock(true).then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
