/** The open note store for the page: its stored bytes, and what the vault shows of them. */
import { nextFreeIndex, RECOVERY_GAP } from "../../client/notes/derived_notes.ts";
import { findNote, type NoteJournal } from "../../client/notes/note_store.ts";
import { wasDeposited } from "../../client/notes/derived_record.ts";
import { noteJournalSchema } from "../../client/notes/store/note_store_schema.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment, Deployments } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import { type Note, type NoteHashes, parseNote } from "../../core/protocol/note.ts";
import { Secret } from "../../core/text/secret.ts";
import type { NoteFiles, OpenVault } from "../ports.ts";
import type {
  BackupSource,
  ChangedStore,
  NoteEntry,
  NoteListing,
  RestoredStore,
  StoreChange,
  VaultPool,
  VaultProof,
} from "../vault/vault_task.ts";

type IsDeposited = (commitment: bigint) => boolean;
/** A note of the store, and the leaves that may be its own. */
type NoteLeaves = Readonly<{ id: string; commitment: bigint; leafIndexes: readonly number[] }>;

/** The notes of the open store. Methods are atomic across tabs; changes survive a crash. */
export interface NoteBook {
  /** Resolves if the stored file turns out to have another key: of a changed passphrase, or of another store. */
  readonly replaced: Promise<void>;
  /** Oldest first. */
  list(): Promise<readonly NoteEntry[]>;
  /** Returns the secrets of one note, for its withdrawal or report. Throws `unknown_note`. */
  reveal(id: string): Promise<Secret<Note>>;
  /** Adds the seed's next note of the pool, as `depositing`. Throws `note_gap_reached`. */
  addNext(pool: VaultPool, options: LookupOptions): Promise<NoteEntry>;
  /** Adds the deposited notes of the seed that the store lacks. Returns their number. */
  recover(pool: VaultPool, options: LookupOptions): Promise<number>;
  /** Returns the nullifier hashes of these leaves. Reading the hash of another leaf throws a RangeError. */
  hashes(leaves: readonly NoteLeaves[]): Promise<readonly NoteHashes[]>;
  update(id: string, journal: Partial<NoteJournal>): Promise<NoteEntry>;
  /** Adds a backup's content. Throws `seed_conflict` if the store has another seed. */
  restore(source: BackupSource, options: RestoreOptions): Promise<RestoredStore>;
  /** Returns what a backup proves, or undefined if it does not have this store's seed. Throws `seed_missing`. */
  verify(source: BackupSource, options: Omit<RestoreOptions, "now">): Promise<VaultProof | undefined>;
  /** Returns the proof that a backup of the whole store would have. */
  prove(pools: readonly VaultPool[]): Promise<VaultProof>;
  /** A store without a seed gets a new one. */
  ensureSeed(): Promise<void>;
  exportBackup(): Promise<Uint8Array>;
  /** Throws `seed_missing`. */
  createSeedPaperCode(): Promise<string>;
  /** Keeps other tabs from moving money with these notes. Throws `note_store_in_use`. */
  lockForWork(): Promise<Disposable>;
}

interface LookupOptions {
  readonly now: number; // Unix milliseconds
  /** Whether the pool has a leaf or a waiting deposit with this commitment. */
  readonly isDeposited: IsDeposited;
}

interface RestoreOptions {
  readonly passphrase: Secret<string>;
  readonly pools: readonly VaultPool[];
  readonly now: number; // Unix milliseconds
}

export function vaultPool(network: Network, { asset, amount, version, address }: Deployment): VaultPool {
  return { network, asset, amount, version, address: address.toRawString() };
}

export function vaultPools({ network, pools }: Deployments): VaultPool[] {
  return [...pools.values()].map((pool) => vaultPool(network, pool));
}

/** Returns the bytes of the store. Throws `note_store_corrupted` if the browser or another tab deleted them. */
export async function readStore(files: NoteFiles): Promise<Uint8Array> {
  const bytes = await files.read();
  if (bytes === undefined) throw new Problem("note_store_corrupted", "the browser has deleted the notes");
  return bytes;
}

const ARMOR_END = "-----END AGE ENCRYPTED FILE-----";
/** Exceeds the first part of a store's file. */
const MAX_HEAD_BYTES = 4_096;

/** Returns the first part of a store's file, the encrypted key, if the file has one. */
function headOf(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_HEAD_BYTES));
  const end = text.indexOf(ARMOR_END);
  return end < 0 ? undefined : text.slice(0, end);
}

/** Reads the store as long as its key is that of the first reading. `read` throws `cancelled` afterwards. */
function openReader(files: NoteFiles): { read(): Promise<Uint8Array>; readonly replaced: Promise<void> } {
  const { promise: replaced, resolve } = Promise.withResolvers<void>();
  let key: string | undefined;
  return {
    replaced,
    async read() {
      const bytes = await readStore(files);
      const found = headOf(bytes);
      key ??= found;
      if (found === undefined || found === key) return bytes;
      resolve();
      throw new Problem("cancelled", "another tab has stored the notes with another key");
    },
  };
}

/**
 * Opens the store whose bytes exist in `files`. Throws `note_store_corrupted` if it does not decrypt with this vault,
 * or is not in this version's format.
 */
