/**
 * Wallets and version 1 pools, where each payment is for one leaf: a refused payment returns, and the user
 * pays again.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type FaultCases, type FaultScene, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import {
  advanceChain,
  connectedVisit,
  pay,
  payAgain,
  payButton,
  payLater,
  waitForNotice,
  waitForText,
} from "../../support/app/steps/payment_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-1";
/** A value above the cost of one deposit with its fees, and below the cost of two. */
const MAX_SPENT = toNano("1.9");

Deno.test({
  name: "wallets and version 1 pools",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({}, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "a wallet that declines is asked again only when the first request can no longer be paid"(scene) {
    const visit = await connectedVisit(scene, POOL);
    await pay(scene, visit, "declines");
    await waitForNotice(visit, /declined/);
    await payAgain(scene, visit);
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await visit.page.close();
  },

  async "a payment that another deposit overtook returns, and the next one is accepted"(scene) {
    const visit = await connectedVisit(scene, POOL);
    const other = await connectedVisit(scene, POOL);
    const before = await balanceOf(scene);
    await visit.page.bringToFront(); // browsers slow down hidden pages
    const answer = await payLater(scene, visit);
    await other.page.bringToFront();
    await pay(scene, other, "signs");
    await other.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await other.page.close();
    answer("signs");
    await visit.page.bringToFront();
    await waitForNotice(
      visit,
      /^Another deposit came first, and the pool returned your payment, less fees\. Try again\.$/,
    );
    await visit.inspect("wallet-overtaken");
    assert.ok(before - await balanceOf(scene) < MAX_SPENT, "the overtaken payment returned");
    await pay(scene, visit, "signs");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await visit.page.close();
  },

  async "a wallet that signs after the request is over pays the leaf that is still free, once"(scene) {
    const visit = await connectedVisit(scene, POOL);
    const before = scene.wallet.sent;
    const answer = await payLater(scene, visit);
    advanceChain(scene);
    await waitUntil("the app offers to pay", async () => await payButton(visit) !== null);
    answer("late");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    assert.equal(scene.wallet.sent - before, 1);
    await visit.page.close();
  },

  async "a wallet that sends twice makes one deposit, and the second payment returns"(scene) {
    const visit = await connectedVisit(scene, POOL);
    const [before, sent] = [await balanceOf(scene), scene.wallet.sent];
    await pay(scene, visit, "twice");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await waitUntil("both are sent", () => Promise.resolve(scene.wallet.sent === sent + 2));
    await waitUntil("one returned", async () => before - await balanceOf(scene) < MAX_SPENT);
    await visit.click("Show my notes");
    await visit.step("notes");
    await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
    assert.doesNotMatch(await visit.text(), /Paid in twice/);
    await visit.page.close();
  },

  async "a wallet that sends another amount gets it back, and is asked again"(scene) {
    const visit = await connectedVisit(scene, POOL);
    const before = await balanceOf(scene);
    await pay(scene, visit, "another amount");
    await waitUntil("the app offers to pay again", async () => await payButton(visit) !== null);
    assert.ok(before - await balanceOf(scene) < toNano("0.2"), "only fees were spent");
    await pay(scene, visit, "signs");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await visit.page.close();
  },

  async "a page that is closed while its wallet pays finds the payment when the next visit continues"(scene) {
    const visit = await connectedVisit(scene, POOL);
    const sent = scene.wallet.sent;
    const answer = await payLater(scene, visit);
    await visit.page.goto("about:blank");
    answer("signs");
    await waitUntil("the wallet has paid", () => Promise.resolve(scene.wallet.sent === sent + 1));
    await visit.reopen();
    await visit.click("Continue");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
    await visit.click("Show my notes");
    await waitForText(visit, "Withdraw");
  },
};

async function balanceOf({ indexer, wallet }: FaultScene): Promise<bigint> {
  return (await connect({ network: "localnet", endpoint: indexer }).account(wallet.address)).balance;
}
