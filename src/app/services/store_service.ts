import { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import type { AppPlace, OpenVault, Passkeys } from "../ports.ts";
import type { StoreServices } from "../flows/store/store.ts";
import type { ChangedStore } from "../vault/vault_task.ts";
import type { AppContext, Session } from "./context.ts";
import { drawPassphrase, withLightFallback } from "./drawn_passphrase.ts";
import { checkListing, openNoteBook, readStore } from "./note_book.ts";

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
    /** The store has a seed from the start, so that its first backup covers later notes. */
    async create(passphrase) {
      const { session } = await createStore(
        context,
        passphrase,
        (vault) => vault.run({ kind: "change", bytes: undefined, change: { kind: "seed" } }),
      );
      return session;
    },
    async open(passphrase) {
      const given = passphrase === "passkey" ? await passkeys.unlock() : passphrase;
      return await openSession(context, await vaults.open(await readStore(files), given));
    },
    close: ({ vault }) => vault.close(),
    whenReplaced: ({ store }) => store.replaced,
  };
}

/** Creates the store with the content that `fill` returns. */
export async function createStore<T extends ChangedStore>(
  context: AppContext,
  passphrase: Secret<string>,
  fill: (vault: OpenVault) => Promise<T>,
): Promise<{ readonly session: Session; readonly content: T }> {
  const vault = await withLightFallback(
    passphrase,
    (isLight) => context.vaults.create(passphrase, { isLight }),
  );
  let content: T;
  const session = await openSession(context, vault, async () => {
    content = await fill(vault);
    checkListing(content.listing);
    await writeFirst(context, content.bytes);
    await context.files.persist();
  });
  return { session, content: content! };
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

/** Opens the notes after `prepare`. Closes the vault, which ends its worker, if one of the two fails. */
export async function openSession(
  { files }: AppContext,
  vault: OpenVault,
  prepare?: () => Promise<void>,
): Promise<Session> {
  try {
    await prepare?.();
    return { vault, store: await openNoteBook(files, vault) };
  } catch (error) {
    vault.close();
    throw error;
  }
}
