/** Checks of a version 2 pool with its log, some with a relayer that hides payments. */
import { deepEqual, equal } from "node:assert/strict";
import {
  CheckScene,
  newNote,
  NOW_MS,
  PAID_AT,
  POOL,
  recordOf,
  statesOf,
  visit,
} from "../../../../tests/support/vaults/check_scene.ts";
import type { NoteRecord } from "../../../client/notes/note_store.ts";
import { placeNote } from "../../../core/protocol/note.ts";

Deno.test("if the log lacks a recorded payment for ten minutes, the note can be withdrawn again", async () => {
  const note = newNote();
  const attempt = {
    recipient: POOL.toRawString(),
    fee: "0",
    refund: "0",
    request: {
      proof: { pi_a: [], pi_b: [], pi_c: [], protocol: "groth16", curve: "bls12381" },
      publicSignals: [],
    },
  };
  const cases = [
    { attempt: undefined, isAsked: true, state: "deposited" },
    { attempt: { ...attempt, at: NOW_MS - 600_001 }, isAsked: true, state: "withdrawing" },
    { attempt: { ...attempt, at: NOW_MS - 599_999 }, isAsked: true, state: "withdrawn" },
    { attempt: undefined, isAsked: false, state: "withdrawn" }, // a relayer may hide the payment
  ];
  for (const { attempt: withdrawal, isAsked, state } of cases) {
    const scene = new CheckScene();
    scene.deposit(note.commitment);
    scene.settle();
    const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
    const made = { state: "withdrawn", deposit, ...withdrawal && { withdrawal } } as Partial<NoteRecord>;
    const open = await visit(scene, { records: [recordOf(note, made)] });
    await open.check(isAsked);
    deepEqual(await statesOf(open), [state]);
  }
});

Deno.test("a payment that only the log shows is recorded, whatever the relayer lists", async () => {
  const note = newNote();
  const scene = new CheckScene();
  scene.deposit(note.commitment);
  scene.settle();
  scene.pay(placeNote(note, 0).nullifierHash);
  scene.claimedSpent = [8n];
  const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
  const open = await visit(scene, { records: [recordOf(note, { state: "deposited", deposit })] });
  await open.check();
  deepEqual(await statesOf(open), ["deposited"]);
  equal(open.session.logged, undefined, "pages have no times");
  await open.check(true);
  deepEqual(await statesOf(open), ["withdrawn"]);
  deepEqual([...open.session.logged!.values()].map(({ timestamp }) => timestamp), [PAID_AT]);
});

Deno.test("of the deposits after a note, those of others are counted", async () => {
  const [first, second] = [newNote(), newNote()];
  const scene = new CheckScene();
  for (const commitment of [5n, first.commitment, second.commitment, 6n]) scene.deposit(commitment);
  scene.settle();
  const open = await visit(scene, { records: [recordOf(first), recordOf(second), recordOf(newNote())] });
  const { facts } = await open.check();
  deepEqual([...facts.values()].map(({ later }) => later), [1, 1, undefined]);
});
