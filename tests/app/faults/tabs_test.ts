/// <reference lib="dom" />
/** Two open tabs of one browser. */
import assert from "node:assert/strict";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type FaultCases, type FaultScene, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { type Journey, PASSPHRASE } from "../../support/app/journey.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  formatRecipient,
  openPayment,
  SETTLEMENT_TIMEOUT_MS,
  withdraw,
} from "../../support/app/steps/money_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

Deno.test({
  name: "tabs",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 3 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "only one tab withdraws; the other says so, and then shows the same receipt"(scene) {
    const { visit, other, recipient } = await withdrawInTwoTabs(scene);
    scene.gates.relayer.open();
    await visit.page.bringToFront();
    await visit.step("withdrawn");
    await other.page.bringToFront();
    await other.click("Try again");
    await other.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    assert.match(await other.text(), new RegExp(formatRecipient(recipient)));
    await other.click("Done");
    await other.page.waitForSelector("li.note.withdrawn");
  },

  async "a tab that was closed during its withdrawal leaves its recipient to the other one"(scene) {
    const { visit, other, recipient } = await withdrawInTwoTabs(scene);
    await visit.page.close();
    scene.gates.relayer.open();
    await other.click("Try again");
    const shown = await other.page.waitForSelector('[data-step="withdrawn"], [data-step="review"]', {
      timeout: SETTLEMENT_TIMEOUT_MS,
    });
    assert.match(await other.text(), new RegExp(formatRecipient(recipient)), "not the second recipient");
    if (await shown!.evaluate((step) => step.getAttribute("data-step")) === "review") {
      await confirmWithdrawal(other);
    }
    await other.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    assert.match(await other.text(), new RegExp(formatRecipient(recipient)));
  },

  async "the address of an earlier step, or of no note, leads to the notes and changes none"(scene) {
    const visit = await scene.visit({ content: scene.takeFunded() });
    await withdraw(visit);
    await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    await visit.click("Done");
    for (const address of ["#/deposit/0", "#/withdraw/0", "#/settle/0", "#/deposit/9", "#/withdraw/x"]) {
      await visit.page.evaluate((address) => location.hash = address, address);
      await visit.page.waitForFunction(() => location.hash === "#/");
      await visit.step("notes");
      await visit.page.waitForSelector("li.note.withdrawn");
    }
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

/** Begins a withdrawal whose relayer does not answer, and another one with another recipient in a second tab, which fails. */
async function withdrawInTwoTabs(scene: FaultScene) {
  const visit = await scene.visit({ content: scene.takeFunded() });
  const other = await visit.openTab();
  await unlock(other);
  await enterRecipient(other);
  await other.step("review");
  const { relayer } = scene.gates;
  relayer.hold("/withdraw");
  const before = relayer.requests.length;
  await visit.page.bringToFront(); // browsers slow down hidden tabs
  const recipient = await withdraw(visit);
  await waitUntil(
    "the proof is sent",
    () => Promise.resolve(relayer.requests.slice(before).includes("/withdraw")),
  );
  await other.page.bringToFront();
  await confirmWithdrawal(other);
  await other.step("withdraw-failed");
  assert.match(await other.text(), /Another tab is working with your notes\.\s+Finish there or close it/);
  await other.inspect("other-tab");
  return { visit, other, recipient };
}

async function unlock(tab: Journey): Promise<void> {
  await tab.step("locked");
  await tab.type("passphrase", PASSPHRASE);
  await tab.click("Unlock");
  await tab.step("notes");
}
