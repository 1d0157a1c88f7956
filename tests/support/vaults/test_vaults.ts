/** Note stores in memory, opened by the vault's own tasks without a worker. */
import type { NoteFiles, Vaults } from "../../../src/app/ports.ts";
import type { AppContext, Session } from "../../../src/app/services/context.ts";
import { openSession } from "../../../src/app/services/store_service.ts";
import { openVaultTasks } from "../../../src/app/vault/vault_tasks.ts";
import { vaultsOver } from "../../../src/app/vault/vaults_over.ts";
import { createIdentity, vaultOf } from "../../../src/client/notes/note_encryption.ts";
import { type NoteStoreContent, serializeNoteStore } from "../../../src/client/notes/note_store.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { Secret } from "../../../src/core/text/secret.ts";

/** The lowest factor that age has, because the passphrases protect nothing here. */
const WORK_FACTOR = 1;
const PASSPHRASE = new Secret("correct horse battery");

/** Returns vaults with a cheap scrypt, and the number of those that are open. */
export function testVaults(): Vaults & { openCount(): number } {
  const open = new Set<symbol>();
  const vaults = vaultsOver(() => {
    const thread = Symbol();
    open.add(thread);
    const run = openVaultTasks({ normal: WORK_FACTOR, light: WORK_FACTOR });
    return {
      run: (task) => open.has(thread) ? run(task) : Promise.reject(new Problem("cancelled")),
      close: () => void open.delete(thread),
    };
  });
  return { ...vaults, openCount: () => open.size };
}

export async function encryptContent(
  content: NoteStoreContent,
  passphrase = PASSPHRASE,
): Promise<Uint8Array<ArrayBuffer>> {
  const vault = await vaultOf(await createIdentity(passphrase, WORK_FACTOR));
  return await vault.encrypt(serializeNoteStore(content));
}

/** @param onWrite is called with each file that is written */
export function memoryFiles(
  bytes?: Uint8Array<ArrayBuffer>,
  onWrite: (bytes: Uint8Array<ArrayBuffer>) => void = () => {},
): NoteFiles {
  const free = { [Symbol.dispose]() {} };
  return {
    name: "the test's store",
    read: () => Promise.resolve(bytes),
    write: (next) => Promise.resolve(onWrite(bytes = next)),
    remove: () => Promise.resolve(void (bytes = undefined)),
    lock: () => Promise.resolve(free),
    lockForWork: () => Promise.resolve(free),
    persist: () => Promise.resolve(true),
  };
}

/** Opens a store with this content. */
export async function openTestSession(content: NoteStoreContent): Promise<Session> {
  const bytes = await encryptContent(content);
  const files = memoryFiles(bytes);
  return await openSession({ files } as AppContext, await testVaults().open(bytes, PASSPHRASE));
}
