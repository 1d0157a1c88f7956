/** The note store. A note is stored before anything is sent, and each step is journaled so that a run can resume. */
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { type Note, parseNote } from "../../core/protocol/note.ts";
import { formatNoteSeed, type NoteSeed, parseNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { proofSchema } from "../../core/crypto/proof_schema.ts";
import { Secret } from "../../core/text/secret.ts";

const noteStates = ["created", "depositing", "deposited", "withdrawing", "withdrawn"] as const;
/** The last known state of a note. The chain is authoritative. */
export type NoteState = (typeof noteStates)[number];

/** A note takes a few thousand bytes, and ten times as many on a page to print. */
export const MAX_NOTE_STORE_BYTES = 128_000_000;
/** Length of an id: the first digits of the commitment, which is public. */
const NOTE_ID_HEX_DIGITS = 12;

const decimalSchema = z.string().regex(/^(0|[1-9][0-9]{0,90})$/);
const withdrawalSchema = z.object({
  relayer: z.string().optional(), // absent: the user's own wallet sent it
  recipient: z.string(),
  fee: decimalSchema, // in the pool's asset
  refund: decimalSchema, // nano
  request: z.object({ proof: proofSchema, publicSignals: z.array(decimalSchema) }),
  at: z.number(), // Unix milliseconds
});
const noteRecordSchema = z.object({
  note: z.string(),
  state: z.enum(noteStates),
  createdAt: z.number(), // Unix milliseconds
  pool: z.string().optional(), // raw address
  deposit: z.object({
    from: z.string().optional(), // raw address of the paying wallet, once known
    leafIndex: z.number().optional(),
    timestamp: z.number().optional(), // Unix seconds of the block
  }).optional(),
  /** The last attempt; for a withdrawn note, the one that was paid. */
  withdrawal: withdrawalSchema.optional(),
  /** Oldest first. Until the note is withdrawn, each may still pay its recipient. */
  earlier: z.array(withdrawalSchema).optional(),
});
const noteStoreSchema = z.object({
  format: z.literal("tonado-notes"),
  version: z.literal([1, 2]), // 1: without a seed
  seed: z.string().optional(),
  notes: z.array(noteRecordSchema),
});

type StoredNoteRecord = z.output<typeof noteRecordSchema>;
/** Contains only data that is or becomes public. */
export type WithdrawalAttempt = Omit<NonNullable<StoredNoteRecord["withdrawal"]>, "request"> & {
  readonly request: { readonly proof: Groth16Proof; readonly publicSignals: readonly string[] };
};

/** A stored note, with its journal. */
export interface NoteRecord extends Readonly<Omit<StoredNoteRecord, "note" | "withdrawal" | "earlier">> {
  readonly id: string;
  readonly note: Secret<Note>;
  readonly text: Secret<string>;
  readonly withdrawal?: WithdrawalAttempt;
  readonly earlier?: readonly WithdrawalAttempt[];
}

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

export function findNote(records: readonly NoteRecord[], id: string): NoteRecord {
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
  const groups = new Map<string, NoteRecord[]>(); // Map.groupBy needs Node 21
  for (const record of records) {
    const key = paymentKey(record);
    groups.set(key, [...groups.get(key) ?? [], record]);
  }
  const shared = [...groups.values()].filter(({ length }) => length > 1);
  return new Map(
    shared.flatMap((group) => group.map(({ id }) => [id, group.filter((other) => other.id !== id)])),
  );
}

function paymentKey({ note }: NoteRecord): string {
  const { asset, amount, network, version, nullifier, commitment } = note.reveal();
  // In version 2 pools the nullifier hash depends on the leaf, so each of them can be paid.
  return `${asset}-${amount}-${network}-${version === 2 ? commitment : nullifier}`;
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

/**
 * Parses the decrypted text of a note store.
 * @param text from {@linkcode serializeNoteStore}
 * @throws {Problem} `note_store_corrupted`
 * @example
 * ```ts
 * const { records } = parseNoteStore(await vault.decrypt(bytes));
 * ```
 */
export function parseNoteStore(text: string): NoteStoreContent {
  try {
    const { seed, notes } = noteStoreSchema.parse(JSON.parse(text));
    const records = notes.map(({ note, ...rest }) => ({
      ...createNoteRecord(note, rest.createdAt),
      ...rest,
    }));
    return { ...seed !== undefined && { seed: parseNoteSeed(seed) }, records: withUniqueIds(records) };
  } catch { // no cause: it could quote decrypted text
    throw new Problem(
      "note_store_corrupted",
      "it was decrypted, but its content is not in this version's format",
    );
  }
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