export async function openNoteBook(files: NoteFiles, vault: OpenVault): Promise<NoteBook> {
  const { read, replaced } = openReader(files);
  const list = async (bytes: Uint8Array) => checkListing(await vault.run({ kind: "list", bytes }));
  /** Writes what `apply` returns for the stored bytes. */
  const change = async <T extends { bytes: Uint8Array<ArrayBuffer>; listing: NoteListing }>(
    apply: (bytes: Uint8Array) => Promise<T>,
  ): Promise<T> => {
    using _lock = await files.lock();
    const changed = await apply(await read());
    checkListing(changed.listing);
    await files.write(changed.bytes);
    return changed;
  };
  const changeBy = (kind: StoreChange) =>
    change((bytes) => vault.run({ kind: "change", bytes, change: kind }));
  await list(await read());
  return {
    replaced,
    list: async () => (await list(await read())).records,
    async reveal(id) {
      return new Secret(parseNote(await vault.run({ kind: "reveal", bytes: await read(), id })));
    },
    async addNext(pool, options) {
      const { listing, ids: [id] } = await change((bytes) => addNext(vault, bytes, pool, options));
      return findNote(listing.records, id);
    },
    async recover(pool, { now: createdAt, isDeposited }) {
      const bytes = await read();
      const { hasSeed, records } = await list(bytes);
      if (!hasSeed) return 0;
      const known = new Set(records.map(({ note }) => note.commitment));
      const indexes = (await readCommitments(vault, bytes, pool, isDeposited))
        .flatMap((commitment, index) => isDeposited(commitment) && !known.has(commitment) ? [index] : []);
      if (indexes.length === 0) return 0;
      return (await changeBy({ kind: "derive", pool, indexes, createdAt, state: "deposited" })).ids.length;
    },
    hashes: async (notes) => await readHashes(vault, await read(), notes),
    async update(id, journal) {
      const { listing, ids } = await changeBy({ kind: "update", id, journal });
      return findNote(listing.records, ids[0]);
    },
    restore: (source, { passphrase, pools, now }) =>
      change((bytes) => {
        const options = { passphrase: passphrase.reveal(), pools, createdAt: now };
        return vault.run({ kind: "restore", bytes, source, ...options });
      }),
    async verify(source, { passphrase, pools }) {
      const bytes = await read();
      return await vault.run({ kind: "verify", bytes, source, passphrase: passphrase.reveal(), pools });
    },
    prove: async (pools) => await vault.run({ kind: "prove", bytes: await read(), pools }),
    async ensureSeed() {
      if (!(await list(await read())).hasSeed) await changeBy({ kind: "seed" });
    },
    async exportBackup() {
      const bytes = await read();
      await list(bytes); // unreadable bytes must not become a backup
      return bytes;
    },
    createSeedPaperCode: async () => await vault.run({ kind: "paper", bytes: await read() }),
    lockForWork: () => files.lockForWork(),
  };
}

/** Checks the journals, which the vault passes on unchecked. Throws `note_store_corrupted`. */
export function checkListing({ hasSeed, records }: NoteListing): NoteListing {
  try {
    return {
      hasSeed,
      records: records.map(({ id, note, ...journal }) => ({ id, note, ...noteJournalSchema.parse(journal) })),
    };
  } catch { // no cause: it could quote the content
    throw new Problem("note_store_corrupted", "its content is not in this version's format");
  }
}

async function addNext(
  vault: OpenVault,
  stored: Uint8Array,
  pool: VaultPool,
  { now: createdAt, isDeposited }: LookupOptions,
): Promise<ChangedStore> {
  const seeded = await vault.run({ kind: "change", bytes: stored, change: { kind: "seed" } });
  const { bytes, listing: { records } } = seeded;
  const known = new Map(records.map((record) => [record.note.commitment, record]));
  const isKnownDeposit = (commitment: bigint) =>
    isDeposited(commitment) || wasDeposited(known.get(commitment));
  const commitments = await readCommitments(vault, bytes, pool, isKnownDeposit);
  const index = nextFreeIndex((index) => commitments[index], {
    isStored: (commitment) => known.has(commitment),
    isDeposited: isKnownDeposit,
  });
  const change: StoreChange = { kind: "derive", pool, indexes: [index], createdAt, state: "depositing" };
  return await vault.run({ kind: "change", bytes, change });
}

/** Returns the commitments of the seed's notes of a pool, as far as recovery searches. */
async function readCommitments(
  vault: OpenVault,
  bytes: Uint8Array,
  pool: VaultPool,
  isDeposited: IsDeposited,
): Promise<readonly bigint[]> {
  const commitments: bigint[] = [];
  for (let gap = 0; gap < RECOVERY_GAP;) {
    const range = { from: commitments.length, count: RECOVERY_GAP - gap };
    for (const commitment of await vault.run({ kind: "commitments", bytes, pool, ...range })) {
      commitments.push(commitment);
      gap = isDeposited(commitment) ? 0 : gap + 1;
    }
  }
  return commitments;
}

async function readHashes(
  vault: OpenVault,
  bytes: Uint8Array,
  notes: readonly NoteLeaves[],
): Promise<readonly NoteHashes[]> {
  const leaves = notes.map(({ id, leafIndexes }) => ({ id, leafIndexes }));
  const hashes = await vault.run({ kind: "nullifierHashes", bytes, leaves });
  return notes.map(({ commitment, leafIndexes }, i) => {
    const byLeaf = new Map(leafIndexes.map((leafIndex, k) => [leafIndex, hashes[i][k]]));
    return {
      commitment,
      nullifierHashAt(leafIndex) {
        const hash = byLeaf.get(leafIndex);
        if (hash === undefined) throw new RangeError(`no hash of leaf ${leafIndex}`);
        return hash;
      },
    };
  });
}
