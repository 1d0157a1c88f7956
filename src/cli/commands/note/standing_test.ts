import { deepEqual } from "node:assert/strict";
import type { NoteStatus } from "../../../client/notes/note_check.ts";
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { saveStanding } from "./standing.ts";

const record = {
  id: "1",
  state: "deposited",
  deposit: { leafIndex: 3, from: "0:aa", timestamp: 5 },
} as unknown as NoteRecord;

/** Returns what is written of the note's deposit. */
async function written(status: Partial<NoteStatus>): Promise<unknown[]> {
  const changes: unknown[] = [];
  const store = {
    update: (_id: string, { deposit }: Partial<NoteRecord>) => {
      changes.push(deposit);
      return Promise.resolve(record);
    },
  } as unknown as NoteStore;
  await saveStanding(store, record, { state: "deposited", ...status } as NoteStatus);
  return changes;
}

Deno.test("a note is written again if its leaf or its depositor changed, and only then", async () => {
  const same = { leafIndex: 3, depositor: "0:aa", depositedAt: 5 };
  deepEqual(await written(same), []);
  deepEqual(await written({ ...same, depositor: "0:bb" }), [{ leafIndex: 3, from: "0:bb", timestamp: 5 }]);
  deepEqual(await written({ ...same, leafIndex: 4 }), [{ leafIndex: 4, from: "0:aa", timestamp: 5 }]);
});
