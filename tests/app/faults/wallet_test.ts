/// <reference lib="dom" />
/** Wallets that decline, wait, lie or pay wrongly: the pool's log decides, the owner reads what to do, and nothing is paid twice. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import type { WalletConduct } from "../../../testkit/wallet/test_wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type FaultScene, runCase, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/money_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

/** A request for a payment is over after 90 s, and what it paid is visible within 60 s more. */
const AFTER_EXPIRY_SECONDS = 200;

Deno.test({
  name: "wallets",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({}, async (scene) => {
      const test = (name: string, fn: (visit: Visit) => Promise<void>) =>
        runCase(t, scene, name, async () => {
          const before = scene.wallet.sent;
          const visit = await connectedVisit(scene);
          await fn(visit);
          await visit.step("deposited");
          assert.ok(scene.wallet.sent > before);
          await visit.page.close();
        });
      const pay = async (visit: Visit, conduct: WalletConduct) => {
        scene.conduct = () => conduct;
        await visit.click("Pay with");
      };
      /** The wallet can be asked again only when the first request can no longer be paid. */
      const payAgain = async (visit: Visit) => {
        assert.equal(await payButton(visit), null, "the first request may still be paid");
        advanceChain(scene);
        await visit.page.waitForFunction(isPayOffered);
        await pay(visit, "signs");
      };

      await test("that declines is watched until its request is over, and asked again", async (visit) => {
        await pay(visit, "declines");
        await notice(
          visit,
          /^The wallet says that you declined\. We watch the pool for two minutes to be sure\.$/,
        );
        await visit.inspect("wallet-declined");
        await payAgain(visit);
      });

      await test("that is slow is waited for", async (visit) => {
        const answer = Promise.withResolvers<WalletConduct>();
        scene.conduct = () => answer.promise;
        await visit.click("Pay with");
        await visit.page.waitForFunction(() => document.body.innerText.includes("Confirm it in Test wallet"));
        await visit.inspect("wallet-asking");
        answer.resolve("signs");
      });

      await test("that signs after the request is over pays once, although it can be asked again", async (visit) => {
        const answer = Promise.withResolvers<WalletConduct>();
        scene.conduct = () => answer.promise;
        const before = scene.wallet.sent;
        await visit.click("Pay with");
        await visit.page.waitForFunction(() => document.body.innerText.includes("Confirm it in Test wallet"));
        advanceChain(scene);
        await notice(visit, /^No payment was seen in time\. You can try again\.$/);
        assert.notEqual(await payButton(visit), null);
        answer.resolve("late");
        await visit.step("deposited");
        assert.equal(scene.wallet.sent - before, 1);
      });

      await test("that answers nonsense is watched, and asked again", async (visit) => {
        await pay(visit, "nonsense");
        await notice(visit, /^The wallet gave no clear answer\. We watch the pool for two minutes\.$/);
        await payAgain(visit);
      });

      await test("that claims a payment which it did not make is watched, and asked again", async (visit) => {
        await pay(visit, "lies");
        await visit.page.waitForFunction(() => document.body.innerText.includes("Waiting for the network"));
        await payAgain(visit);
      });

      await test("that sends another amount gets it back, and is asked again", async (visit) => {
        const chain = connect({ network: "localnet", endpoint: scene.indexer });
        const balance = async () => (await chain.account(scene.wallet.address)).balance;
        const before = await balance();
        await pay(visit, "another amount");
        await notice(
          visit,
          /^The pool sent your money back\. Pay exactly the amount that is shown, and try again\.$/,
        );
        await visit.inspect("wallet-other-amount");
        assert.ok(before - await balance() < toNano("0.2"), "only fees were spent");
        await pay(visit, "signs");
      });

      await test("that pays without the bounce flag pays as any other", (visit) =>
        pay(visit, "unbounceable"));

      await runCase(t, scene, "that sends twice makes two deposits, and both can be withdrawn", async () => {
        const visit = await connectedVisit(scene);
        const before = scene.wallet.sent;
        await pay(visit, "twice");
        await visit.step("deposited");
        await waitUntil("both are sent", () => Promise.resolve(scene.wallet.sent === before + 2));
        await visit.click("Show my notes");
        await visit.step("notes");
        await waitForText(visit, "Paid in twice: withdraw it each time");
        await withdraw(visit);
        await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
        await visit.click("Done");
        await visit.step("notes");
        await visit.page.waitForFunction(() => !document.body.innerText.includes("Paid in twice"));
        await withdraw(visit);
        await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
      });
    }),
});

async function connectedVisit(scene: FaultScene): Promise<Visit> {
  const visit = await scene.visit();
  await openPayment(visit);
  await visit.click("Test wallet");
  await visit.page.waitForFunction(isPayOffered);
  return visit;
}

function isPayOffered(): boolean {
  return [...document.querySelectorAll("button")].some((each) => each.innerText.startsWith("Pay with"));
}

const payButton = ({ page }: Visit) =>
  page.evaluateHandle(() =>
    [...document.querySelectorAll("button")].find((each) => each.innerText.startsWith("Pay with")) ?? null
  ).then((found) => found.asElement());

async function waitForText({ page }: Visit, text: string): Promise<void> {
  const options = { timeout: SETTLEMENT_TIMEOUT_MS };
  await page.waitForFunction((text) => document.body.innerText.includes(text), options, text);
}

async function notice(visit: Visit, expected: RegExp): Promise<void> {
  await waitUntil(
    `a notice says ${expected}`,
    async () => (await visit.notices()).some((each) => expected.test(each)),
  );
}

/** From now on the app sees a chain whose clock is ahead: the request is over. */
function advanceChain({ gates: { deposit } }: FaultScene): void {
  deposit.alter = (_path, json) => {
    if (json.result?.sync_utime) json.result.sync_utime += AFTER_EXPIRY_SECONDS;
    return json;
  };
}
