import { equal } from "node:assert/strict";
import { createNoteRecord } from "../../../client/notes/note_store.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { entryOf } from "../../vault/vault_content.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import { checkSide } from "./check_side.ts";

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function noteThat(
  journal: Partial<NoteEntry>,
  { ageMs = 2 * HOUR_MS, version = 2 }: { ageMs?: number; version?: 1 | 2 } = {},
): NoteEntry {
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version });
  return { ...entryOf(createNoteRecord(formatNote(note), NOW - ageMs)), ...journal };
}

const settled = { leafIndex: 1, settled: true };
const cases: readonly [
  name: string,
  records: readonly NoteEntry[],
  visit: { isPaying?: boolean; hasAsked?: boolean },
  side: ReturnType<typeof checkSide>,
][] = [
  ["no note", [], {}, undefined],
  [
    "a settled deposit, a payment and an unpaid note: nothing can change",
    [
      noteThat({ state: "deposited", deposit: settled }),
      noteThat({ state: "deposited" }, { version: 1 }),
      noteThat({ state: "withdrawn" }),
      noteThat({ state: "created" }),
      noteThat({ state: "depositing" }),
    ],
    {},
    undefined,
  ],
  ["a new deposit that waits", [noteThat({ state: "deposited" }, { ageMs: 60_000 })], {}, "deposit"],
  [
    "a new deposit beside an old one that waits",
    [
      noteThat({ state: "depositing" }, { ageMs: 60_000 }),
      noteThat({ state: "deposited" }),
    ],
    {},
    "deposit",
  ],
  [
    "a new deposit beside a withdrawal",
    [
      noteThat({ state: "depositing" }, { ageMs: 60_000 }),
      noteThat({ state: "withdrawing" }),
    ],
    {},
    undefined,
  ],
  ["an old deposit that waits", [noteThat({ state: "deposited" })], {}, "withdrawal"],
  ["a withdrawal that is under way", [noteThat({ state: "withdrawing" })], {}, "withdrawal"],
  ["the user asked", [], { hasAsked: true }, "withdrawal"],
  ["the user asked, then opened a deposit", [noteThat({ state: "withdrawing" })], {
    hasAsked: true,
    isPaying: true,
  }, undefined],
];

for (const [name, records, visit, side] of cases) {
  Deno.test(`check side: ${name}`, () =>
    equal(checkSide(records, { now: NOW, isPaying: false, hasAsked: false, ...visit }), side));
}
