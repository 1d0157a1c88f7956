/**
 * Relayers that give false data, no response or a higher price: the screen reports it, and the note can be
 * withdrawn afterwards.
 */
import assert from "node:assert/strict";
import { type Address, toNano } from "@ton/core";
import { FAILOVER_TIMEOUT_MS } from "../../../src/client/withdrawal/withdrawal_wait.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import {
  type FaultCases,
  type FaultScene,
  runCases,
  type Visit,
  withFaultScene,
} from "../../support/app/fault_scene.ts";
import { startGate } from "../../support/app/gate.ts";
import { confirmWithdrawal, enterRecipient, formatRecipient } from "../../support/app/steps/money_steps.ts";
import { differentElement } from "../../support/relayer/relayer_proxy.ts";
import { chromium } from "../../support/system/chromium.ts";

/** The denomination of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");
const GREEDY_PAYOUT = toNano("0.001");

Deno.test({
  name: "relayers",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 10 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "with wrong leaves sends nothing, and the note is withdrawn once its leaves are right"(scene) {
    const { relayer } = scene.gates;
    relayer.alter = (path, json) => {
      if (path !== "/tree/commitments" || json.commitments.length === 0) return json;
      const [first, ...rest] = json.commitments;
      return {
        ...json,
        commitments: [{ ...first, commitment: differentElement(first.commitment) }, ...rest],
      };
    };
    const { visit, recipient } = await review(scene);
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    assert.deepEqual(await visit.notices(), [
      "The withdrawal stopped",
      "No relayer could serve this request. Your note is safe. Try again in a minute, or add a relayer in Settings or when you start tonado app.",
    ]);
    await visit.inspect("withdraw-failed");
    assert.ok(!relayer.requests.includes("/withdraw"), "no proof left the page");
    relayer.open();
    await visit.click("Try again");
    await visit.step("review");
    await confirmWithdrawal(visit);
    await assertPaid(scene, visit, recipient);
  },

  async "that raises its fee after the review is not paid more, and the new price is shown"(scene) {
    const { relayer } = scene.gates;
    const { visit, recipient } = await review(scene);
    relayer.alter = (path, json) => path === "/status" ? { ...json, feeBps: json.feeBps * 3 } : json;
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    assert.deepEqual(await visit.notices(), [
      "The withdrawal stopped",
      "The fee went up meanwhile. It was not sent at the new price. Look at the prices and decide again.",
    ]);
    await visit.click("Try again");
    await visit.step("review");
    assert.match(await visit.text(), /Fee\s+0\.15 GRAM/);
    relayer.open();
    await confirmWithdrawal(visit);
    await assertPaid(scene, visit, recipient);
  },

  async "that asks for almost the whole note after the review is paid only once this fee is accepted by itself"(
    scene,
  ) {
    const { relayer } = scene.gates;
    const { visit, recipient } = await review(scene);
    relayer.alter = (path, json) => path === "/status" ? { ...json, feeBps: 9_999 } : json;
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    await visit.click("Try again");
    await visit.step("review");
    assert.equal((await visit.notices())[1], "The relayer keeps 9.999 GRAM of 10 GRAM. I accept this fee");
    await visit.inspect("review-high-fee");
    await visit.page.click("#accept");
    assert.ok(await visit.page.$("button.primary:disabled"), "the fee needs its own tick");
    await visit.page.click("#accept-fee");
    await visit.page.click("button.primary");
    await assertPaid(scene, visit, recipient, GREEDY_PAYOUT);
  },

  async "whose fee is the whole note is refused before the review"(scene) {
    const { relayer } = scene.gates;
    relayer.alter = (path, json) => path === "/status" ? { ...json, feeBps: 10_000 } : json;
    const visit = await scene.visit({ content: scene.takeFunded() });
    await enterRecipient(visit);
    await visit.page.waitForSelector(".notice.is-problem");
    await visit.step("recipient");
    assert.match((await visit.notices())[1], /No relayer could serve this request. Your note is safe/);
    relayer.open();
    await visit.click("Continue");
    await visit.step("review");
  },

  async "that reports a payment which the pool does not have changes nothing"(scene) {
    const { relayer } = scene.gates;
    const { visit, recipient } = await review(scene);
    relayer.answer = (path) => {
      if (path === "/withdraw") return Response.json({ seqno: 1, fee: "1" });
      return path === "/withdraw/status" ? Response.json({ state: "confirmed" }) : undefined;
    };
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    assert.deepEqual(await visit.notices(), [
      "The withdrawal stopped",
      "We do not know yet whether it arrived. The withdrawal was sent to a relayer and may still arrive.",
    ]);
    relayer.open();
    await visit.click("Follow it");
    await assertPaid(scene, visit, recipient);
  },

  async "that refuses the proof is named with its reason, and a new proof for the same address is made at once"(
    scene,
  ) {
    const { relayer } = scene.gates;
    const { visit, recipient } = await review(scene);
    relayer.answer = (path, body) =>
      // a preflight has no body
      path === "/withdraw" && body !== ""
        ? Response.json({ code: "fee_below_floor" }, { status: 422 })
        : undefined;
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    assert.deepEqual(await visit.notices(), [
      "The withdrawal stopped",
      "The relayer refused: it now asks for a higher fee. It has the proof and could still send the withdrawal. You can try again only with the same address, through this relayer or another.",
    ]);
    await visit.inspect("withdraw-refused");
    relayer.open();
    await visit.click("Try again");
    await visit.step("review");
    assert.ok((await visit.text()).includes(formatRecipient(recipient)), "the recipient stays");
    await confirmWithdrawal(visit);
    await assertPaid(scene, visit, recipient);
  },

  async "that never answers a withdrawal is followed after the page was closed"(scene) {
    const { relayer } = scene.gates;
    const { visit, recipient } = await review(scene);
    relayer.hold("/withdraw");
    await confirmWithdrawal(visit);
    await visit.page.waitForFunction(() =>
      document.body.innerText.includes("Keep this page open until a relayer has the withdrawal.")
    );
    await visit.inspect("running-stalled");
    await visit.reopen();
    relayer.open();
    await (await visit.page.waitForSelector("li.note.withdrawing button"))!.click();
    await assertPaid(scene, visit, recipient);
  },

  async "that vanishes with the proof is replaced by another one after three minutes, for the same recipient"(
    scene,
  ) {
    const { app, gates: { relayer } } = scene;
    const { visit, recipient } = await review(scene);
    relayer.hold("/withdraw");
    await confirmWithdrawal(visit);
    await visit.page.waitForFunction(() => document.body.innerText.includes("Keep this page open"));
    const other = startGate(scene.relayer);
    await app.reopen({ relayers: [relayer.url, other.url] });
    try {
      await visit.reopen();
      await (await visit.page.waitForSelector("li.note.withdrawing button"))!.click();
      await visit.step("running");
      assert.equal(await visit.page.$("::-p-xpath(//button[text()='Use another relayer'])"), null);
      await visit.page.evaluateOnNewDocument((ms) => {
        const { now } = Date;
        Date.now = () => now() + ms;
      }, FAILOVER_TIMEOUT_MS);
      await visit.reopen();
      await (await visit.page.waitForSelector("li.note.withdrawing button"))!.click();
      await visit.step("running");
      await visit.inspect("running-failover");
      await visit.click("Use another relayer");
      await visit.step("review");
      assert.ok((await visit.text()).includes(formatRecipient(recipient)), "the recipient stays");
      const offered = await visit.page.$$eval(".choice-main", (all) => all.map((each) => each.textContent));
      assert.deepEqual(offered, [new URL(other.url).host], "the relayer that vanished is not offered");
      await confirmWithdrawal(visit);
      await assertPaid(scene, visit, recipient);
    } finally {
      await app.reopen();
      await other.close();
    }
  },

  async "that does not respond before the review causes a timeout after ten seconds"(scene) {
    const { relayer } = scene.gates;
    relayer.hold();
    const visit = await scene.visit({ content: scene.takeFunded() });
    await enterRecipient(visit);
    await visit.step("checking");
    await visit.page.waitForSelector(".notice.is-problem", { timeout: 20_000 });
    assert.match((await visit.notices())[1], /No relayer could serve this request/);
    relayer.open();
    await visit.click("Continue");
    await visit.step("review");
  },

  async "that sends an invalid response is refused before the review"(scene) {
    const { relayer } = scene.gates;
    relayer.answer = () => new Response("<html>Bad gateway</html>", { status: 200 });
    const visit = await scene.visit({ content: scene.takeFunded() });
    await enterRecipient(visit);
    await visit.page.waitForSelector(".notice.is-problem", { timeout: 20_000 });
    assert.match((await visit.notices())[1], /No relayer could serve this request/);
    await visit.inspect("relayer-nonsense");
  },
};

async function review(scene: FaultScene): Promise<{ visit: Visit; recipient: Address }> {
  const visit = await scene.visit({ content: scene.takeFunded() });
  const recipient = await enterRecipient(visit);
  await visit.step("review");
  return { visit, recipient };
}

async function assertPaid(
  { indexer }: FaultScene,
  visit: Visit,
  recipient: Address,
  payout = PAYOUT,
): Promise<void> {
  await visit.step("withdrawn");
  const chain = connect({ network: "localnet", endpoint: indexer });
  assert.equal((await chain.account(recipient)).balance, payout);
  await visit.page.close();
}
