import type { Secret } from "../../core/text/secret.ts";
import type { AppContext } from "./context.ts";
import { withLightFallback } from "./drawn_passphrase.ts";
import { readStore } from "./note_book.ts";

/**
 * Encrypts the notes with a new key, because an old file would reveal the old one. Lock the session
 * afterwards. `beforeWrite` runs once the current passphrase is known to be right. Throws `wrong_passphrase`, `out_of_memory`, `note_store_in_use`, `note_store_corrupted`,
 * `write_failed`.
 */
export async function changePassphrase(
  { files, vaults }: AppContext,
  current: Secret<string>,
  next: Secret<string>,
  beforeWrite: () => void,
): Promise<void> {
  using _work = await files.lockForWork();
  const stored = await readStore(files);
  const vault = await withLightFallback(
    next,
    (isLight) => vaults.renew(stored, { current, next, isLight }),
  );
  try {
    using _lock = await files.lock();
    beforeWrite();
    await files.write(await vault.run({ kind: "reencrypt", bytes: await readStore(files) }));
  } finally {
    vault.close();
  }
}
