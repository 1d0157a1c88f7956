/// <reference lib="dom" />
/** Kills a tab at random moments of a flow. */
import fc from "fast-check";
import { depth, seed } from "../../../../testkit/random/property_runs.ts";
import type { Visit } from "../fault_scene.ts";
import { type Journey, PASSPHRASE } from "../journey.ts";

/** The number of kills of each flow. A plain run has one, so that CI stays short. */
const KILLS = depth > 1 ? 30 : 1;

/** Draws the moments of a flow's kills. @param longest milliseconds that the flow takes on a slow machine */
export function drawMoments(longest: number): number[] {
  return fc.sample(fc.nat(longest), { seed, numRuns: KILLS });
}

/** Kills the tab `moment` milliseconds after `flow` begins, and opens the app again in the same profile. */
export async function killDuring(
  visit: Visit,
  moment: number,
  flow: (tab: Journey) => Promise<unknown>,
): Promise<Journey> {
  const tab = await visit.openTab();
  if (await isLocked(tab)) await unlockTab(tab);
  flow(tab).catch(() => {}); // the flow ends with the tab
  await new Promise((resolve) => setTimeout(resolve, moment));
  const session = await tab.page.createCDPSession();
  session.send("Page.crash").catch(() => {}); // the process ends at once: no event of the page, no open transaction
  await new Promise((resolve) => tab.page.once("error", resolve));
  await tab.page.close();
  return await visit.openTab();
}

/** Returns whether the profile has a store. */
export async function isLocked(tab: Journey): Promise<boolean> {
  await tab.page.waitForSelector('[data-step="locked"], [data-step="absent"]');
  return await tab.page.$('[data-step="locked"]') !== null;
}

export async function unlockTab(tab: Journey, passphrase = PASSPHRASE): Promise<void> {
  await tab.step("locked");
  await tab.type("passphrase", passphrase);
  await tab.click("Unlock");
  await tab.step("notes");
}
