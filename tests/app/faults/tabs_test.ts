/// <reference lib="dom" />
/** Two open tabs of one browser. */
import assert from "node:assert/strict";
import { type FaultCases, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { type Journey, PASSPHRASE } from "../../support/app/journey.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

Deno.test({
  name: "tabs",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 1 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "only one tab withdraws; the other says so, and sees the withdrawn note afterwards"(scene) {
    const visit = await scene.visit({ content: scene.takeFunded() });
    const other = await visit.openTab();
    await unlock(other);
    scene.gates.relayer.hold("/withdraw");
    await visit.page.bringToFront(); // browsers slow down hidden tabs
    await withdraw(visit);
    await visit.page.waitForFunction(() => document.body.innerText.includes("Keep this page open"));
    await other.page.bringToFront();
    await withdraw(other);
    await other.step("withdraw-failed");
    assert.match(
      await other.text(),
      /Another tab is working with your notes\.\s+Finish there or close it/,
    );
    await other.inspect("other-tab");
    scene.gates.relayer.open();
    await visit.page.bringToFront();
    await visit.step("withdrawn");
    await other.page.bringToFront();
    await other.click("Show my notes");
    await other.page.waitForSelector("li.note.withdrawn");
  },

  async "only one tab pays a deposit; the other says so, and sees the deposited note afterwards"(scene) {
    const visit = await scene.visit();
    await openPayment(visit);
    const other = await visit.openTab();
    await unlock(other);
    await other.click("Continue");
    await other.step("deposit-failed");
    assert.match(await other.text(), /Another tab is working with your notes\./);
    const sent = scene.wallet.sent;
    await visit.page.bringToFront();
    await visit.click("Test wallet");
    await visit.click("Pay with");
    await visit.step("deposited");
    assert.equal(scene.wallet.sent - sent, 1);
    await other.page.bringToFront();
    await other.page.evaluate(() => location.hash = "#/");
    await other.page.waitForSelector("li.note.deposited", { timeout: SETTLEMENT_TIMEOUT_MS });
  },

  async "a store that is locked or erased in one tab is locked or erased in the other"(scene) {
    const visit = await scene.visit();
    const other = await visit.openTab();
    await unlock(other);
    await visit.page.bringToFront();
    await visit.click("Lock");
    await other.step("locked");
    await visit.unlock();
    await other.page.bringToFront();
    await unlock(other);
    await visit.page.bringToFront();
    await visit.click("Settings");
    await visit.step("settings");
    await visit.type("erase", "ERASE");
    await visit.click("Erase everything here");
    await visit.step("absent");
    await other.step("absent");
  },

  async "of two tabs that create a store, the second opens the store of the first"(scene) {
    const visit = await scene.visit({ content: "none" });
    await visit.click("Start");
    const other = await visit.openTab();
    await other.click("Start");
    for (const tab of [visit, other]) {
      await tab.page.bringToFront();
      await tab.step("new");
      await tab.type("passphrase", PASSPHRASE);
      await tab.type("repeat", PASSPHRASE);
    }
    await visit.page.bringToFront();
    await visit.click("Create my store");
    await visit.step("notes");
    await other.page.bringToFront();
    await other.click("Create my store");
    await unlock(other);
  },
};

async function unlock(tab: Journey): Promise<void> {
  await tab.step("locked");
  await tab.type("passphrase", PASSPHRASE);
  await tab.click("Unlock");
  await tab.step("notes");
}
