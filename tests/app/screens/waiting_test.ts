/// <reference lib="dom" />
/** Screens that show while the app waits, and a page that is left: progress, stillness, and the lock of a hidden page. */
import assert from "node:assert/strict";
import { downloaded } from "../../support/app/app_scene.ts";
import { type FaultCases, type FaultScene, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { chooseRestorePassphrase } from "../../support/app/steps/restore_steps.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  openReport,
  SETTLEMENT_TIMEOUT_MS,
  withdraw,
} from "../../support/app/steps/money_steps.ts";
import { shiftClock } from "../../support/app/shifted_clock.ts";
import { formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
const HIDDEN_LIMIT_MS = 120_000;

Deno.test({
  name: "while the app waits",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 3 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "a deposit says what it does, and its bar does not move if the device asks for less motion"(scene) {
    const { deposit } = scene.gates;
    const visit = await scene.visit();
    await visit.click("Deposit");
    await visit.step("amount");
    await visit.page.click(`input[value="${POOL}"]`);
    deposit.hold();
    await visit.click("Continue");
    await visit.step("preparing");
    assert.match(await visit.text(), /Checking the pool and making your note/);
    await visit.inspect("preparing");
    const moving = () => visit.page.evaluate(() => document.getAnimations().length);
    assert.ok(await moving() > 0, "the bar of an unknown progress moves");
    await visit.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    assert.equal(await moving(), 0);
    deposit.open();
    await visit.step("pay-");
    await visit.reopen();
    deposit.hold();
    await visit.click("Continue");
    await visit.step("opening");
    await visit.inspect("opening");
    deposit.open();
    await visit.step("pay-");
  },

  async "a withdrawal and a report say what they do"(scene) {
    const { withdrawal } = scene.gates;
    const visit = await scene.visit({ content: scene.takeFunded() });
    await visit.page.waitForSelector("li.note.deposited button");
    withdrawal.hold();
    await enterRecipient(visit);
    await visit.step("checking");
    await visit.inspect("checking");
    withdrawal.open();
    await confirmWithdrawal(visit);
    await visit.step("withdrawn");
    await openReport(visit);
    withdrawal.hold();
    await visit.click("Make a report");
    await visit.step("report-making");
    await visit.inspect("report-making");
    withdrawal.open();
    await visit.step("report-made");
    await visit.click("Save the report");
    const report = await downloaded(scene.downloads, "report");
    await visit.click("Back");
    await visit.step("report");
    withdrawal.hold();
    await visit.choose("Choose a report", report);
    await visit.step("report-checking");
    await visit.inspect("report-checking");
    withdrawal.open();
    await visit.step("report-checked");
  },

  async "a store is unlocked or restored once its worker has loaded"(scene) {
    const { seed } = scene.takeFunded();
    const visit = await scene.visit();
    await visit.page.setCacheEnabled(false);
    await visit.click("Lock");
    const release = holdVault(scene);
    await visit.unlock();
    await visit.step("opening");
    await visit.inspect("unlocking");
    release();
    await visit.step("notes");
    const other = await scene.visit({ content: "none" });
    await other.click("I have a backup");
    await other.step("restore");
    await other.type("restore-text", formatNoteSeed(seed).reveal());
    await other.click("Continue with this code");
    const releaseOther = holdVault(scene);
    await chooseRestorePassphrase(other, PASSPHRASE);
    await other.step("restoring");
    await other.inspect("restoring");
    releaseOther();
    await other.step("restored");
  },

  async "a note that somebody else withdraws meanwhile has a receipt that says so"(scene) {
    const content = scene.takeFunded();
    const { relayer } = scene.gates;
    const visit = await scene.visit({ content });
    await enterRecipient(visit);
    await visit.step("review");
    relayer.answer = (path) => {
      if (path === "/withdraw") return Response.json({ seqno: 1, fee: "1" });
      return path === "/withdraw/status" ? Response.json({ state: "confirmed" }) : undefined;
    };
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    relayer.open();
    const thief = await scene.visit({ content });
    await withdraw(thief);
    await thief.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    await visit.page.bringToFront();
    await visit.click("Follow it");
    await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    const text = await visit.text();
    assert.match(text, /Problem/);
    assert.match(text, /The note was paid, but to another address\./);
    assert.doesNotMatch(text, /It has arrived|You get/);
    await visit.inspect("receipt-elsewhere");
  },

  async "a page that is hidden for two minutes locks, and a visible one does not"(scene) {
    const visit = await scene.visit({ prepare: (page) => page.evaluateOnNewDocument(shiftClock, 0) });
    const shift = (ms: number) =>
      visit.page.evaluate((ms) => void Object.assign(globalThis, { clockShift: ms }), ms);
    await shift(HIDDEN_LIMIT_MS);
    await new Promise((resolve) => setTimeout(resolve, 6_000)); // the app looks every five seconds
    await visit.step("notes");
    await visit.openTab();
    await visit.page.waitForFunction(() => document.hidden, { polling: 200 });
    await shift(2 * HIDDEN_LIMIT_MS);
    await visit.page.waitForFunction(() => document.querySelector('[data-step="locked"]'), {
      polling: 200,
      timeout: 90_000, // browsers slow down hidden tabs
    });
  },
};

/** Holds back the file of the vault's worker until the returned function is called. */
function holdVault({ app }: FaultScene): () => void {
  const released = Promise.withResolvers<void>();
  app.intercept = (request) => {
    if (!/vault_worker/.test(new URL(request.url).pathname)) return undefined;
    return released.promise.then(() => app.respond(request));
  };
  return released.resolve;
}
