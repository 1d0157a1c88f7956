/// <reference lib="dom" />
/** The tab is killed during settlements: each deposit is settled once, and its note can be withdrawn. */
import assert from "node:assert/strict";
import { runCase, withFaultScene } from "../../support/app/fault_scene.ts";
import type { Journey } from "../../support/app/journey.ts";
import { drawMoments, killDuring, unlockTab } from "../../support/app/steps/kill_steps.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import { waitForText } from "../../support/app/steps/payment_steps.ts";
import {
  checkNotes,
  openOffer,
  poolOf,
  settle,
  settlementsOf,
  showReadyNote,
  unsettledVisit,
} from "../../support/app/steps/settle_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
const OFFERED = "Settle it yourself";

Deno.test({
  name: "a tab that is killed while it settles",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({ settles: false }, async (scene) => {
      for (const moment of drawMoments(8_000)) {
        await runCase(t, scene, `after ${moment} ms settles the deposit once`, async () => {
          const visit = await unsettledVisit(scene, POOL);
          await visit.page.close();
          const tab = await killDuring(visit, moment, async (tab) => {
            await openOffer(tab);
            await settle(tab);
          });
          await unlockTab(tab);
          await checkNotes(tab);
          await tab.page.waitForFunction(
            (offered) =>
              document.body.innerText.includes(offered) || document.querySelector("li.note.deposited button"),
            { timeout: SETTLEMENT_TIMEOUT_MS },
            OFFERED,
          );
          if (await tab.page.$("li.note.deposited button") === null) await settleAgain(tab);
          const ends = (await settlementsOf(scene, POOL)).map(({ end }) => end);
          assert.equal(new Set(ends).size, ends.length, "no settlement is repeated");
          assert.equal(await poolOf(scene, POOL).getSettled(), await poolOf(scene, POOL).getNextIndex());
        });
      }
    }),
});

/** Settles in the opened tab. The killed tab's wallet may do it first. */
async function settleAgain(tab: Journey): Promise<void> {
  await tab.click(OFFERED);
  await tab.page.waitForFunction(() =>
    document.querySelector('[data-step="settled"]') || document.body.innerText.includes("Test wallet")
  );
  if (await tab.page.$('[data-step="settled"]') === null) {
    await settle(tab);
    await waitForText(tab, "Show my notes");
    await tab.step("settled", SETTLEMENT_TIMEOUT_MS);
  }
  await showReadyNote(tab);
}
