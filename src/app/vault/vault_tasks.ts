/** Runs the tasks of one note store. The page gets nothing that could spend a note, except one note at a time. */
import {
  createIdentity,
  identityOf,
  LIGHT_WORK_FACTOR,
  type NoteIdentity,
  type NoteVault,
  SCRYPT_WORK_FACTOR,
  vaultOf,
  workFactorOf,
} from "../../client/notes/note_encryption.ts";
import { addRecords, addSeed, updateRecord, withSeed } from "../../client/notes/store/note_changes.ts";
import {
  createNoteRecord,
  findNote,
  type NoteRecord,
  type NoteStoreContent,
  serializeNoteStore,
} from "../../client/notes/note_store.ts";
import { encryptPaperCode } from "../../client/notes/paper/paper_code.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatNote, placeNote } from "../../core/protocol/note.ts";
import { formatNoteSeed, type NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { noteOfPool, proofOf } from "./backup_proof.ts";
import { listingOf, parseContent, publicNote, readBackup, readContent } from "./vault_content.ts";
import type { ChangedStore, StoreChange, VaultResults, VaultTask } from "./vault_task.ts";

/** Base-2 logarithms of scrypt's cost, for new stores. Tests use lower ones. */
interface WorkFactors {
  readonly normal: number;
  readonly light: number;
}

interface OpenKey {
  readonly vault: NoteVault;
  readonly passphrase: Secret<string>;
  /** The cost that this device could compute, which paper codes use as well. */
  readonly workFactor: number;
  /** Decrypts a store. Keeps the last one, because most tasks need the same. */
  read(bytes: Uint8Array): Promise<NoteStoreContent>;
}

type TaskOf<Kind extends VaultTask["kind"]> = VaultTask & { readonly kind: Kind };
type Handlers = {
  readonly [Kind in VaultTask["kind"]]: (task: TaskOf<Kind>) => Promise<VaultResults[Kind]>;
};

/** Distinguishes a wallet's session from a note store, which the same key encrypts and the page must not read. */
const SESSION_PREFIX = "tonado-wallet-session ";
const EMPTY: NoteStoreContent = { records: [] };

/** Returns a function that runs the tasks of one store. Its key and notes are in no other place. */
export function openVaultTasks(
  { normal, light }: WorkFactors = { normal: SCRYPT_WORK_FACTOR, light: LIGHT_WORK_FACTOR },
): <One extends VaultTask>(task: One) => Promise<VaultResults[One["kind"]]> {
  let open: OpenKey | undefined;
  let renewed: OpenKey | undefined;
  const createKey = async (passphrase: string, isLight: boolean) =>
    await toKey(await createIdentity(new Secret(passphrase), isLight ? light : normal), passphrase);
  const openKey = async (bytes: Uint8Array, passphrase: string) =>
    await toKey(await identityOf(bytes, new Secret(passphrase)), passphrase);
  const key = () => open ?? closed();
  const read = (bytes: Uint8Array | undefined) => bytes ? key().read(bytes) : EMPTY;
  const write = async ({ content, changed }: Applied): Promise<ChangedStore> => {
    const text = serializeNoteStore(content);
    const listing = listingOf(parseContent(text)); // numbers ids that several notes share
    const ids = changed.map((position) => listing.records[position].id);
    return { bytes: await key().vault.encrypt(text), listing, ids };
  };
  const handlers: Handlers = {
    create: async ({ passphrase, isLight }) => void (open = await createKey(passphrase, isLight)),
    open: async ({ bytes, passphrase }) => void (open = await openKey(bytes, passphrase)),
    list: async ({ bytes }) => listingOf(await read(bytes)),
    reveal: async ({ bytes, id }) => findNote((await read(bytes)).records, id).text.reveal(),
    change: async ({ bytes, change }) => await write(apply(await read(bytes), change)),
    async restore({ bytes, source, passphrase, pools, createdAt }) {
      const backup = await readBackup(source, new Secret(passphrase), createdAt);
      const before = await read(bytes);
      const seeded = backup.seed ? withSeed(before, backup.seed) : before;
      const found = backup.records.map(publicNote);
      return { ...await write(add(seeded, backup.records)), found, proof: proofOf(backup, pools) };
    },
    async verify({ bytes, source, passphrase, pools }) {
      const ours = seedOf(await read(bytes));
      const backup = await readBackup(source, new Secret(passphrase), 0);
      const isOurs = backup.seed !== undefined &&
        formatNoteSeed(backup.seed).reveal() === formatNoteSeed(ours).reveal();
      return isOurs ? proofOf(backup, pools) : undefined;
    },
    prove: async ({ bytes, pools }) => proofOf(await read(bytes), pools),
    async commitments({ bytes, pool, from, count }) {
      const seed = seedOf(await read(bytes));
      return Array.from({ length: count }, (_, i) => noteOfPool(seed, pool, from + i).commitment);
    },
    async nullifierHashes({ bytes, leaves }) {
      const { records } = await read(bytes);
      return leaves.map(({ id, leafIndexes }) => {
        const note = findNote(records, id).note.reveal();
        return leafIndexes.map((leafIndex) => placeNote(note, leafIndex).nullifierHash);
      });
    },
    async paper({ bytes }) {
      const { passphrase, workFactor } = key();
      return await encryptPaperCode(formatNoteSeed(seedOf(await read(bytes))), passphrase, workFactor);
    },
    sealSession: async ({ session }) => await key().vault.encrypt(SESSION_PREFIX + session),
    async openSession({ bytes }) {
      const text = await key().vault.decrypt(bytes);
      if (text.startsWith(SESSION_PREFIX)) return text.slice(SESSION_PREFIX.length);
      throw new Problem("note_store_corrupted", "it is not the session of a wallet");
    },
    async renew({ bytes, current, next, isLight }) {
      open = await openKey(bytes, current); // the page cannot read an open store with a passphrase of its choice
      renewed = await createKey(next, isLight);
    },
    reencrypt: async ({ bytes }) =>
      await (renewed ?? closed()).vault.encrypt(await key().vault.decrypt(bytes)),
  };
  return async (task) => await (handlers[task.kind] as (task: VaultTask) => Promise<never>)(task);
}

function apply(content: NoteStoreContent, change: StoreChange): Applied {
  switch (change.kind) {
    case "seed":
      return { content: addSeed(content).content, changed: [] };
    case "derive": {
      const { pool, indexes, state, createdAt } = change;
      const seed = seedOf(content);
      return add(
        content,
        indexes.map((index) => ({
          ...createNoteRecord(formatNote(noteOfPool(seed, pool, index)), createdAt),
          pool: pool.address,
          state,
        })),
      );
    }
    case "update": {
      const { content: updated, result } = updateRecord(content, change.id, change.journal);
      return { content: updated, changed: [updated.records.indexOf(result)] };
    }
  }
}

interface Applied {
  readonly content: NoteStoreContent;
  /** The positions of the notes that were added or changed. */
  readonly changed: readonly number[];
}

function add(content: NoteStoreContent, records: readonly NoteRecord[]): Applied {
  const { content: added } = addRecords(content, records);
  const changed = added.records.map((_, position) => position).slice(content.records.length);
  return { content: added, changed };
}

async function toKey(identity: NoteIdentity, passphrase: string): Promise<OpenKey> {
  const vault = await vaultOf(identity);
  let last: { readonly bytes: Uint8Array; readonly content: NoteStoreContent } | undefined;
  return {
    vault,
    passphrase: new Secret(passphrase),
    workFactor: workFactorOf(identity.head),
    async read(bytes) {
      if (!last || !isEqual(last.bytes, bytes)) last = { bytes, content: await readContent(vault, bytes) };
      return last.content;
    },
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function seedOf({ seed }: NoteStoreContent): NoteSeed {
  if (!seed) throw new Problem("seed_missing");
  return seed;
}

function closed(): never {
  throw new Problem("cancelled", "the notes are locked");
}
