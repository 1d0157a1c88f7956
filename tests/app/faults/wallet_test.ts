/// <reference lib="dom" />
/**
 * Wallets that decline, delay, send false responses or pay incorrectly: only the pool's log counts, the
 * screen names the next step, and nothing is paid twice.
 */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type FaultScene, runCase, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
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

Deno.test({
  name: "wallets",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({}, async (scene) => {
      for (const [name, pay] of Object.entries(payments)) {
        await runCase(t, scene, name, () => paysOnce(scene, pay));
      }
      await runCase(
        t,
        scene,
        "that sends twice makes two deposits, which the note says, and is withdrawn",
        () => paysTwice(scene),
      );
    }),
});

/** Connects a wallet, pays in an unusual way, and asserts that the deposit arrives. */
async function paysOnce(scene: FaultScene, pay: Payment): Promise<void> {
  const before = scene.wallet.sent;
  const visit = await connectedVisit(scene);
  await pay(scene, visit);
  await visit.step("deposited");
  assert.ok(scene.wallet.sent > before);
  await visit.page.close();
}

type Payment = (scene: FaultScene, visit: Visit) => Promise<void>;

/** The wallet's conduct before the deposit arrives. */
const payments: Readonly<Record<string, Payment>> = {
  async "that declines is watched until its request has expired, and then asked again"(scene, visit) {
    await pay(scene, visit, "declines");
    await waitForNotice(
      visit,
      /^The wallet says that you declined\. We watch the pool for up to four minutes to be sure\.$/,
    );
    await visit.inspect("wallet-declined");
    await payAgain(scene, visit);
  },

  async "that is slow gets its whole time"(scene, visit) {
    const answer = await payLater(scene, visit);
    await visit.inspect("wallet-asking");
    answer("signs");
  },

  async "that signs after the request is over pays once, although it can be asked again"(scene, visit) {
    const before = scene.wallet.sent;
    const answer = await payLater(scene, visit);
    advanceChain(scene);
    await waitForNotice(
      visit,
      /^The payment request has expired, and no payment arrived\. You can try again\.$/,
    );
    assert.notEqual(await payButton(visit), null);
    answer("late");
    await visit.step("deposited");
    assert.equal(scene.wallet.sent - before, 1);
  },

  async "that sends an invalid response is watched, and asked again"(scene, visit) {
    await pay(scene, visit, "nonsense");
    await waitForNotice(
      visit,
      /^The wallet gave no clear answer\. We watch the pool for up to four minutes\.$/,
    );
    await payAgain(scene, visit);
  },

  async "that claims a payment which it did not make is watched, and asked again"(scene, visit) {
    await pay(scene, visit, "lies");
    await waitForText(visit, "Waiting for the network");
    await payAgain(scene, visit);
  },

  async "that sends another amount gets it back, and is asked again"(scene, visit) {
    const chain = connect({ network: "localnet", endpoint: scene.indexer });
    const balance = async () => (await chain.account(scene.wallet.address)).balance;
    const before = await balance();
    await pay(scene, visit, "another amount");
    await waitForNotice(
      visit,
      /^The pool returned a payment to the wallet that sent it, less fees\. Its amount was not exact\./,
    );
    await visit.inspect("wallet-other-amount");
    assert.ok(before - await balance() < toNano("0.2"), "only fees were spent");
    await pay(scene, visit, "signs");
  },

  async "that pays without the bounce flag pays as any other"(scene, visit) {
    await pay(scene, visit, "unbounceable");
  },
};

async function paysTwice(scene: FaultScene): Promise<void> {
  const visit = await connectedVisit(scene);
  const before = scene.wallet.sent;
  await pay(scene, visit, "twice");
  await visit.step("deposited");
  await waitUntil("both are sent", () => Promise.resolve(scene.wallet.sent === before + 2));
  await visit.click("Show my notes");
  await visit.step("notes");
  await visit.click("Check the notes");
  await waitForText(visit, "Paid in twice: you can withdraw it twice");
  await withdraw(visit);
  await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
}
