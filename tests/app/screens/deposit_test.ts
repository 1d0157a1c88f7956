/// <reference lib="dom" />
/** The screens of a deposit: what they say before money moves, and how a payment is shown again. */
import assert from "node:assert/strict";
import { type FaultScene, runCase, withFaultScene } from "../../support/app/fault_scene.ts";
import { openPayment } from "../../support/app/steps/money_steps.ts";
import { advanceChain, waitForText } from "../../support/app/steps/payment_steps.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

Deno.test({
  name: "a deposit",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({}, async (scene) => {
      await runCase(t, scene, "shows what a withdrawal costs once its user asks for it", async () => {
        const visit = await scene.visit();
        await visit.click("Deposit");
        await visit.step("amount");
        await visit.inspect("amount-without-fees");
        assert.deepEqual(scene.gates.relayer.requests, []);
        await visit.click("Show today's fee");
        await visit.page.waitForFunction(() =>
          document.body.innerText.includes("Fee of a withdrawal today: 0.05 TON (0.5 % of the amount).")
        );
      });

      await runCase(
        t,
        scene,
        "of an earlier visit is shown again as soon as its user has not paid, and a wallet is asked only when its request has expired",
        () => showsAgain(scene),
      );

      await runCase(
        t,
        scene,
        "continues after its page was locked and loaded again while its user paid",
        async () => {
          const visit = await scene.visit();
          await openPayment(visit);
          const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
          await visit.click("Lock");
          await visit.unlock();
          await waitForText(visit, "Waiting for the network");
          await visit.page.reload();
          const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
          assert.equal(code, 0, stderr);
          await visit.unlock();
          await visit.step("deposited");
          await visit.click("Show my notes");
          await visit.step("notes");
          assert.equal((await visit.page.$$("li.note")).length, 1);
        },
      );

      await runCase(
        t,
        scene,
        "without a relayer starts only when its user will withdraw in another way",
        async () => {
          await scene.app.reopen({ relayers: [] });
          const visit = await scene.visit();
          await visit.click("Deposit");
          await visit.step("amount");
          const isEnabled = () =>
            visit.page.$eval("form button[type=submit]", (button) => !button.matches(":disabled"));
          assert.equal(await isEnabled(), false);
          await visit.inspect("amount-no-relayer");
          await (await visit.page.waitForSelector("#no-relayer"))!.click();
          assert.equal(await isEnabled(), true);
          await scene.app.reopen();
        },
      );
    }),
});

async function showsAgain(scene: FaultScene): Promise<void> {
  const visit = await scene.visit();
  await openPayment(visit);
  await visit.page.waitForSelector(".qr-dark");
  await visit.reopen();
  await visit.click("Continue");
  await visit.page.waitForFunction(() => document.body.innerText.includes("Waiting for the network"));
  assert.equal(await visit.page.$(".qr-dark"), null);
  await visit.inspect("pay-earlier");
  await visit.click("I have not paid yet");
  await visit.page.waitForSelector(".qr-dark");
  await waitForText(visit, "You can connect a wallet when it has expired");
  await visit.inspect("pay-not-paid");
  advanceChain(scene);
  await visit.click("Test wallet");
  await waitForText(visit, "Pay with Test wallet");
  scene.gates.deposit.open();
}
