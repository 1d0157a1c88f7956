/// <reference lib="dom" />
/** The settings of the app in two tabs, and erasing everything. */
import assert from "node:assert/strict";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { openAppPage } from "../../support/app/app_browser.ts";
import { addAuthenticator } from "../../support/app/steps/authenticator.ts";
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
  name: "erasing everything removes the settings in every tab",
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
  name: "while another tab moves money, the app erases nothing and says so",
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
      await waitUntil("the closed tab has released its lock", () => isLockFree(first));
      await first.click("Erase everything here");
      await first.step("absent");
    }),
});

Deno.test({
  name: "if a passkey cannot be set up, the app says why, and the passphrase can be typed again",
  ignore,
  fn: () =>
    visitApp(async ({ journey }) => {
      const { session, authenticatorId } = await addAuthenticator(journey.page);
      await createStore(journey);
      await journey.click("Settings");
      const setUp = async (passphrase: string) => {
        await journey.page.waitForSelector("#passkey-passphrase");
        await journey.type("passkey-passphrase", passphrase);
        await journey.click("Set up a passkey");
      };
      await setUp("wrong horse battery");
      await journey.page.waitForSelector(".notice.is-problem::-p-text(This is not the right passphrase)");
      await journey.inspect("settings-passkey-refused");
      await setUp(PASSPHRASE);
      await journey.page.waitForSelector("::-p-xpath(//button[.='Remove the passkey'])");
      assert.equal(await journey.page.$(".notice.is-problem"), null);
      await journey.click("Remove the passkey");
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await setUp(PASSPHRASE);
      await journey.page.waitForSelector(".notice.is-problem::-p-text(You stopped this)");
    }),
});

/** Passes two tabs of one browser that both show the settings of an open store. */
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

function isLockFree({ page }: Journey): Promise<boolean> {
  return page.evaluate(async () =>
    !(await navigator.locks.query()).held!.some(({ name }) => name === "tonado-notes-work")
  );
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
