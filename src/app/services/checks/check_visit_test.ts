/** When the checks of a visit are made, and which of them read the logs. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  CheckScene,
  deployment,
  newNote,
  PAID_AT,
  readsLog,
  recordOf,
  statesOf,
  visit,
} from "../../../../tests/support/vaults/check_scene.ts";
import { createNoteSeed, deriveNote } from "../../../core/protocol/seed/note_seed.ts";
import { checkServices } from "./check_service.ts";

/** Opens a visit with a deposited note, and with a created one that `pay` deposits. */
async function visitBeforePaying() {
  const [known, note] = [newNote(), newNote()];
  const scene = new CheckScene();
  scene.deposit(known.commitment);
  scene.settle();
  const deposit = { leafIndex: 0, timestamp: PAID_AT, from: "0:00" };
  const records = [recordOf(known, { state: "deposited", deposit }), recordOf(note, { state: "created" })];
  const open = await visit(scene, { records });
  const pay = async () => {
    await open.store.update((await open.store.list())[1].id, { state: "depositing" });
    scene.deposit(note.commitment);
  };
  return { scene, open, pay };
}

Deno.test("no later check of a visit reads the log because of a note that was paid meanwhile", async () => {
  const { scene, open, pay } = await visitBeforePaying();
  equal(readsLog(await open.check()), false);
  await pay();
  equal(readsLog(await open.check()), false, "it waits");
  scene.settle();
  equal(readsLog(await open.check()), false, "it is settled");
  deepEqual(await statesOf(open), ["deposited", "deposited"]);
  equal(readsLog(await open.check(true)), true, "the user asked");
  deepEqual((await open.store.list())[1].deposit?.timestamp, PAID_AT + 10);
  equal(readsLog(await open.check()), false, "nothing is new");
  scene.deposit(6n);
  equal(
    readsLog(await open.check()),
    true,
    "after the first read of the log, every check reads its new entries",
  );
});

Deno.test("check: the first one after a restoration finds a note that waits for its settlement", async () => {
  const seed = createNoteSeed();
  const scene = new CheckScene();
  scene.deposit(5n);
  scene.settle();
  scene.deposit(deriveNote(seed, "testnet", deployment, 0).commitment);
  const open = await visit(scene, { seed, records: [] }, true);
  equal((await open.check()).recovered, 1);
  const [{ state, deposit }] = await open.store.list();
  deepEqual([state, deposit?.leafIndex, deposit?.timestamp], ["deposited", 1, PAID_AT + 10]);
});

Deno.test("after a first check that was stopped, the notes decide nothing", async () => {
  const { scene, open, pay } = await visitBeforePaying();
  const stopping = new AbortController();
  scene.beforeAnswer = () => Promise.resolve(stopping.abort());
  await rejects(open.check(false, stopping.signal), { code: "cancelled" });
  scene.beforeAnswer = async () => {};
  await pay();
  equal(readsLog(await open.check()), false);
});

Deno.test("a deposit that is begun during the first check does not decide about its log", async () => {
  const { scene, open, pay } = await visitBeforePaying();
  scene.beforeAnswer = async () => {
    scene.beforeAnswer = async () => {};
    await pay();
  };
  equal(readsLog(await open.check()), false);
  deepEqual(await statesOf(open), ["deposited", "depositing"]);
});

Deno.test("screens that open again in a visit continue its checks", async () => {
  const { scene, open } = await visitBeforePaying();
  equal(checkServices(scene.context(), open.session), checkServices(scene.context(), open.session));
});

Deno.test("the time of the next check does not depend on how long this one took", async () => {
  const scene = new CheckScene();
  scene.deposit(5n);
  scene.settle();
  const open = await visit(scene, { records: [] });
  for (const took of [0, 1_000, 59_000, 61_000]) {
    await open.check();
    scene.now += took;
    await open.waitForNext();
  }
  deepEqual(scene.slept, [60_000, 59_000, 1_000, 59_000]);
  await open.check();
  scene.now -= 3_600_000; // the clock was set back
  await open.waitForNext();
  equal(scene.slept.at(-1), 60_000);
});
