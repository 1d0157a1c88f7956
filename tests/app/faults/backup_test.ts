/// <reference lib="dom" />
/** Backups of another store, or damaged ones: the app removes and replaces nothing. */
import assert from "node:assert/strict";
import { createNoteRecord } from "../../../src/client/notes/note_store.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { createNoteSeed, formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import {
  type FaultCases,
  type FaultScene,
  runCases,
  type Visit,
  withFaultScene,
} from "../../support/app/fault_scene.ts";
import {
  encryptStore,
  newContent,
  type StoreContent,
  unpaidContent,
} from "../../support/app/funded_notes.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { chooseAmount, openPayment } from "../../support/app/steps/money_steps.ts";
import { changePassphrase, proveBackup } from "../../support/app/app_scene.ts";
import {
  chooseFile,
  chooseRestorePassphrase,
  countNotes,
  openRestore,
  restoreFile,
} from "../../support/app/steps/restore_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
const OTHER_PASSPHRASE = "another horse battery";

Deno.test({
  name: "backups",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({}, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "a backup of other notes and a file that is none do not prove the backup"(scene) {
    const visit = await scene.visit({ isBackedUp: false });
    await visit.click("Back up now");
    await visit.step("offer");
    await visit.click("Save a file");
    await visit.step("made-file");
    await chooseFile(visit, "Choose the saved file", await encryptStore(newContent(), PASSPHRASE));
    await visit.step("read");
    await visit.type("backup-passphrase", PASSPHRASE);
    await visit.click("Open the backup");
    await visit.page.waitForSelector('[data-step="made-file"] .notice.is-problem');
    assert.match(
      (await visit.notices())[1],
      /^This backup belongs to other notes\. Choose the file that you just/,
    );
    await visit.inspect("backup-wrong");
    await chooseFile(visit, "Choose the saved file", new TextEncoder().encode("holiday.jpg"));
    await visit.step("read");
    await visit.type("backup-passphrase", PASSPHRASE);
    await visit.click("Open the backup");
    await visit.page.waitForSelector('[data-step="made-file"] .notice.is-problem');
    assert.match((await visit.notices())[1], /cannot be read/);
    await visit.page.evaluate(() => location.hash = "#/");
    await visit.step("notes");
    assert.match((await visit.notices())[1], /^Not backed up yet/);
  },

  async "an older backup removes no note, and a newer one adds what is missing"(scene) {
    const seed = newContent();
    const visit = await scene.visit({ content: contentWith(scene, 2, seed) });
    await openRestore(visit);
    await restoreFile(visit, encryptStore(contentWith(scene, 1, seed), OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    assert.equal((await visit.notices())[1], "1 note was here already.");
    await visit.click("Show my notes");
    await countNotes(visit, 2);
    await openRestore(visit);
    await restoreFile(visit, encryptStore(contentWith(scene, 3, seed), OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    assert.equal((await visit.notices())[1], "1 note was added. 2 notes were here already.");
    await visit.click("Show my notes");
    await countNotes(visit, 3);
  },

  async "a backup with another recovery code changes nothing"(scene) {
    const visit = await scene.visit({ content: contentWith(scene, 1) });
    await openRestore(visit);
    await restoreFile(visit, encryptStore(contentWith(scene, 2), OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.page.waitForSelector('[data-step="restore"] .notice.is-problem');
    assert.match((await visit.notices())[1], /come from another recovery code\. Nothing was changed\./);
    await visit.inspect("restore-conflict");
    await visit.page.evaluate(() => location.hash = "#/");
    await countNotes(visit, 1);
  },

  async "a recovery code with one wrong letter is reported before a passphrase is asked, and can be corrected"(
    scene,
  ) {
    const visit = await scene.visit({ content: "none" });
    await visit.click("I have a backup");
    await visit.step("restore");
    const code = formatNoteSeed(createNoteSeed()).reveal();
    const last = code.at(-1)!;
    await visit.type("restore-text", code.slice(0, -1) + (last === "7" ? "8" : "7"));
    await visit.click("Continue with this code");
    await visit.page.waitForSelector('[data-step="restore"] .notice.is-problem');
    assert.match(
      (await visit.notices())[1],
      /^A character of this recovery code is wrong or missing\. Compare/,
    );
    await visit.inspect("restore-mistyped");
    await visit.page.focus("#restore-text");
    await visit.page.keyboard.press("End");
    await visit.page.keyboard.press("Backspace");
    await visit.type("restore-text", last);
    await visit.click("Continue with this code");
    await chooseRestorePassphrase(visit, PASSPHRASE);
    await visit.step("restored");
    assert.match(await visit.text(), /^Your recovery code is back$/m);
  },

  async "a single note restored in a new browser can be backed up, followed by a deposit, and a later one is in no backup"(
    scene,
  ) {
    const visit = await scene.visit({ content: "none" });
    await visit.click("I have a backup");
    await restoreNote(visit, true);
    await chooseAmount(visit, POOL);
    await visit.step("offer");
    await proveNewBackup(visit, scene);
    await visit.step("pay-");
    await visit.click("Show my notes");
    await countNotes(visit, 2);
    assert.match((await visit.notices())[1], /^Backed up /);
    await openRestore(visit);
    await restoreNote(visit);
    await visit.page.waitForSelector("aside .notice.is-warning");
    assert.match((await visit.notices())[1], /^1 note is in no backup Save a backup file\./);
    assert.match(await visit.text(), /in no backup\n/);
    await visit.inspect("notes-not-in-backup");
    await visit.page.click("li.note.created button");
    await visit.step("offer");
    assert.match(
      (await visit.notices())[0],
      /^This note is in no backup yet, and a paper backup cannot contain it\. Save a backup file/,
    );
    await visit.inspect("backup-note");
    await proveNewBackup(visit, scene);
    await visit.step("pay-");
  },

  async "a backup that is older than a restored note does not count as its backup"(scene) {
    const seed = newContent();
    const visit = await scene.visit({ content: contentWith(scene, 1, seed) });
    await openRestore(visit);
    await restoreNote(visit);
    await visit.page.waitForSelector("aside .notice.is-warning");
    await visit.page.evaluate(() => location.hash = "#/backup");
    await visit.step("offer");
    await visit.click("Save a file");
    await visit.step("made-file");
    await chooseFile(
      visit,
      "Choose the saved file",
      await encryptStore(contentWith(scene, 1, seed), PASSPHRASE),
    );
    await visit.step("read");
    await visit.type("backup-passphrase", PASSPHRASE);
    await visit.click("Open the backup");
    await visit.step("proven");
    await visit.page.evaluate(() => location.hash = "#/");
    await countNotes(visit, 2);
    assert.match((await visit.notices())[1], /^1 note is in no backup/);
    await visit.page.click("li.note.created button");
    await visit.step("offer");
    assert.match(
      (await visit.notices())[0],
      /^This note is in no backup yet, and a paper backup cannot contain it\./,
    );
  },

  async "without any network after a first visit, the store opens, shows its notes and is backed up"(scene) {
    const visit = await scene.visit({ content: contentWith(scene, 2), isBackedUp: false });
    await visit.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await countNotes(visit, 2);
    scene.app.intercept = () => new Response("", { status: 503 });
    for (const gate of Object.values(scene.gates)) gate.answer = () => new Response("", { status: 503 });
    await visit.page.setOfflineMode(true);
    await visit.reopen();
    await countNotes(visit, 2);
    await visit.click("Back up now");
    for (const { name } of Deno.readDirSync(scene.downloads)) await Deno.remove(`${scene.downloads}/${name}`);
    await proveBackup(visit, scene.downloads);
    await visit.page.evaluate(() => location.hash = "#/");
    await countNotes(visit, 2);
    assert.match((await visit.notices()).join("\n"), /^Backed up /m);
    await visit.page.close();
  },

  async "after a changed passphrase, a note that waits for its payment is paid only after a new backup"(
    scene,
  ) {
    const visit = await scene.visit();
    await openPayment(visit, POOL);
    await visit.click("Show my notes");
    await changePassphrase(visit, OTHER_PASSPHRASE);
    await visit.unlock(OTHER_PASSPHRASE);
    await (await visit.page.waitForSelector("li.note.depositing button"))!.click();
    await visit.step("offer");
    await proveNewBackup(visit, scene, OTHER_PASSPHRASE);
    await visit.step("pay-");
  },

  async "a backup of another network is kept and cannot be used here"(scene) {
    const { seed } = newContent();
    const note = createNote({ asset: "native", amount: "10", network: "testnet" });
    const record = { ...createNoteRecord(formatNote(note), 1), state: "deposited" as const };
    const visit = await scene.visit({ content: "none" });
    await visit.click("I have a backup");
    await restoreFile(visit, encryptStore({ seed, records: [record] }, PASSPHRASE), PASSPHRASE);
    await visit.step("restored");
    assert.deepEqual((await visit.notices()).slice(1), [
      "1 note was added.",
      "1 note is of another network and cannot be used here.",
    ]);
    await visit.click("Show my notes");
    await countNotes(visit, 1);
    await visit.inspect("notes-other-network");
    assert.match(await visit.text(), /Of another network: testnet/);
    assert.equal(await visit.page.$("li.note button"), null, "it offers nothing that cannot be done");
  },
};

/** Proves a backup of the current store. Earlier files are removed first. */
async function proveNewBackup(visit: Visit, { downloads }: FaultScene, passphrase?: string): Promise<void> {
  for (const { name } of Deno.readDirSync(downloads)) await Deno.remove(`${downloads}/${name}`);
  await proveBackup(visit, downloads, passphrase);
}

/**
 * Restores a note that does not derive from a seed, and returns to the list.
 * @param isNew whether the browser has no store yet
 */
async function restoreNote(visit: Visit, isNew = false): Promise<void> {
  const note = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });
  await visit.step("restore");
  await visit.type("restore-text", formatNote(note));
  await visit.click("Continue with this code");
  if (isNew) await chooseRestorePassphrase(visit, PASSPHRASE);
  await visit.step("restored");
  await visit.click("Show my notes");
  await visit.step("notes");
}

/** Returns a store's content with unpaid notes of the pool. */
const contentWith = (scene: FaultScene, count: number, content?: StoreContent) =>
  unpaidContent(scene.deployments.pools.get(POOL)!, count, content);
