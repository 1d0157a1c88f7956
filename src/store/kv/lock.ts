/** One process to a data directory: a KV file lets two write at once and mix their journals, so a lock file says no. */
import { tryLock } from "../../config/file_lock.ts";
import { Problem } from "../../core/errors.ts";

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
