/** Locks the data directory for one process: KV would let two processes mix their journals. */
import { tryLock, unlockAndClose } from "../../config/files/file_lock.ts";
import { Problem } from "../../core/errors/problem.ts";

/** The system releases the lock when the process ends. Throws `folder_in_use`. */
export async function lockDirectory(directory: string): Promise<Disposable> {
  const file = await Deno.open(`${directory}/tonado.lock`, { create: true, write: true });
  if (!await tryLock(file)) {
    file.close();
    throw new Problem("folder_in_use", `data directory ${directory} is in use by another process`);
  }
  return { [Symbol.dispose]: () => unlockAndClose(file) };
}
