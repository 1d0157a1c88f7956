import { type NoteStoreContent, serializeNoteStore } from "../../client/notes/note_store.ts";
import { openStoredNotes } from "../../client/notes/stored_notes.ts";
import { Problem } from "../../core/errors/problem.ts";
import { createNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import type { AppPlace, NoteFiles, OpenVault, Passkeys } from "../ports.ts";
import type { StoreServices } from "../flows/store/store.ts";
import type { AppContext, Session } from "./context.ts";
import { createVault, drawPassphrase } from "./drawn_passphrase.ts";

export function storeServices(
  context: AppContext,
  { place, passkeys }: { readonly place: AppPlace; readonly passkeys: Passkeys },
): StoreServices<Session> {
  const { files, vaults } = context;
  return {
    async findStore() {
      const fault = await place.findFault();
      if (fault) return { type: "refused", fault };
      if (await files.read() === undefined) return { type: "not_found" };
      return { type: "found", hasPasskey: await passkeys.isEnrolled().catch(() => false) };
    },
    draw: () => drawPassphrase(context.random),
    create: (passphrase) =>
      createStoreOf(context, { seed: createNoteSeed(context.random), records: [] }, passphrase),
    async open(passphrase) {
      const given = passphrase === "passkey" ? await passkeys.unlock() : passphrase;
      return await openSession(context, await vaults.open(await readStore(files), given));
    },
    close: ({ vault }) => vault.close(),
  };
}

/** Returns the bytes of the store. Throws `note_store_corrupted` if the browser or another tab deleted them. */
export async function readStore(files: NoteFiles): Promise<Uint8Array> {
  const bytes = await files.read();
  if (bytes === undefined) throw new Problem("note_store_corrupted", "the browser has deleted the notes");
  return bytes;
}

/** Creates the store with its content and a seed, so that it is never empty and its first backup covers later notes. */
export async function createStoreOf(
  context: AppContext,
  content: NoteStoreContent,
  passphrase: Secret<string>,
): Promise<Session> {
  const vault = await createVault(context.vaults, passphrase);
  return await openSession(context, vault, async () => {
    await writeFirst(context, await vault.encrypt(serializeNoteStore(content)));
    await context.files.persist();
  });
}

/** Never replaces a store that another tab has created meanwhile. */
export async function writeFirst({ files }: AppContext, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  using _lock = await files.lock();
  if (await files.read() !== undefined) throw new Problem("note_store_in_use", "another tab created a store");
  await files.write(bytes);
}

/** Erases the store and all other data of the app. Throws `note_store_in_use` while a tab moves money with it. */
export async function eraseStore({ files }: AppContext): Promise<void> {
  using _work = await files.lockForWork();
  using _lock = await files.lock();
  await files.remove();
}

/** Opens the notes after `prepare`. Closes the vault, which forgets its key, if one of the two fails. */
export async function openSession(
  { files }: AppContext,
  vault: OpenVault,
  prepare?: () => Promise<void>,
): Promise<Session> {
  try {
    await prepare?.();
    return { vault, store: await openStoredNotes(files, vault, (text) => vault.toPaperCode(text)) };
  } catch (error) {
    vault.close();
    throw error;
  }
}
