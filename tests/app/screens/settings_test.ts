/// <reference lib="dom" />
/** The settings of the app in two tabs, and the erasure of everything. */
import assert from "node:assert/strict";
import { openAppPage } from "../../support/app/app_browser.ts";
import { createStore } from "../../support/app/app_scene.ts";
import { driveJourney, type Journey, PASSPHRASE } from "../../support/app/journey.ts";
import { visitApp } from "../../support/app/visit.ts";
import { chromium } from "../../support/system/chromium.ts";

const ignore = chromium === undefined;

Deno.test({
  name: "settings that one tab changes are shown and kept by the other",
  ignore,
  fn: () =>
    withTwoTabs(async (first, second) => {
      await choose(first, "Dark");
      await second.page.waitForSelector('html[data-theme="dark"]');
      await second.page.bringToFront();
      await choose(second, "2 minutes");
      const { theme, lockMinutes } = await preferences(second);
      assert.deepEqual([theme, lockMinutes], ["dark", 2]);
    }),
});

Deno.test({
  name: "the erasure of everything removes the settings, in every tab",
  ignore,
  fn: () =>
    withTwoTabs(async (first, second) => {
      await choose(first, "Dark");
      await erase(first);
      for (const tab of [first, second]) {
        await tab.step("absent");
        await tab.page.waitForSelector('html[data-theme="system"]');
        assert.equal(await preferences(tab), null);
      }
    }),
});

Deno.test({
  name: "nothing is erased while another tab moves money, and the app says so",
  ignore,
  fn: () =>
    withTwoTabs(async (first, second) => {
      await second.page.evaluate(() =>
        new Promise<void>((resolve) => {
          void navigator.locks.request("tonado-notes-work", () => {
            resolve();
            return new Promise(() => {});
          });
        })
      );
      await erase(first);
      await first.page.waitForSelector(".notice.is-problem::-p-text(Another tab is working with your notes)");
      await first.inspect("settings-erase-refused");
      await second.page.close();
      await first.click("Erase everything here");
      await first.step("absent");
    }),
});

/** Passes two tabs of one browser, both with the settings of an open store. */
function withTwoTabs(use: (first: Journey, second: Journey) => Promise<void>): Promise<void> {
  return visitApp(async ({ journey, served }) => {
    await createStore(journey);
    const second = await driveJourney(await openAppPage(journey.page.browserContext(), served.url));
    await second.step("locked");
    await second.type("passphrase", PASSPHRASE);
    await second.click("Unlock");
    for (const tab of [second, journey]) {
      await tab.page.bringToFront();
      await tab.click("Settings");
      await tab.step("settings");
    }
    await use(journey, second);
  });
}

async function choose({ page }: Journey, text: string): Promise<void> {
  await (await page.waitForSelector(`label::-p-text(${text})`))!.click();
}

async function erase(tab: Journey): Promise<void> {
  await tab.type("erase", "ERASE");
  await tab.click("Erase everything here");
}

const preferences = ({ page }: Journey) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("tonado-preferences") ?? "null"));
