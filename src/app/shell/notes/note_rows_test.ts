import { deepEqual } from "node:assert/strict";
import { createNoteRecord, findTwins, paymentKey } from "../../../client/notes/note_store.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { entryOf } from "../../vault/vault_content.ts";
import type { NoteFacts } from "../../flows/check.ts";
import type { AppPorts } from "../app_ports.ts";
import { toRow, withSettlement } from "./note_rows.ts";

Deno.test("a deposit that waits for half an hour of chain time is overdue, and no other note is", () => {
  const now = 1_700_000_000;
  const chain = { chainTime: now };
  const ports = { // the device's clock is an hour ahead
    context: { registry: { network: "testnet" }, clock: { now: () => (now + 3600) * 1000 } },
  } as unknown as AppPorts;
  const overdue = (
    age: number,
    version: 1 | 2,
    found: NoteFacts["state"] | undefined,
    time: { chainTime?: number } = chain,
  ) => {
    const note = createNote({ asset: "native", amount: "1", network: "testnet", version });
    const record = {
      ...entryOf(createNoteRecord(formatNote(note), 1)),
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
  deepEqual(overdue(1_800, 2, undefined), [false, "waiting", 1_800]);
  deepEqual(overdue(1_801, 2, "absent"), [true, "waiting", 1_801]);
  deepEqual(overdue(1_900, 2, "deposited"), [false, "deposited", 1_900]);
  // Only pages show the payment so far, which a relayer may have invented.
  deepEqual(overdue(1_900, 2, "withdrawn"), [false, "deposited", 1_900]);
  deepEqual(overdue(1_900, 1, undefined), [false, "deposited", 1_900]);
  // A version 1 deposit is never settled, whatever a relayer leaves out.
  deepEqual(overdue(1_900, 1, "absent"), [false, "deposited", 1_900]);
  // Without the chain's time, the age is the device's, and no settlement is offered.
  deepEqual(overdue(1_900, 2, undefined, {}), [false, "waiting", 5_500]);
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

Deno.test("a deposit that this visit has settled can be withdrawn before the next check, and no other changes", () => {
  const row = { id: "a", asset: "native", amount: "1", isMissingInBackup: false, hasNullifierTwin: false };
  const waiting = { ...row, state: "waiting", isOverdue: true, ageSeconds: 1_900 } as const;
  const settled = new Set(["a"]);
  deepEqual(withSettlement(waiting, settled), { ...waiting, state: "deposited", isOverdue: false });
  deepEqual(withSettlement(waiting, new Set(["b"])), waiting);
  const withdrawn = { ...waiting, state: "withdrawn" } as const;
  deepEqual(withSettlement(withdrawn, settled), withdrawn);
});
