/**
 * Where a depositor keeps notes. A note is written here before anything is sent, because from then on it is the money; what
 * is done with it is written beside it, so that a program that was cut off can go on. Implementation: an encrypted file.
 */
import { z } from "zod";
import { Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import type { Groth16Proof } from "../core/groth16.ts";
import { type Note, parseNote } from "../core/note.ts";
import { proofSchema } from "../core/proof_schema.ts";
import { Secret } from "../core/secret.ts";

/** What was last known of a note; the chain knows better. */
export const noteStates = ["created", "depositing", "deposited", "withdrawing", "withdrawn"] as const;
export type NoteState = (typeof noteStates)[number];

/** Bytes of a note store or of a backup, at most: a note takes some thousand, and on a page some ten thousand. */
export const LARGEST_NOTES = 128_000_000;
/** Hex digits of the commitment that name a note to its owner: public, unlike the note. */
const ID_DIGITS = 12;

const decimal = z.string().regex(/^(0|[1-9][0-9]{0,90})$/);
const withdrawal = z.object({
  /** Base URL; absent: sent by a wallet of one's own. */
  relayer: z.string().optional(),
  recipient: z.string(),
  /** In the pool's asset. */
  fee: decimal,
  /** Nano. */
  refund: decimal,
  /** What was, or was about to be, submitted. */
  request: z.object({ proof: proofSchema, publicSignals: z.array(decimal) }),
  /** Unix milliseconds. */
  at: z.number(),
});
const record = z.object({
  note: z.string(),
  state: z.enum(noteStates),
  /** Unix milliseconds. */
  createdAt: z.number(),
  /** Raw address. */
  pool: z.string().optional(),
  deposit: z.object({
    /** Who paid, or was to pay, raw address; absent until it is known. */
    from: z.string().optional(),
    leafIndex: z.number().optional(),
    /** Unix seconds of the block. */
    timestamp: z.number().optional(),
  }).optional(),
  /** The last one that was begun; of a note that is withdrawn the one that paid. */
  withdrawal: withdrawal.optional(),
  /** Others that were begun, oldest first: until the note is withdrawn each may still pay its own recipient. */
  earlier: z.array(withdrawal).optional(),
});
const document = z.object({
  format: z.literal("tonado-notes"),
  version: z.literal(1),
  notes: z.array(record),
});

type Written = z.output<typeof record>;
/** A withdrawal that was begun: all of it is public or becomes so. */
export type WithdrawalJournal = Omit<NonNullable<Written["withdrawal"]>, "request"> & {
  readonly request: { readonly proof: Groth16Proof; readonly publicSignals: readonly string[] };
};

/** A note and what became of it. */
export interface NoteRecord extends Readonly<Omit<Written, "note" | "withdrawal" | "earlier">> {
  /** The first digits of its commitment. */
  readonly id: string;
  readonly note: Secret<Note>;
  /** The note string. */
  readonly text: Secret<string>;
  readonly withdrawal?: WithdrawalJournal;
  readonly earlier?: readonly WithdrawalJournal[];
}

/** The notes of one owner. Every method is atomic, also among processes, and what it has written outlives a crash. */
export interface NoteStore {
  /** Oldest first. */
  list(): Promise<readonly NoteRecord[]>;
  /** Adds notes; one that is there already stays as it is. @returns how many were new */
  add(records: readonly NoteRecord[]): Promise<number>;
  /** Changes one. @throws {Problem} `unknown_note` */
  update(id: string, change: Partial<Omit<NoteRecord, "id" | "note" | "text">>): Promise<NoteRecord>;
  /** All of it, encrypted: a file that {@linkcode NoteStore} of the same passphrase reads. */
  backup(): Promise<Uint8Array>;
  /** One note for paper, under the store's passphrase by itself. @throws {Problem} `unknown_note` */
  paperCode(id: string): Promise<string>;
  /** Keeps other processes from moving money with these notes until it is disposed. @throws {Problem} `notes_busy` */
  work(): Promise<Disposable>;
}

/** A record of a note that nothing was done with yet. @throws {Problem} `invalid_note` */
export function newRecord(text: string, createdAt: number): NoteRecord {
  const note = parseNote(text);
  return { id: noteId(note), note: new Secret(note), text: new Secret(text), createdAt, state: "created" };
}

/** How a note is called where it must not be shown. */
export function noteId({ commitment }: Note): string {
  return toHex(commitment).slice(2, 2 + ID_DIGITS);
}

/** The one note whose id begins so. @throws {Problem} `unknown_note` for none or several */
export function findNote(records: readonly NoteRecord[], id: string): NoteRecord {
  const found = records.filter((each) => each.id.startsWith(id.toLowerCase()));
  if (found.length === 1) return found[0];
  const detail = found.length === 0 ? "no note's id begins with" : `${found.length} notes' ids begin with`;
  throw new Problem("unknown_note", `${detail} ${JSON.stringify(id)}`);
}

/** What is encrypted. */
export function formatRecords(records: readonly NoteRecord[]): string {
  const notes = records.map(({ id: _, note: __, text, ...rest }) => ({ note: text.reveal(), ...rest }));
  return JSON.stringify({ format: "tonado-notes", version: 1, notes });
}

/** @throws {Problem} `notes_damaged` for anything that {@linkcode formatRecords} has not written */
export function parseRecords(text: string): NoteRecord[] {
  try {
    return document.parse(JSON.parse(text)).notes.map(({ note, ...rest }) => ({
      ...newRecord(note, rest.createdAt),
      ...rest,
    }));
  } catch { // no cause: it could quote what was decrypted
    throw new Problem(
      "notes_damaged",
      "it was decrypted, but does not hold notes as this version writes them",
    );
  }
}
