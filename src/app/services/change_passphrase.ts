/** Puts the note store under another passphrase. */
import type { Secret } from "../../core/text/secret.ts";
import type { OpenVault } from "../ports.ts";
import type { AppContext } from "./context.ts";
import { createVault } from "./drawn_passphrase.ts";

/**
 * Encrypts the notes for a new key. With the old key, someone who knows the old passphrase and has an old file could
 * read every later one. The session that is open cannot read the notes afterwards: lock it.
 *
 * Throws `wrong_passphrase`, `out_of_memory`, `note_store_in_use`, `write_failed`; then nothing has changed.
 */
export async function changePassphrase(
  { files, vaults }: AppContext,
  current: Secret<string>,
  next: Secret<string>,
): Promise<void> {
  using _work = await files.lockForWork();
  const opened: OpenVault[] = [];
  try {
    const old = await vaults.open((await files.read())!, current);
    opened.push(old);
    const renewed = await createVault(vaults, next);
    opened.push(renewed);
    using _lock = await files.lock();
    await files.write(await renewed.encrypt(await old.decrypt((await files.read())!)));
  } finally {
    for (const vault of opened) vault.close();
  }
}
