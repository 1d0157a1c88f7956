/// <reference lib="dom" />
/** A browser without space during payments and restores: the app sends nothing that it could not store. */
import assert from "node:assert/strict";
import { type FaultCases, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { encryptStore, unpaidContent } from "../../support/app/funded_notes.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  openPayment,
  SETTLEMENT_TIMEOUT_MS,
} from "../../support/app/steps/money_steps.ts";
import { waitForNotice } from "../../support/app/steps/payment_steps.ts";
import { countNotes, openRestore, restoreFile } from "../../support/app/steps/restore_steps.ts";
import { fillStorage, freeStorage, limitStorage } from "../../support/app/steps/storage_steps.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

const FULL = /^The browser could not save your notes\. Free some space/;
const OTHER_PASSPHRASE = "another horse battery";

Deno.test({
  name: "a full storage",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 2 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "stops a withdrawal before anything is sent, and it goes on when there is space"(scene) {
    const { relayer } = scene.gates;
    const visit = await scene.visit({ content: scene.takeFunded(), prepare: limitStorage });
    await enterRecipient(visit);
    await visit.step("review");
    const before = relayer.requests.length;
    await fillStorage(visit);
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match((await visit.notices())[1], FULL);
    assert.ok(!relayer.requests.slice(before).includes("/withdraw"), "no proof left the page");
    await freeStorage(visit);
    await visit.click("Try again");
    await confirmWithdrawal(visit);
    await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    await visit.page.close();
  },

  async "loses no payment that arrives meanwhile"(scene) {
    const visit = await scene.visit({ prepare: limitStorage });
    await openPayment(visit);
    const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
    await fillStorage(visit);
    const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
    assert.equal(code, 0, stderr);
    await visit.step("deposit-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match((await visit.notices())[1], FULL);
    await freeStorage(visit);
    await visit.reopen();
    await visit.click("Continue");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await visit.page.close();
  },

  async "restores nothing, and everything when there is space"(scene) {
    const content = unpaidContent(scene.deployments.pools.get("native-10-v2")!, 2);
    const visit = await scene.visit({ content: { ...content, records: [] }, prepare: limitStorage });
    await openRestore(visit);
    await fillStorage(visit);
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await waitForNotice(visit, FULL);
    await freeStorage(visit);
    await restoreFile(visit, encryptStore(content, OTHER_PASSPHRASE), OTHER_PASSPHRASE);
    await visit.step("restored");
    await visit.click("Show my notes");
    await countNotes(visit, 2);
    await visit.page.close();
  },

  async "of the downloaded pages costs only time: the notes are checked, and withdrawn"(scene) {
    const prepare = (page: Parameters<typeof limitStorage>[0]) =>
      page.evaluateOnNewDocument(() => {
        const put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function (...args) {
          if (this.name === "leaves") throw new DOMException("no space is left", "QuotaExceededError");
          return put.apply(this, args);
        };
      });
    const visit = await scene.visit({ content: scene.takeFunded(), prepare });
    await enterRecipient(visit);
    await visit.step("review");
    await confirmWithdrawal(visit);
    await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  },
};
