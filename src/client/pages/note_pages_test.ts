import { deepEqual } from "node:assert/strict";
import { FIELD_BYTES, writeFieldBytes } from "../../core/crypto/field.ts";
import { createNote, placeNote } from "../../core/protocol/note.ts";
import { checkNotesInPages } from "./note_pages.ts";

function bytesOf(values: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(values.length * FIELD_BYTES);
  for (const [i, value] of values.entries()) writeFieldBytes(value, bytes, i * FIELD_BYTES);
  return bytes;
}

const poolOf = (version: 1 | 2) => ({ asset: "native", amount: "10", network: "testnet", version } as const);

Deno.test("a version 1 note is absent, deposited or withdrawn", () => {
  const notes = [1, 2, 3].map(() => createNote(poolOf(1)));
  const pages = {
    leaves: bytesOf([5n, notes[1].commitment, notes[2].commitment, 6n]),
    pending: [],
    spent: bytesOf([9n, notes[2].nullifierHash]),
  };
  deepEqual(checkNotesInPages(notes, pages), [
    { state: "absent", deposits: 4, since: 4 },
    { state: "deposited", leafIndex: 1, deposits: 4, since: 2 },
    { state: "withdrawn", leafIndex: 2, deposits: 4, since: 1 },
  ]);
});

Deno.test("of a version 2 note's copies, the first that is not spent counts", () => {
  const note = createNote(poolOf(2));
  const leaves = bytesOf([note.commitment, 5n, note.commitment]);
  const [first, second] = [0, 2].map((leafIndex) => placeNote(note, leafIndex).nullifierHash);
  const found = (spent: readonly bigint[], pending: readonly bigint[] = []) => {
    const [status] = checkNotesInPages([note], { leaves, pending, spent: bytesOf(spent) });
    return [status.state, status.leafIndex, status.waits, status.unspentDeposits];
  };
  deepEqual(found([]), ["deposited", 0, undefined, 2]);
  deepEqual(found([first]), ["deposited", 2, undefined, 1]);
  deepEqual(found([second]), ["deposited", 0, undefined, 1]);
  deepEqual(found([first, second]), ["withdrawn", 2, undefined, 0]);
  deepEqual(found([first, second], [7n, note.commitment]), ["deposited", 4, true, 1]);
});

Deno.test("a value with the same last bytes is not the note's", () => {
  const note = createNote(poolOf(1));
  const alike = note.commitment ^ (1n << 200n);
  const pages = { leaves: bytesOf([alike]), pending: [alike], spent: new Uint8Array() };
  deepEqual(checkNotesInPages([note], pages).map(({ state }) => state), ["absent"]);
});
