import { deepEqual } from "node:assert/strict";
import { createNoteRecord, findTwins, paymentKey } from "../../../client/notes/note_store.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { entryOf } from "../../vault/vault_content.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { CheckState, NoteFacts } from "../../flows/check.ts";
import type { NoteRow } from "../../views/notes.tsx";
import type { AppPorts } from "../app_ports.ts";
import { toRow, withVisit } from "./note_rows.ts";

Deno.test("a deposit that waits for half an hour of chain time is overdue, and no other note is", () => {
  const now = 1_700_000_000;
  const chain = { chainTime: now };
  const ports = { // the device's clock is an hour ahead
    context: {
      registry: { network: "testnet", pools: new Map() },
      clock: { now: () => (now + 3600) * 1000 },
    },
  } as unknown as AppPorts;
  const overdue = (
    age: number,
    version: 1 | 2,
    found: NoteFacts["state"] | undefined,
    time: { chainTime?: number } = chain,
    createdAt = 1,
  ) => {
    const note = createNote({ asset: "native", amount: "1", network: "testnet", version });
    const record = {
      ...entryOf(createNoteRecord(formatNote(note), createdAt)),
      state: "deposited" as const,
      deposit: { timestamp: now - age },
    };
    const facts = new Map<string, NoteFacts>();
    if (found) facts.set(record.id, { state: found, later: 1 });
    const { isOverdue, state, ageSeconds } = toRow(
      ports,
      record,
      {
        step: "idle",
        result: { facts, recovered: 0, unread: [], ...time },
      },
      undefined,
      new Map(),
    );
    return [isOverdue, state, ageSeconds];
  };
  deepEqual(overdue(1_800, 2, "waiting"), [false, "waiting", 1_800]);
  deepEqual(overdue(1_801, 2, "absent"), [true, "waiting", 1_801]);
  deepEqual(overdue(1_900, 2, "deposited"), [false, "deposited", 1_900]);
  // Only pages show the payment so far, which a relayer may have invented.
  deepEqual(overdue(1_900, 2, "withdrawn"), [false, "deposited", 1_900]);
  deepEqual(overdue(1_900, 1, undefined), [false, "deposited", 1_900]);
  // A version 1 deposit is never settled, whatever a relayer leaves out.
  deepEqual(overdue(1_900, 1, "absent"), [false, "deposited", 1_900]);
  // An endpoint may lie about the time: this device made the note half an hour ago, or less.
  for (const [seconds, isOverdue] of [[1_800, false], [1_801, true]] as const) {
    const createdAt = (now + 3600 - seconds) * 1000;
    deepEqual(overdue(1_900, 2, "waiting", chain, createdAt), [isOverdue, "waiting", 1_900]);
  }
  // Without the chain's time, the age is the device's, and no settlement is offered.
  deepEqual(overdue(1_900, 2, "waiting", {}), [false, "waiting", 5_500]);
});

Deno.test("notes that share a nullifier are shown as such", () => {
  const ports = {
    context: { registry: { network: "testnet", pools: new Map() }, clock: { now: () => 0 } },
  } as unknown as AppPorts;
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 1 });
  const other = createNote({ asset: "native", amount: "1", network: "testnet", version: 1 });
  const records = [note, { ...other, nullifier: note.nullifier }, other]
    .map((each) => entryOf(createNoteRecord(formatNote(each), 1)));
  const twins = findTwins(records, ({ note }) => paymentKey(note));
  const rows = records.map((record) => toRow(ports, record, { step: "idle" }, undefined, twins));
  deepEqual(rows.map(({ hasNullifierTwin }) => hasNullifierTwin), [true, true, false]);
});

Deno.test("a deposit waits for its settlement only if this visit's check says so, and is ready once it was seen settled", () => {
  const deployment = { asset: "native", amount: "1", version: 2 };
  const registry = { network: "testnet", pools: new Map([["native-1-v2", deployment]]) };
  const ports = { context: { registry, clock: { now: () => 0 } } } as unknown as AppPorts;
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
  const record = { ...entryOf(createNoteRecord(formatNote(note), 1)), state: "deposited" as const };
  const seen = { ...record, deposit: { leafIndex: 1, settled: true } };
  const problem = new Problem("chain_unavailable");
  const result = (unread: readonly string[], state?: NoteFacts["state"]) => ({
    facts: new Map(state && [[record.id, { state, deposits: 1 }]]),
    recovered: 0,
    unread: unread.map((pool) => ({ pool, problem })),
  });
  const reading = { step: "reading", side: "withdrawal", pool: "", seen: 0, isBackground: true } as const;
  const cases: readonly [CheckState, NoteRow["state"]][] = [
    [reading, "checking"],
    [{ step: "failed", problem }, "unknown"],
    [{ step: "idle", result: result(["native-1-v2"]) }, "unknown"],
    [{ ...reading, result: result(["native-1-v2"]) }, "unknown"],
    [{ step: "idle", result: result(["native-10-v2"]) }, "checking"],
    [{ step: "idle", result: result([], "absent") }, "waiting"],
    [{ step: "idle", result: result([], "waiting") }, "waiting"],
    [{ ...reading, result: result([], "waiting") }, "waiting"],
    [{ step: "idle", result: result([], "deposited") }, "deposited"],
  ];
  for (const [i, [check, expected]] of cases.entries()) {
    const stateOf = (each: typeof record) => toRow(ports, each, check, undefined, new Map()).state;
    deepEqual([stateOf(record), stateOf(seen)], [expected, "deposited"], `case ${i}`);
  }
});

Deno.test("a note that is not paid says when it was made", () => {
  const ports = {
    context: { registry: { network: "testnet", pools: new Map() }, clock: { now: () => 0 } },
  } as unknown as AppPorts;
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 1 });
  const record = entryOf(createNoteRecord(formatNote(note), 7));
  const madeAt = (["created", "depositing", "deposited"] as const)
    .map((state) => toRow(ports, { ...record, state }, { step: "idle" }, undefined, new Map()).createdAt);
  deepEqual(madeAt, [7, 7, undefined]);
});

Deno.test("what this visit has paid or settled is shown before the next check, and no other note changes", () => {
  const row = { id: "a", asset: "native", amount: "1", isMissingInBackup: false, hasNullifierTwin: false };
  const waiting = { ...row, state: "waiting", isOverdue: true, ageSeconds: 1_900 } as const;
  const [own, other, none] = [new Set(["a"]), new Set(["b"]), new Set<string>()];
  const ready = { ...waiting, state: "deposited", isOverdue: false };
  for (const state of ["waiting", "checking", "unknown"] as const) {
    const shown = { ...waiting, state };
    deepEqual(withVisit(shown, { paid: own, settled: own }), ready);
    deepEqual(withVisit(shown, { paid: own, settled: other }), waiting);
    deepEqual(withVisit(shown, { paid: other, settled: none }), shown);
  }
  const withdrawn = { ...waiting, state: "withdrawn" } as const;
  deepEqual(withVisit(withdrawn, { paid: own, settled: own }), withdrawn);
});
