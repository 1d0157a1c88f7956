/** One process to a data directory: a KV file lets two write at once and mix their journals, so a lock file says no. */
import { Problem } from "../../core/errors.ts";

/** How long a runtime without `tryLock` (Deno 2.4) waits before it believes that the lock is held. */
const PATIENCE_MS = 1_000;

/**
 * Takes `<directory>/tonado.lock`. The system releases it when the process ends, however it ends.
 *
 * @throws {Problem} `already_running` when another process, or another store of this one, holds it
 */
export async function lockDirectory(directory: string): Promise<Disposable> {
  const file = await Deno.open(`${directory}/tonado.lock`, { create: true, write: true });
  if (!await tryLock(file)) {
    file.close();
    throw new Problem("already_running", `data directory ${directory} is in use by another process`);
  }
  return { [Symbol.dispose]: () => file.close() };
}

async function tryLock(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), PATIENCE_MS));
  try {
    return await Promise.race([file.lock(true).then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
