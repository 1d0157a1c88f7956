/// <reference lib="dom" />
/** Faults around a settlement by the depositor: two tabs, a lost network, a wrong clock, a missing file of its screen. */
import assert from "node:assert/strict";
import { passTime, shiftAfterMark, shiftClock } from "../../support/app/shifted_clock.ts";
import { type FaultCases, runCases, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import type { Journey } from "../../support/app/journey.ts";
import { unlockTab } from "../../support/app/steps/kill_steps.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import { goOffline, goOnline, SILENT } from "../../support/app/steps/network_steps.ts";
import { waitForNotice, waitForText } from "../../support/app/steps/payment_steps.ts";
import {
  checkNotes,
  chooseSettler,
  openOffer,
  OVERDUE_SECONDS,
  passHalfAnHour,
  settle,
  settlementsOf,
  showReadyNote,
  unsettledVisit,
  waitingVisit,
} from "../../support/app/steps/settle_steps.ts";
import { chromium } from "../../support/system/chromium.ts";
import type { WalletConduct } from "../../../testkit/wallet/test_wallet.ts";

const POOL = "native-10-v2";
const HOUR_MS = 3_600_000;

Deno.test({
  name: "a settlement",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ settles: false }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "is made by only one of two tabs; the other says so, and sees the settled note afterwards"(scene) {
    const visit = await unsettledVisit(scene, POOL);
    await openOffer(visit);
    const other = await visit.openTab();
    await unlockTab(other);
    await checkNotes(other);
    await other.click("Settle it yourself");
    await other.step("settle-failed");
    assert.match(await other.text(), /Another tab is working with your notes\.\s+Finish there or close it/);
    await other.inspect("settle-other-tab");
    const { sent } = scene.wallet;
    const before = (await settlementsOf(scene, POOL)).length;
    await visit.page.bringToFront(); // browsers slow down hidden tabs
    await settle(visit);
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    assert.equal(scene.wallet.sent - sent, 1);
    assert.equal((await settlementsOf(scene, POOL)).length - before, 1);
    await showReadyNote(visit);
    await other.page.bringToFront();
    await other.click("Try again");
    await other.step("settled");
    assert.match(await other.text(), /You have nothing to do\./);
    await showReadyNote(other);
  },

  async "stops offline while the pool is read and before the proof, and goes on"(scene) {
    const visit = await unsettledVisit(scene, POOL);
    scene.gates.deposit.hold();
    await visit.click("Settle it yourself");
    await visit.step("settle-reading");
    await visit.inspect("settle-reading");
    await goOffline(visit);
    await visit.step("settle-failed");
    const notices = await visit.notices();
    assert.ok(notices.includes(SILENT), notices.join(" | "));
    scene.gates.deposit.open();
    await goOnline(visit);
    await visit.click("Try again");
    await waitForOffer(visit);
    await chooseSettler(visit);
    await goOffline(visit);
    const { sent } = scene.wallet;
    await visit.click("Settle with");
    await waitForNotice(visit, /^The network does not answer\. Check your internet connection/);
    assert.equal(scene.wallet.sent, sent, "the wallet was not asked");
    await visit.inspect("settle-offline");
    await goOnline(visit);
    await visit.click("Settle with");
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    await showReadyNote(visit);
  },

  async "that the wallet sends while the page is offline is seen when it is online"(scene) {
    const answer = Promise.withResolvers<WalletConduct>();
    const visit = await unsettledVisit(scene, POOL);
    scene.conduct = () => answer.promise;
    await openOffer(visit);
    await settle(visit);
    await waitForText(visit, "Confirm it in Test wallet");
    await goOffline(visit);
    const before = (await settlementsOf(scene, POOL)).length;
    answer.resolve("signs");
    await waitForNotice(visit, /^The network does not answer\. We keep trying\.$/);
    await waitForText(visit, "Waiting for the network");
    await visit.inspect("settle-waiting-offline");
    await goOnline(visit);
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    assert.match(await visit.text(), /Your settlement was accepted/);
    assert.equal((await settlementsOf(scene, POOL)).length - before, 1);
    await showReadyNote(visit);
  },

  async "is offered and made in chain time when the clock is an hour ahead"(scene) {
    await settleWithClock(scene, HOUR_MS);
  },

  async "is offered and made in chain time when the clock is an hour behind"(scene) {
    await settleWithClock(scene, -HOUR_MS);
  },

  async "is possible after its screen could not be loaded at first"(scene) {
    scene.app.intercept = ({ url }) =>
      /settle_screen/.test(new URL(url).pathname) ? new Response("", { status: 404 }) : undefined;
    const visit = await unsettledVisit(scene, POOL);
    await visit.click("Settle it yourself");
    await visit.step("settle-missing");
    await visit.inspect("settle-missing");
    scene.app.intercept = undefined;
    await visit.click("Try again");
    await waitForOffer(visit);
    await settle(visit);
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    await showReadyNote(visit);
  },
};

/** A new deposit is not offered for settlement before the chain says that half an hour has passed. */
async function settleWithClock(scene: Parameters<typeof waitingVisit>[0], shift: number): Promise<void> {
  const prepare = async (page: Visit["page"]) => {
    await page.evaluateOnNewDocument(shiftClock, shift);
    await page.evaluateOnNewDocument(shiftAfterMark, OVERDUE_SECONDS * 1000);
  };
  const visit = await waitingVisit(scene, POOL, { prepare });
  await visit.reopen();
  await checkNotes(visit);
  await waitForText(visit, "Paid in, not ready yet");
  assert.doesNotMatch(await visit.text(), /Settle it yourself/);
  passHalfAnHour(scene);
  await visit.reopen();
  await checkNotes(visit);
  await waitForText(visit, "Paid in, not ready yet");
  assert.doesNotMatch(await visit.text(), /Settle it yourself/, "the endpoint may lie about the time");
  await passTime(visit.page);
  await visit.reopen();
  await checkNotes(visit);
  await waitForText(visit, "Settle it yourself");
  await openOffer(visit);
  await settle(visit);
  await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
  await showReadyNote(visit);
}

async function waitForOffer({ page }: Journey): Promise<void> {
  await page.waitForSelector('[data-step="settle"]', { timeout: SETTLEMENT_TIMEOUT_MS });
}
