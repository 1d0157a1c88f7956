/// <reference lib="dom" />
/**
 * The tab is killed during deposits and withdrawals: every payment becomes a note, every note is paid once,
 * and a report can be created.
 */
import assert from "node:assert/strict";
import { type Address, toNano } from "@ton/core";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { runCase, withFaultScene } from "../../support/app/fault_scene.ts";
import type { FaultScene, Visit } from "../../support/app/fault_scene.ts";
import type { Journey } from "../../support/app/journey.ts";
import { drawMoments, killDuring, unlockTab } from "../../support/app/steps/kill_steps.ts";
import {
  newRecipient,
  openPayment,
  SETTLEMENT_TIMEOUT_MS,
  withdraw,
} from "../../support/app/steps/money_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

/** The denomination of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");
const withdrawals = drawMoments(8_000);
const reports = drawMoments(6_000);

Deno.test({
  name: "a tab that is killed",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({ funded: withdrawals.length }, async (scene) => {
      for (const [pool, longest] of [["native-10-v2", 4_000], ["native-1", 8_000]] as const) {
        await runCase(t, scene, `during deposits into ${pool} loses no payment`, () =>
          killDeposits(scene, pool, drawMoments(longest)));
      }
      let withdrawn: Visit | undefined;
      await runCase(t, scene, "during withdrawals pays each note once", async () => {
        for (const moment of withdrawals) {
          await withdrawn?.context.close();
          withdrawn = await killWithdrawal(scene, moment);
        }
      });
      await runCase(t, scene, "during a report makes it afterwards", () =>
        killReports(withdrawn!));
    }),
});

async function killDeposits(scene: FaultScene, pool: string, moments: readonly number[]): Promise<void> {
  const visit = await scene.visit();
  await visit.page.close();
  const payDeposit = async (tab: Journey) => {
    await openPayment(tab, pool);
    await tab.click("Test wallet");
    await tab.click("Pay with");
    await tab.step("deposited", SETTLEMENT_TIMEOUT_MS);
  };
  const before = scene.wallet.sent;
  let requests = 0;
  scene.conduct = () => {
    requests++;
    return "signs";
  };
  for (const moment of moments) {
    const tab = await killDuring(visit, moment, payDeposit);
    await waitUntil(
      "the wallet has answered",
      () => Promise.resolve(scene.wallet.sent - before === requests),
    );
    await unlockTab(tab);
    await assertDeposited(tab, requests);
    await tab.page.close();
  }
  const tab = await visit.openTab();
  await unlockTab(tab);
  await payDeposit(tab);
  await tab.click("Show my notes");
  await assertDeposited(tab, requests);
}

async function assertDeposited(tab: Journey, count: number): Promise<void> {
  await tab.click("Check the notes");
  await tab.page.waitForFunction(
    (count) => document.querySelectorAll("li.note.deposited").length === count,
    { timeout: SETTLEMENT_TIMEOUT_MS },
    count,
  );
}

/** Withdraws a note in a new profile, and kills the tab. */
async function killWithdrawal(scene: FaultScene, moment: number): Promise<Visit> {
  const visit = await scene.visit({ content: scene.takeFunded() });
  await visit.page.close();
  const recipient = newRecipient();
  const tab = await killDuring(visit, moment, (tab) => withdraw(tab, recipient));
  await unlockTab(tab);
  const follow = "li.note.withdrawing button";
  const again = "li.note.deposited button";
  await tab.page.waitForSelector(`${follow}, ${again}, li.note.withdrawn`, {
    timeout: SETTLEMENT_TIMEOUT_MS,
  });
  if (await tab.page.$(follow)) await tab.page.click(follow);
  else if (await tab.page.$(again)) await withdraw(tab, recipient);
  if (!await tab.page.$("li.note.withdrawn")) {
    await tab.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
    await tab.click("Done");
  }
  await tab.page.waitForSelector("li.note.withdrawn");
  assert.equal(await balanceOf(scene, recipient), PAYOUT, `killed after ${moment} ms`);
  await tab.page.close();
  return visit;
}

async function killReports(visit: Visit): Promise<void> {
  const report = async (tab: Journey) => {
    await tab.click("Report");
    await tab.step("report");
    await tab.click("Make a report");
    await tab.step("purpose");
    await tab.type("purpose", "Example Bank, account opening");
    await tab.click("Make a report");
    await tab.step("report-made", SETTLEMENT_TIMEOUT_MS);
  };
  for (const moment of reports) {
    const tab = await killDuring(visit, moment, report);
    await unlockTab(tab);
    await report(tab);
    await tab.page.close();
  }
}

async function balanceOf({ indexer }: FaultScene, account: Address): Promise<bigint> {
  return (await connect({ network: "localnet", endpoint: indexer }).account(account)).balance;
}
