import { deepEqual } from "node:assert/strict";
import { createNoteRecord, findTwins, paymentKey } from "../../../client/notes/note_store.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { entryOf } from "../../vault/vault_content.ts";
import type { AppPorts } from "../app_ports.ts";
import { toRow } from "./note_rows.ts";

Deno.test("a deposit that waits for half an hour is overdue, and no other note is", () => {
  const now = 1_700_000_000;
  const ports = {
    context: { registry: { network: "testnet" }, clock: { now: () => now * 1000 } },
  } as unknown as AppPorts;
  const overdue = (age: number, version: 1 | 2, isSettled: boolean) => {
    const note = createNote({ asset: "native", amount: "1", network: "testnet", version });
    const record = {
      ...entryOf(createNoteRecord(formatNote(note), 1)),
      state: "deposited" as const,
      deposit: { timestamp: now - age },
    };
    const facts = new Map(isSettled ? [[record.id, { state: "deposited" as const, deposits: 1 }]] : []);
    const { isOverdue, state } = toRow(
      ports,
      record,
      {
        step: "idle",
        result: { facts, recovered: 0, unread: [] },
      },
      undefined,
      new Map(),
    );
    return [isOverdue, state];
  };
  deepEqual(overdue(1_700, 2, false), [false, "waiting"]);
  deepEqual(overdue(1_900, 2, false), [true, "waiting"]);
  deepEqual(overdue(1_900, 2, true), [false, "deposited"]);
  deepEqual(overdue(1_900, 1, false), [false, "deposited"]);
});

Deno.test("notes that share a nullifier are shown as such", () => {
  const ports = {
    context: { registry: { network: "testnet" }, clock: { now: () => 0 } },
  } as unknown as AppPorts;
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 1 });
  const other = createNote({ asset: "native", amount: "1", network: "testnet", version: 1 });
  const records = [note, { ...other, nullifier: note.nullifier }, other]
    .map((each) => entryOf(createNoteRecord(formatNote(each), 1)));
  const twins = findTwins(records, ({ note }) => paymentKey(note));
  const rows = records.map((record) => toRow(ports, record, { step: "idle" }, undefined, twins));
  deepEqual(rows.map(({ hasNullifierTwin }) => hasNullifierTwin), [true, true, false]);
});
