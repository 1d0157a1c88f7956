import type { Secret } from "../../core/text/secret.ts";
import type { OpenVault } from "../ports.ts";
import type { AppContext } from "./context.ts";
import { createVault } from "./drawn_passphrase.ts";
import { readStore } from "./store_service.ts";

/**
 * Encrypts the notes with a new key, because an old file would reveal the old one. Lock the session
 * afterwards. Throws `wrong_passphrase`, `out_of_memory`, `note_store_in_use`, `note_store_corrupted`,
 * `write_failed`.
 */
export async function changePassphrase(
  { files, vaults }: AppContext,
  current: Secret<string>,
  next: Secret<string>,
): Promise<void> {
  using _work = await files.lockForWork();
  const opened: OpenVault[] = [];
  try {
    const old = await vaults.open(await readStore(files), current);
    opened.push(old);
    const renewed = await createVault(vaults, next);
    opened.push(renewed);
    using _lock = await files.lock();
    await files.write(await renewed.encrypt(await old.decrypt(await readStore(files))));
  } finally {
    for (const vault of opened) vault.close();
  }
}
