/// <reference lib="dom" />
/** A browser with full, denied or deleted storage: nothing is lost. */
import assert from "node:assert/strict";
import {
  type FaultCases,
  type FaultScene,
  keepStore,
  runCases,
  type Visit,
  withFaultScene,
} from "../../support/app/fault_scene.ts";
import { encryptStore, type StoreContent, unpaidContent } from "../../support/app/funded_notes.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { chooseAmount } from "../../support/app/steps/money_steps.ts";
import { countNotes, restoreFile } from "../../support/app/steps/restore_steps.ts";
import { fillStorage, freeStorage, limitStorage } from "../../support/app/steps/storage_steps.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
const OTHER_PASSPHRASE = "another horse battery";

Deno.test({
  name: "storage",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({}, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "a full storage stops a deposit before anything is paid, and it goes on when there is space"(scene) {
    const visit = await scene.visit({ prepare: limitStorage });
    await fillStorage(visit);
    await chooseAmount(visit);
    await visit.step("deposit-failed");
    assert.deepEqual(await visit.notices(), [
      "The deposit stopped",
      "The browser could not save your notes. Free some space, or allow storage, and try again. If it still fails, load the page again. Older notes are safe.",
    ]);
    await visit.inspect("storage-full");
    assert.equal(await visit.page.$('a[href^="ton://"]'), null, "no payment is shown");
    await freeStorage(visit);
    await visit.click("Try again");
    await visit.step("amount");
    await visit.page.click(`input[value="${POOL}"]`);
    await visit.click("Continue");
    await visit.step("pay-");
  },

  async "a full storage keeps a new store from being reported as created"(scene) {
    const visit = await scene.visit({ content: "none", prepare: limitStorage });
    await visit.step("absent");
    await fillStorage(visit);
    await visit.click("Start");
    await fillNewPassphrase(visit);
    await visit.page.waitForSelector('[data-step="new"] .notice.is-problem');
    assert.match((await visit.notices())[1], /The browser could not save your notes\./);
    await freeStorage(visit);
    await fillNewPassphrase(visit);
    await visit.step("notes");
  },

  async "a browser that denies storage is refused at the start"(scene) {
    const visit = await scene.visit({ content: "none", prepare: denyStorage });
    await visit.step("refused");
    assert.match(
      (await visit.notices())[1],
      /no access to its storage\. Close other tabs of this app, and load the page again\./,
    );
    await visit.inspect("storage-denied");
    assert.equal(await visit.page.$("button.primary"), null);
  },

  async "notes that the browser deleted between visits come back from the backup"(scene) {
    const content = contentWith(scene, 2);
    const visit = await scene.visit({ content });
    await forgetStorage(visit, scene);
    await visit.page.reload({ waitUntil: "load" });
    await visit.step("absent");
    await visit.click("I have a backup");
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    assert.deepEqual(await visit.notices(), [
      "Your notes are back",
      "2 notes were added.",
    ]);
    await visit.click("Show my notes");
    await countNotes(visit, 2);
  },

  async "a restored store stays open when the browser goes back instead of on"(scene) {
    const content = contentWith(scene, 1);
    const visit = await scene.visit({ content: "none" });
    await visit.step("absent");
    await visit.click("I have a backup");
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    await visit.page.goBack();
    await countNotes(visit, 1);
    await visit.page.waitForSelector(".notice.is-good"); // the backup is accepted
  },

  async "notes that the browser deletes while the app is open are reported, and come back from the backup"(
    scene,
  ) {
    const content = contentWith(scene, 1);
    const visit = await scene.visit({ content });
    await visit.page.waitForSelector(".notice.is-good"); // the app has detected the backup
    await forgetStorage(visit, scene);
    await chooseAmount(visit);
    await visit.step("deposit-failed");
    assert.match((await visit.notices())[1], /cannot be read\. Use a backup/);
    await visit.click("Lock");
    await visit.step("locked");
    await visit.unlock();
    await visit.click("Save the unreadable notes");
    await visit.click("Restore a backup");
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    await visit.click("Show my notes");
    await countNotes(visit, 1);
  },

  async "notes that were damaged are set aside as a file, and the backup takes their place"(scene) {
    const content = contentWith(scene, 1);
    const visit = await scene.visit({ content });
    await visit.page.evaluate(damageStore);
    await visit.page.reload({ waitUntil: "load" });
    await visit.unlock();
    await visit.page.waitForSelector(".notice.is-problem");
    assert.match((await visit.notices())[1], /cannot be read\. Use a backup/);
    await visit.inspect("store-damaged");
    await visit.click("Save the unreadable notes");
    await visit.page.evaluate(refuseToClear);
    await visit.click("Restore a backup");
    await seeNotice(visit, /could not save your notes/);
    await visit.page.evaluate(allowToClear);
    await visit.click("Restore a backup");
    await visit.step("restore");
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    await visit.click("Show my notes");
    await countNotes(visit, 1);
    const kept = [...Deno.readDirSync(scene.downloads)].map(({ name }) => name);
    assert.ok(kept.includes("tonado-notes-set-aside.age"), kept.join());
  },

  async "a wrong passphrase can be typed again"(scene) {
    const visit = await scene.visit({ content: "none" });
    await visit.step("absent");
    await keepStore(visit.page, contentWith(scene, 1), true);
    await visit.page.reload({ waitUntil: "load" });
    await visit.unlock("wrong horse battery");
    await visit.page.waitForSelector(".notice.is-problem");
    assert.match((await visit.notices())[1], /^This is not the right passphrase\. Check capital letters/);
    await visit.unlock();
    await countNotes(visit, 1);
  },
};

/** Waits for a notice, even if it replaces another one: text selectors miss a change of text alone. */
const seeNotice = (visit: Visit, text: RegExp) =>
  waitUntil(
    `a notice says ${text}`,
    async () => (await visit.notices()).some((each) => text.test(each)),
    30_000,
  );

/** Returns a store's content with unpaid notes of the pool. */
const contentWith = (scene: FaultScene, count: number, content?: StoreContent) =>
  unpaidContent(scene.deployments.pools.get(POOL)!, count, content);

async function fillNewPassphrase(visit: Visit): Promise<void> {
  await visit.step("new");
  await visit.type("passphrase", PASSPHRASE);
  await visit.type("repeat", PASSPHRASE);
  await visit.click("Create my store");
}

async function forgetStorage({ page }: Visit, { app }: FaultScene): Promise<void> {
  const session = await page.createCDPSession();
  await session.send("Storage.clearDataForOrigin", { origin: app.origin, storageTypes: "all" });
}

function denyStorage(page: Visit["page"]): Promise<unknown> {
  return page.evaluateOnNewDocument(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("denied", "SecurityError");
    };
  });
}

/** Runs in the page, like the next function. */
function refuseToClear(): void {
  const { clear } = IDBObjectStore.prototype;
  Object.assign(globalThis, { clear });
  IDBObjectStore.prototype.clear = () => {
    throw new DOMException("no space is left", "QuotaExceededError");
  };
}

function allowToClear(): void {
  IDBObjectStore.prototype.clear = (globalThis as unknown as { clear: IDBObjectStore["clear"] }).clear;
}

/** Runs in the page: removes the end of the file, as a disk fault would. */
async function damageStore(): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open("tonado");
    request.onsuccess = () => resolve(request.result);
  });
  const files = database.transaction("files", "readwrite").objectStore("files");
  await new Promise<void>((resolve) => {
    const read = files.get("notes.age");
    read.onsuccess = () => {
      files.put((read.result as Uint8Array).slice(0, 300), "notes.age").onsuccess = () => resolve();
    };
  });
  database.close();
}
