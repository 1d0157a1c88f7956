/** The note store. A note is stored before anything is sent, and each step is journaled so that a run can resume. */
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { type Note, parseNote } from "../../core/protocol/note.ts";
import { formatNoteSeed, type NoteSeed, parseNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import type { StoredContent } from "./store/note_store_schema.ts";

type StoredNoteRecord = StoredContent["notes"][number];

/** The last known state of a note. The chain is authoritative. */
export type NoteState = StoredNoteRecord["state"];

/** A note takes a few thousand bytes, and ten times as many on a page to print. */
export const MAX_NOTE_STORE_BYTES = 128_000_000;
/** Length of an id: the first digits of the commitment, which is public. */
const NOTE_ID_HEX_DIGITS = 12;

/** Contains only data that is or becomes public. */
export type WithdrawalAttempt = Omit<NonNullable<StoredNoteRecord["withdrawal"]>, "request"> & {
  readonly request: { readonly proof: Groth16Proof; readonly publicSignals: readonly string[] };
};

/** A stored note, with its journal. */
export interface NoteRecord extends NoteJournal {
  readonly id: string;
  readonly note: Secret<Note>;
  readonly text: Secret<string>;
}

/** The members of a record that contain no secret. */
export interface NoteJournal extends Readonly<Omit<StoredNoteRecord, "note" | "withdrawal" | "earlier">> {
  readonly withdrawal?: WithdrawalAttempt;
  readonly earlier?: readonly WithdrawalAttempt[];
}

/** The members of a note that contain no secret. */
export type PublicNote =
  & Pick<Note, "asset" | "amount" | "network" | "version" | "commitment">
  & Partial<Pick<Note, "nullifierHash">>; // absent for version 2, where it depends on the leaf

/** The content of a note store. */
export interface NoteStoreContent {
  /** Absent in a store of an earlier release, until its next note is created. */
  readonly seed?: NoteSeed;
  /** Oldest first. */
  readonly records: readonly NoteRecord[];
}

/** The notes of one owner, and the seed of new notes. Methods are atomic across processes; changes survive a crash. */
export interface NoteStore {
  /** Oldest first. */
  list(): Promise<readonly NoteRecord[]>;
  add(records: readonly NoteRecord[]): Promise<number>;
  /** Adds the note that `derive` returns. A store without a seed gets a new one in the same change. */
  addDerived(derive: (seed: NoteSeed, records: readonly NoteRecord[]) => NoteRecord): Promise<NoteRecord>;
  seed(): Promise<NoteSeed | undefined>;
  /** Returns the seed. A store without one gets a new one. */
  ensureSeed(): Promise<NoteSeed>;
  /** Stores a seed, or confirms that the store has it. Throws `seed_conflict` if the store has another one. */
  restoreSeed(seed: NoteSeed): Promise<void>;
  update(id: string, change: Partial<Omit<NoteRecord, "id" | "note" | "text">>): Promise<NoteRecord>;
  exportBackup(): Promise<Uint8Array>;
  createPaperCode(id: string): Promise<string>;
  /** Throws `seed_missing`. */
  createSeedPaperCode(): Promise<string>;
  /** Keeps other processes from moving money with these notes. Throws `note_store_in_use`. */
  lockForWork(): Promise<Disposable>;
}

/**
 * Returns the record of a new note.
 * @param text from {@linkcode formatNote}
 * @param createdAt Unix milliseconds
 * @throws {Problem} `invalid_note`
 * @example
 * ```ts
 * await store.add([createNoteRecord(formatNote(note), Date.now())]);
 * ```
 */
export function createNoteRecord(text: string, createdAt: number): NoteRecord {
  const note = parseNote(text);
  return { id: noteId(note), note: new Secret(note), text: new Secret(text), createdAt, state: "created" };
}

export function noteId({ commitment }: Note): string {
  return fieldToHex(commitment).slice(2, 2 + NOTE_ID_HEX_DIGITS);
}

export function findNote<T extends { readonly id: string }>(records: readonly T[], id: string): T {
  const exact = records.find((each) => each.id === id.toLowerCase());
  if (exact) return exact;
  const found = records.filter((each) => each.id.startsWith(id.toLowerCase()));
  if (found.length === 1) return found[0];
  const detail = found.length === 0 ? "no note's id begins with" : `${found.length} notes' ids begin with`;
  throw new Problem("unknown_note", `${detail} ${JSON.stringify(id)}`);
}

/** Returns the stored note. Its id differs from that of `record` if an earlier note has the same id. */
export async function addNote(store: NoteStore, record: NoteRecord): Promise<NoteRecord> {
  await store.add([record]);
  return addedNote(await store.list(), record.text);
}

export function addedNote(records: readonly NoteRecord[], text: Secret<string>): NoteRecord {
  return records.find((stored) => stored.text.reveal() === text.reveal())!;
}

/** Returns, for each id, the other notes with the same pool and nullifier. Only one of them can be paid. */
export function findNullifierTwins(
  records: readonly NoteRecord[],
): ReadonlyMap<string, readonly NoteRecord[]> {
  return findTwins(records, ({ note }) => paymentKey(note.reveal()));
}

/** Returns, for each id, the other records with the same key. */
export function findTwins<T extends { readonly id: string }>(
  records: readonly T[],
  keyOf: (record: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>(); // Map.groupBy needs Node 21
  for (const record of records) {
    const key = keyOf(record);
    groups.set(key, [...groups.get(key) ?? [], record]);
  }
  const shared = [...groups.values()].filter(({ length }) => length > 1);
  return new Map(
    shared.flatMap((group) => group.map(({ id }) => [id, group.filter((other) => other.id !== id)])),
  );
}

/** Returns a key that notes share if only one of them can be paid. */
export function paymentKey(note: PublicNote): string {
  const { asset, amount, network, version, commitment } = note;
  // In version 2 pools the nullifier hash depends on the leaf, so each of them can be paid.
  return `${asset}-${amount}-${network}-${version === 2 ? commitment : note.nullifierHash}`;
}

/**
 * Returns the content as the text that a vault encrypts.
 * @example
 * ```ts
 * const bytes = await vault.encrypt(serializeNoteStore({ seed, records: [] }));
 * ```
 */
export function serializeNoteStore({ seed, records }: NoteStoreContent): string {
  const notes = records.map((record) => {
    const { createdAt, state, pool, deposit, withdrawal, earlier } = record;
    return { note: record.text.reveal(), createdAt, state, pool, deposit, withdrawal, earlier };
  });
  const text = seed && formatNoteSeed(seed).reveal();
  return JSON.stringify({ format: "tonado-notes", version: 2, seed: text, notes });
}

/** Returns the content of a store's JSON, whose members have their types. Throws `invalid_note`, `invalid_seed`. */
export function toNoteStoreContent({ seed, notes }: StoredContent): NoteStoreContent {
  const records = notes.map(({ note, ...rest }) => ({ ...createNoteRecord(note, rest.createdAt), ...rest }));
  return { ...seed !== undefined && { seed: parseNoteSeed(seed) }, records: withUniqueIds(records) };
}

/** Numbers notes that share a short id. Ids do not change, because the store preserves the order. */
function withUniqueIds(records: readonly NoteRecord[]): NoteRecord[] {
  const counts = new Map<string, number>();
  return records.map((record) => {
    const count = (counts.get(record.id) ?? 0) + 1;
    counts.set(record.id, count);
    return count === 1 ? record : { ...record, id: `${record.id}-${count}` };
  });
}
