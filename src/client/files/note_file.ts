/**
 * Notes in one encrypted file that only its owner may read. A change is written beside it, synced, and renamed over it,
 * under a lock: a reader sees the file before or after, never between, and no writer undoes another's change.
 */
import { tryLock } from "../../config/file_lock.ts";
import { readWhole } from "../../config/whole_file.ts";
import { Problem } from "../../core/errors.ts";
import type { Secret } from "../../core/secret.ts";
import {
  findNote,
  formatRecords,
  LARGEST_NOTES,
  type NoteRecord,
  type NoteStore,
  parseRecords,
} from "../note_store.ts";
import { sealCode } from "../paper_code.ts";
import { createVault, openVault, type Vault } from "../note_vault.ts";

/** How long a change waits for another process's change: each takes milliseconds. */
const PATIENCE_MS = 20_000;
const RETRY_MS = 20;

/** A place for notes. */
export interface NoteFile {
  exists(): Promise<boolean>;
  /**
   * Opens the notes, or makes the file when there is none.
   *
   * @throws {Problem} `notes_locked`, `notes_damaged`, `notes_busy`, `invalid_config` when it cannot be read, `cannot_write`
   */
  open(passphrase: Secret<string>): Promise<NoteStore>;
}

/**
 * The file at `path`.
 *
 * @param workFactor see {@linkcode createVault}
 * @param most bytes that the file may have: more is neither read nor written
 */
export function noteFile(
  path: string,
  { workFactor, most = LARGEST_NOTES }: { workFactor?: number; most?: number } = {},
): NoteFile {
  async function read(): Promise<Uint8Array | undefined> {
    try {
      return await Promise.resolve(readWhole(path, most));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw unusable(path, "read", error);
    }
  }

  async function store(vault: Vault, passphrase: Secret<string>): Promise<NoteStore> {
    // Of this file: one that was replaced by another store does not open with this key.
    const load = async () => {
      const bytes = await read();
      if (!bytes) throw new Problem("notes_damaged", `${path} is gone`);
      return parseRecords(await vault.open(bytes));
    };
    const change = async <T>(apply: (records: NoteRecord[]) => T): Promise<T> => {
      using _ = await lock(`${path}.lock`, PATIENCE_MS);
      const records = await load();
      const result = apply(records);
      const sealed = await vault.seal(formatRecords(records));
      if (sealed.length > most) {
        const full = new Error(`it would have ${sealed.length} bytes, more than ${most}`);
        throw unusable(path, "written", full);
      }
      await write(path, sealed);
      return result;
    };
    await load();
    return {
      list: load,
      add: (added) =>
        change((records) => {
          const known = new Set(records.map(({ id }) => id));
          const fresh = added.filter(({ id }) => !known.has(id) && known.add(id));
          records.push(...fresh);
          return fresh.length;
        }),
      update: (id, changed) =>
        change((records) => {
          const found = findNote(records, id);
          return records[records.indexOf(found)] = { ...found, ...changed };
        }),
      async backup() {
        await load(); // what cannot be read is no backup
        return (await read())!;
      },
      paperCode: async (id) => await sealCode(findNote(await load(), id).text, passphrase, workFactor),
      work: () => lock(`${path}.work`, 0),
    };
  }

  return {
    exists: async () => await read() !== undefined,
    async open(passphrase) {
      const bytes = await read();
      if (bytes) return await store(await openVault(bytes, passphrase), passphrase);
      const vault = await createVault(passphrase, workFactor);
      await directory(path);
      {
        using _ = await lock(`${path}.lock`, PATIENCE_MS);
        const other = await read(); // made by another process in the meantime
        if (!other) await write(path, await vault.seal(formatRecords([])));
      }
      return await store(await openVault((await read())!, passphrase), passphrase);
    },
  };
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    {
      using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
      await file.sync();
    }
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw unusable(path, "written", error);
  }
  await syncDirectory(path);
}

/** The new name is on the disk only when its directory is (rename(2)); where directories cannot be synced, the system sees to it. */
async function syncDirectory(path: string): Promise<void> {
  try {
    using dir = await Deno.open(parent(path), { read: true });
    await dir.sync();
  } catch {
    // Windows has no such thing.
  }
}

async function directory(path: string): Promise<void> {
  try {
    await Deno.mkdir(parent(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(path, "written", error);
  }
}

function parent(path: string): string {
  return path.replace(/[^/\\]*$/, "") || ".";
}

/** The system releases it when the process ends, however it ends. */
async function lock(path: string, patienceMs: number): Promise<Disposable> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  } catch (error) {
    throw unusable(path, "written", error);
  }
  for (let waited = 0; !await tryLock(file); waited += RETRY_MS) {
    if (waited >= patienceMs) {
      file.close();
      throw new Problem("notes_busy");
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return { [Symbol.dispose]: () => file.close() };
}

function unusable(path: string, how: "read" | "written", cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (how === "written") {
    return new Problem("cannot_write", `the note store ${path} cannot be written: ${reason}`, {
      todo:
        "Make room, or name another place with --notes or TONADO_NOTES: what was in the store is as it was.",
      cause,
    });
  }
  return new Problem("invalid_config", undefined, {
    errors: [{ pointer: "TONADO_NOTES", detail: `${path} cannot be ${how}: ${reason}` }],
    cause,
  });
}
