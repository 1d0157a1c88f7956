/// <reference lib="dom" />
/** The tab is killed while a store is created, backed up, restored or locked: no note and no seed is lost. */
import assert from "node:assert/strict";
import { type FaultCases, type FaultScene, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import {
  encryptStore,
  newContent,
  type StoreContent,
  unpaidContent,
} from "../../support/app/funded_notes.ts";
import { changePassphrase } from "../../support/app/app_scene.ts";
import { type Journey, PASSPHRASE } from "../../support/app/journey.ts";
import { drawMoments, isLocked, killDuring, unlockTab } from "../../support/app/steps/kill_steps.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import {
  chooseFile,
  countNotes,
  openRestore,
  restoreCode,
  restoreFile,
} from "../../support/app/steps/restore_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const OTHER_PASSPHRASE = "another horse battery";
const MAX_DELAY_MS = 4_000;

Deno.test({
  name: "a tab that is killed",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 1 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "while it creates a store leaves none, or one that opens"(scene) {
    for (const moment of drawMoments(MAX_DELAY_MS)) {
      const visit = await scene.visit({ content: "none" });
      await visit.page.close();
      const tab = await killDuring(visit, moment, createStore);
      await (await isLocked(tab) ? unlockTab(tab) : createStore(tab));
      await visit.context.close();
    }
  },

  async "while it proves a backup keeps the notes, and the backup can be proven again"(scene) {
    const content = contentWith(scene, 2);
    const visit = await scene.visit({ content, isBackedUp: false });
    await visit.page.close();
    for (const moment of drawMoments(MAX_DELAY_MS)) {
      const tab = await killDuring(visit, moment, (tab) => proveBackup(tab, content));
      await unlockTab(tab);
      await countNotes(tab, 2);
      if (/Not backed up yet/.test(await tab.text())) await proveBackup(tab, content);
      assert.match(await tab.text(), /Your backup was opened/);
      await tab.page.evaluate(() => localStorage.clear());
      await tab.page.close();
    }
  },

  async "while it restores a file adds all notes or none, and the file can be restored again"(scene) {
    for (const moment of drawMoments(MAX_DELAY_MS)) {
      const content = newContent();
      const visit = await scene.visit({ content: contentWith(scene, 1, content) });
      await visit.page.close();
      const restore = async (tab: Journey) => {
        await openRestore(tab);
        await restoreFile(
          tab,
          encryptStore(contentWith(scene, 3, content), OTHER_PASSPHRASE),
          OTHER_PASSPHRASE,
        );
        await tab.step("restored");
        await tab.click("Show my notes");
      };
      const tab = await killDuring(visit, moment, restore);
      await unlockTab(tab);
      await tab.page.waitForSelector("li.note");
      assert.ok([1, 3].includes((await tab.page.$$("li.note")).length));
      await restore(tab);
      await countNotes(tab, 3);
      await visit.context.close();
    }
  },

  async "while it recovers notes from their code leaves no store without the code"(scene) {
    const { seed } = scene.takeFunded();
    for (const moment of drawMoments(MAX_DELAY_MS)) {
      const visit = await scene.visit({ content: "none" });
      await visit.page.close();
      const recover = async (tab: Journey) => {
        await tab.click("I have a backup");
        await restoreCode(tab, seed, PASSPHRASE);
      };
      const tab = await killDuring(visit, moment, recover);
      await (await isLocked(tab) ? unlockTab(tab) : recover(tab));
      await tab.page.waitForSelector("li.note.deposited", { timeout: SETTLEMENT_TIMEOUT_MS });
      await visit.context.close();
    }
  },

  async "while it changes the passphrase opens with the old one or the new one"(scene) {
    for (const moment of drawMoments(MAX_DELAY_MS)) {
      const visit = await scene.visit({ content: contentWith(scene, 1) });
      await visit.page.close();
      const tab = await killDuring(visit, moment, (tab) => changePassphrase(tab, OTHER_PASSPHRASE));
      await tab.step("locked");
      await tab.type("passphrase", PASSPHRASE);
      await tab.click("Unlock");
      await tab.page.waitForSelector('[data-step="notes"], .notice.is-problem');
      if (await tab.page.$(".notice.is-problem")) await unlockTab(tab, OTHER_PASSPHRASE);
      await countNotes(tab, 1);
      await visit.context.close();
    }
  },
};

const contentWith = (scene: FaultScene, count: number, content?: StoreContent) =>
  unpaidContent(scene.deployments.pools.get("native-10-v2")!, count, content);

async function createStore(tab: Journey): Promise<void> {
  await tab.click("Start");
  await tab.step("new");
  await tab.type("passphrase", PASSPHRASE);
  await tab.type("repeat", PASSPHRASE);
  await tab.click("Create my store");
  await tab.step("notes");
}

async function proveBackup(tab: Journey, content: StoreContent): Promise<void> {
  await tab.click("Back up now");
  await tab.step("offer");
  await tab.click("Save a file");
  await tab.step("made-file");
  await chooseFile(tab, "Choose the saved file", await encryptStore(content, OTHER_PASSPHRASE));
  await tab.step("read");
  await tab.type("backup-passphrase", OTHER_PASSPHRASE);
  await tab.click("Open the backup");
  await tab.step("proven");
  await tab.click("Continue");
  await tab.step("notes");
}
