import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { openTestSession } from "../../../../tests/support/vaults/test_vaults.ts";
import { createNoteRecord, type NoteRecord } from "../../../client/notes/note_store.ts";
import type { NotePayment } from "../../../client/notes/note_payment.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import { lacksHistory, updateRecord } from "./note_updates.ts";
import type { FoundStatus } from "./pool_logs.ts";

const DAY_MS = 86_400_000;
const entry = (version: 1 | 2, more: Partial<NoteEntry>) => ({ note: { version }, ...more }) as NoteEntry;
const status = (more: Partial<FoundStatus>) => ({ deposits: 9, since: 0, ...more }) as FoundStatus;
const [absent, deposited, withdrawn] = (["absent", "deposited", "withdrawn"] as const)
  .map((state) => status({ state, ...state !== "absent" && { leafIndex: 4 } }));
const dated = { leafIndex: 4, timestamp: 7 };

Deno.test("the log is wanted for what pages cannot tell, and for nothing else", () => {
  const cases: readonly [record: NoteEntry, found: FoundStatus, isWanted: boolean][] = [
    [entry(2, { state: "depositing" }), absent, true], // it may wait for its settlement
    [entry(2, { state: "deposited" }), absent, true],
    [entry(2, { state: "created" }), absent, false], // it was not shown to be paid
    [entry(2, { state: "deposited", deposit: dated }), absent, false], // the log has shown that it waits
    [entry(1, { state: "depositing" }), absent, false], // version 1 deposits do not wait
    [entry(2, { state: "depositing" }), deposited, true], // its payer and time are missing
    [entry(1, { state: "deposited", deposit: { leafIndex: 4 } }), deposited, true],
    [entry(1, { state: "deposited", deposit: dated }), deposited, false],
    [entry(1, { state: "deposited", deposit: { ...dated, leafIndex: 3 } }), deposited, true],
    [entry(1, { state: "deposited", deposit: dated }), withdrawn, true], // its payment is missing
    [entry(1, { state: "withdrawn", deposit: dated }), withdrawn, false],
    [entry(1, { state: "withdrawn" }), deposited, false], // a relayer may hide the payment
    [entry(2, { state: "withdrawn" }), status({ ...deposited, unspentDeposits: 1 }), true], // it was paid twice
    [entry(1, { state: "depositing" }), status({ ...deposited, depositedAt: 7 }), false], // this is the log
  ];
  for (const [i, [record, found, isWanted]] of cases.entries()) {
    equal(lacksHistory(record, found), isWanted, `case ${i}`);
  }
});

async function updated(
  journal: Partial<NoteRecord>,
  found: Partial<FoundStatus>,
  now = DAY_MS,
): Promise<NoteEntry & { readonly writes: number }> {
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
  const { store } = await openTestSession({
    records: [{ ...createNoteRecord(formatNote(note), 1), ...journal }],
  });
  let writes = 0;
  const counted = {
    ...store,
    update: (...args: Parameters<typeof store.update>) => {
      writes++;
      return store.update(...args);
    },
  };
  await updateRecord(counted, (await store.list())[0], status(found), now);
  return { ...(await store.list())[0], writes };
}

const inLog = { state: "deposited", leafIndex: 4, depositor: "0:aa", depositedAt: 7 } as const;
const recorded = { from: "0:aa", ...dated, settled: true };
const recipient = new Address(0, Buffer.alloc(32, 3));
const attempt = {
  recipient: recipient.toRawString(),
  fee: "1",
  refund: "0",
  at: DAY_MS - 600_001,
  request: {
    proof: { pi_a: [], pi_b: [], pi_c: [], protocol: "groth16" as const, curve: "bls12381" as const },
    publicSignals: [],
  },
};

Deno.test("a check records a deposit with what the log adds, and writes nothing that is known", async () => {
  for (const state of ["created", "depositing"] as const) {
    const { state: next, deposit } = await updated({ state }, { state: "deposited", leafIndex: 4 });
    deepEqual([next, deposit], ["deposited", { leafIndex: 4, settled: true }]);
  }
  deepEqual((await updated({ state: "depositing" }, inLog)).deposit, recorded);
  deepEqual((await updated({ state: "deposited", deposit: { leafIndex: 4 } }, inLog)).deposit, recorded);
  const known = await updated({ state: "deposited", deposit: recorded }, inLog);
  equal(known.writes, 0);
  const moved = await updated({ state: "deposited", deposit: recorded }, {
    state: "deposited",
    leafIndex: 5,
  });
  deepEqual(moved.deposit, { leafIndex: 5, settled: true }, "the payer of another deposit is unknown");
  equal((await updated({ state: "depositing" }, { state: "absent" })).writes, 0);
});

Deno.test("a check records that a deposit is settled, which no later check reverses", async () => {
  const { settled: _, ...unsettled } = recorded;
  const waits = { ...inLog, waits: true } as const;
  const waiting = await updated({ state: "deposited", deposit: unsettled }, waits);
  deepEqual([waiting.deposit, waiting.writes], [unsettled, 0]);
  deepEqual((await updated({ state: "deposited", deposit: unsettled }, inLog)).deposit, recorded);
  const pages = { state: "deposited", leafIndex: 4 } as const;
  deepEqual((await updated({ state: "deposited", deposit: unsettled }, pages)).deposit, recorded);
  deepEqual((await updated({ state: "deposited", deposit: recorded }, waits)).deposit, recorded);
  const other = await updated({ state: "deposited", deposit: recorded }, { ...waits, leafIndex: 5 });
  equal(other.deposit?.settled, undefined, "another deposit of the note");
});

Deno.test("a check records a payment only from the log, and once", async () => {
  const payment: NotePayment = { tx: "aa", recipient, relayer: null, fee: 1n };
  const journal = { state: "withdrawing", deposit: recorded, withdrawal: attempt } as const;
  const paid = { ...inLog, state: "withdrawn", withdrawnAt: 9, payment } as const;
  const found = await updated(journal, paid);
  deepEqual([found.state, found.withdrawal?.recipient], ["withdrawn", recipient.toRawString()]);
  equal((await updated(journal, { state: "withdrawn", leafIndex: 4 })).state, "withdrawing");
  equal((await updated({ ...journal, state: "withdrawn" }, paid)).writes, 0);
});

Deno.test("a withdrawn note opens again if the log has another deposit of it, or lacks its payment for ten minutes", async () => {
  const journal = { state: "withdrawn", deposit: recorded } as const;
  const twice = { ...inLog, leafIndex: 5, unspentDeposits: 1 };
  const again = await updated({ ...journal, withdrawal: { ...attempt, at: DAY_MS } }, twice);
  deepEqual([again.state, again.deposit?.leafIndex], ["deposited", 5]);
  equal(
    (await updated(journal, { ...twice, depositedAt: undefined })).state,
    "withdrawn",
    "only pages say so",
  );
  equal((await updated(journal, inLog)).state, "deposited", "no attempt is known");
  equal((await updated({ ...journal, withdrawal: attempt }, inLog)).state, "withdrawing");
  const recent = { ...attempt, at: DAY_MS - 600_000 };
  equal((await updated({ ...journal, withdrawal: recent }, inLog)).state, "withdrawn", "the log may lag");
});
