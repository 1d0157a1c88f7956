/// <reference lib="dom" />
/** A device whose clock is wrong by an hour: the app uses the chain's time. */
import assert from "node:assert/strict";
import { runCase, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { shiftClock } from "../../support/app/shifted_clock.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
import { advanceChain } from "../../support/app/steps/payment_steps.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { chromium } from "../../support/system/chromium.ts";

const HOUR_MS = 3_600_000;

Deno.test({
  name: "a clock that is wrong",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({ funded: 2 }, async (scene) => {
      for (const [name, shift] of [["ahead", HOUR_MS], ["behind", -HOUR_MS]] as const) {
        const test = (what: string, fn: () => Promise<void>) =>
          runCase(t, scene, `by an hour ${name} ${what}`, fn);
        const prepare = (page: Visit["page"]) => page.evaluateOnNewDocument(shiftClock, shift);

        await test("withdraws, and pays pools of both versions with a wallet", async () => {
          const visit = await scene.visit({ content: scene.takeFunded(), prepare });
          await withdraw(visit);
          await visit.step("withdrawn");
          await visit.click("Done");
          for (const pool of ["native-10-v2", "native-1"]) {
            await openPayment(visit, pool);
            await visit.click("Test wallet");
            await visit.click("Pay with");
            await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
            await visit.click("Show my notes");
            await visit.step("notes");
          }
        });

        await test("asks a wallet again only when the first request has expired by chain time", async () => {
          const visit = await scene.visit({ prepare });
          await openPayment(visit);
          scene.conduct = () => "lies";
          await visit.click("Test wallet");
          await visit.click("Pay with");
          await visit.page.waitForFunction(isWaiting);
          await visit.reopen();
          await visit.click("Continue");
          await visit.page.waitForFunction(isWaiting);
          const before = scene.gates.deposit.requests.length;
          await waitUntil(
            "three reads of the chain",
            () => scene.gates.deposit.requests.length >= before + 3,
          );
          assert.equal(await visit.page.evaluate(isWaiting), true);
          advanceChain(scene);
          await visit.page.waitForFunction(() => document.body.innerText.includes("Connect a wallet"));
        });

        await test("that is corrected while the store is open locks it", async () => {
          const visit = await scene.visit({ prepare });
          await visit.page.evaluate(() => void Object.assign(globalThis, { clockShift: 0 }));
          await visit.step("locked");
          await visit.unlock();
          await visit.step("notes");
        });
      }
    }),
});

function isWaiting(): boolean {
  return document.body.innerText.includes("Waiting for the network");
}
