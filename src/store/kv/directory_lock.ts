/** Locks the data directory for one process: KV would let two processes mix their journals. */
import { lockFile } from "../../config/files/file_lock.ts";
import { Problem } from "../../core/errors/problem.ts";

/** The system releases the lock when the process ends. Throws `folder_in_use`. */
export async function lockDirectory(directory: string): Promise<Disposable> {
  const lock = await lockFile(`${directory}/tonado.lock`).catch((error) => {
    throw new Problem("invalid_config", `data directory ${directory}: ${error.message}`);
  });
  if (lock) return lock;
  throw new Problem("folder_in_use", `data directory ${directory} is in use by another process`);
}
