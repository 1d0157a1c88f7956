/** A note store over any storage of bytes: a file for the command line, a database record in a browser. */
import { Problem } from "../../core/errors/problem.ts";
import { formatNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../core/text/secret.ts";
import type { NoteVault } from "./note_encryption.ts";
import {
  addDerivedRecord,
  addRecords,
  addSeed,
  type Change,
  updateRecord,
  withSeed,
} from "./store/note_changes.ts";
import {
  addedNote,
  findNote,
  type NoteStore,
  type NoteStoreContent,
  serializeNoteStore,
} from "./note_store.ts";
import { parseNoteStore } from "./store/note_store_text.ts";

/** Stores the encrypted bytes of a note store. Each write replaces all of them atomically, and survives a crash. */
export interface NoteStorage {
  /** Names the store in messages. */
  readonly name: string;
  read(): Promise<Uint8Array | undefined>;
  /** Throws `write_failed`; the earlier bytes remain then. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Excludes other writers for the time of one change. */
  lock(): Promise<Disposable>;
  /** Locks like {@linkcode NoteStore.lockForWork}. */
  lockForWork(): Promise<Disposable>;
}

/**
 * Opens the store whose bytes exist in `storage`.
 * @param toPaperCode encrypts the text of a note or seed for print
 * @throws {Problem} `note_store_corrupted` if it does not decrypt with this vault; the store's methods also
 *   `unknown_note`, `seed_missing`, `seed_conflict`
 * @example
 * ```ts
 * const store = await openStoredNotes(storage, vault, (text) => encryptPaperCode(text, passphrase));
 * ```
 */
export async function openStoredNotes(
  storage: NoteStorage,
  vault: NoteVault,
  toPaperCode: (text: Secret<string>) => Promise<string>,
): Promise<NoteStore> {
  // Fails if the bytes were replaced by those of another store.
  const readBytes = async () => {
    const bytes = await storage.read();
    if (!bytes) throw new Problem("note_store_corrupted", `${storage.name} no longer exists`);
    return bytes;
  };
  const load = async () => parseNoteStore(await vault.decrypt(await readBytes()));
  const change = async <T>(apply: (content: NoteStoreContent) => Change<T>): Promise<T> => {
    using _lock = await storage.lock();
    const { content, result } = apply(await load());
    await storage.write(await vault.encrypt(serializeNoteStore(content)));
    return result;
  };
  await load();
  return {
    list: async () => (await load()).records,
    add: (added) => change((content) => addRecords(content, added)),
    async addDerived(derive) {
      const text = await change((content) => addDerivedRecord(content, derive));
      return addedNote((await load()).records, text);
    },
    seed: async () => (await load()).seed,
    ensureSeed: async () => (await load()).seed ?? await change(addSeed),
    restoreSeed: (seed) => change((content) => ({ content: withSeed(content, seed), result: undefined })),
    update: (id, changed) => change((content) => updateRecord(content, id, changed)),
    async exportBackup() {
      await load(); // unreadable bytes must not become a backup
      return await readBytes();
    },
    createPaperCode: async (id) => await toPaperCode(findNote((await load()).records, id).text),
    async createSeedPaperCode() {
      const { seed } = await load();
      if (!seed) throw new Problem("seed_missing");
      return await toPaperCode(formatNoteSeed(seed));
    },
    lockForWork: () => storage.lockForWork(),
  };
}
