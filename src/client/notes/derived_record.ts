import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import { formatNote, type Note } from "../../core/protocol/note.ts";
import type { NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { nextDerivedNote } from "./derived_notes.ts";
import { createNoteRecord, type NoteRecord, type NoteState } from "./note_store.ts";

/** `now` in Unix milliseconds; `isDeposited`: in the pool, if it was read. Throws `note_gap_reached`. */
export function deriveNextNote(
  seed: NoteSeed,
  records: readonly NoteRecord[],
  { network, pool, now, isDeposited = () => false }: {
    readonly network: Network;
    readonly pool: Deployment;
    readonly now: number;
    readonly isDeposited?: (commitment: bigint) => boolean;
  },
): NoteRecord {
  const stored = new Map(records.map((record) => [record.note.reveal().commitment, record]));
  const { note } = nextDerivedNote(seed, network, pool, {
    isStored: (commitment) => stored.has(commitment),
    isDeposited: (commitment) => isDeposited(commitment) || wasDeposited(stored.get(commitment)),
  });
  return derivedRecord(note, pool, now);
}

/** Whether the journal shows that the note was deposited at some time. */
export function wasDeposited(journal: Pick<NoteRecord, "deposit" | "state"> | undefined): boolean {
  return journal !== undefined &&
    (journal.deposit?.leafIndex !== undefined || !UNPAID_STATES.has(journal.state));
}

export function derivedRecord(note: Note, { address }: Deployment, createdAt: number): NoteRecord {
  return { ...createNoteRecord(formatNote(note), createdAt), pool: address.toRawString() };
}

const UNPAID_STATES: ReadonlySet<NoteState> = new Set<NoteState>(["created", "depositing"]);
