/** Finds deposited and spent notes on this device, in whole downloaded pages. */
import { bytesToBigint, FIELD_BYTES } from "../../core/crypto/field.ts";
import { type Note, type NoteHashes, toNoteHashes } from "../../core/protocol/note.ts";
import type { NoteStatus } from "../notes/note_check.ts";

/** The public data of a pool that notes are searched in. */
export interface NotePages {
  /** 32 bytes each, big-endian. */
  readonly leaves: Uint8Array;
  /** Commitments that wait for their settlement, after the leaves. */
  readonly pending: readonly bigint[];
  /** Nullifier hashes, 32 bytes each. */
  readonly spent: Uint8Array;
}

/** The part of a {@linkcode NoteStatus} that pages contain: no times and no payments. */
export type NotePageStatus = Pick<
  NoteStatus,
  "state" | "leafIndex" | "waits" | "unspentDeposits" | "deposits" | "since"
>;

/**
 * Returns the state of each note. No server learns about the notes. Of several leaves with a note's commitment, it reports
 * the first that can still be withdrawn.
 * @example
 * ```ts
 * const [{ state }] = checkNotesInPages([note], await downloadPoolPages(relayer, pool));
 * ```
 */
export function checkNotesInPages(notes: readonly Note[], pages: NotePages): NotePageStatus[] {
  return checkHashesInPages(notes.map(toNoteHashes), pages);
}

/** Returns, for each commitment, the settled leaves that have it. */
export function findLeaves(
  commitments: readonly bigint[],
  { leaves }: Pick<NotePages, "leaves">,
): readonly (readonly number[])[] {
  const places = findPositions(leaves, commitments);
  return commitments.map((commitment) => places.get(commitment) ?? []);
}

/** Like {@linkcode checkNotesInPages}, without the notes' secrets. */
export function checkHashesInPages(
  notes: readonly NoteHashes[],
  { leaves, pending, spent }: NotePages,
): NotePageStatus[] {
  const settled = leaves.length / FIELD_BYTES;
  const places = findPositions(leaves, notes.map(({ commitment }) => commitment));
  const placed = notes.map((note) =>
    (places.get(note.commitment) ?? []).map((leafIndex) => note.nullifierHashAt(leafIndex))
  );
  const hashes = placed.flat();
  const used = findPositions(spent, hashes);
  const deposits = settled + pending.length;
  return notes.map((note, i) => {
    const leafIndexes = places.get(note.commitment) ?? [];
    const waiting = pending.flatMap((commitment, k) => commitment === note.commitment ? [settled + k] : []);
    const unspent = [...leafIndexes.filter((_, k) => !used.has(placed[i][k])), ...waiting];
    const leafIndex = unspent[0] ?? leafIndexes.at(-1);
    if (leafIndex === undefined) return { state: "absent", deposits, since: deposits };
    return {
      ...leafIndex >= settled && { waits: true as const },
      state: unspent.length > 0 ? "deposited" : "withdrawn",
      ...leafIndexes.length + waiting.length > 1 && { unspentDeposits: unspent.length },
      leafIndex,
      deposits,
      since: deposits - leafIndex - 1,
    };
  });
}

function findPositions(
  bytes: Uint8Array,
  values: readonly bigint[],
): ReadonlyMap<bigint, readonly number[]> {
  const byTail = new Map<number, bigint[]>();
  for (const value of values) {
    const tail = Number(BigInt.asUintN(32, value));
    byTail.set(tail, [...byTail.get(tail) ?? [], value]);
  }
  const found = new Map<bigint, number[]>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += FIELD_BYTES) {
    const candidates = byTail.get(view.getUint32(at + FIELD_BYTES - 4));
    if (candidates === undefined) continue;
    const value = bytesToBigint(bytes.subarray(at, at + FIELD_BYTES));
    if (candidates.includes(value)) found.set(value, [...found.get(value) ?? [], at / FIELD_BYTES]);
  }
  return found;
}
