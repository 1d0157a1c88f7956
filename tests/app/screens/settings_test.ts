/// <reference lib="dom" />
/** The settings of the app in two tabs, erasing everything, own servers, and a screen that fails. */
import assert from "node:assert/strict";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { openAppPage } from "../../support/app/app_browser.ts";
import { addAuthenticator } from "../../support/app/steps/authenticator.ts";
import { changePassphrase, createStore, downloaded } from "../../support/app/app_scene.ts";
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
      await refuseDeletions(journey, true);
      await journey.click("Remove the passkey");
      await journey.page.waitForSelector(".notice.is-problem::-p-text(The browser could not save)");
      await refuseDeletions(journey, false);
      await journey.click("Remove the passkey");
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await setUp(PASSPHRASE);
      await journey.page.waitForSelector(".notice.is-problem::-p-text(You stopped this)");
    }),
});

Deno.test({
  name:
    "servers that the user did not change are not stored, and stored ones that cannot be used are given up",
  ignore,
  fn: () =>
    visitApp(async ({ journey }) => {
      await createStore(journey);
      await journey.click("Settings");
      await journey.click("Save connections");
      await journey.page.waitForSelector('[role="status"]::-p-text(Saved)');
      assert.deepEqual(await preferences(journey), { theme: "system", lockMinutes: 10 });
      const stored = { depositEndpoint: "localhost", withdrawalEndpoint: "http://127.0.0.1:7/rpc" };
      await journey.page.evaluate(
        (stored) => localStorage.setItem("tonado-preferences", JSON.stringify(stored)),
        stored,
      );
      await journey.page.reload();
      await unlock(journey, "settings");
      await journey.page.waitForSelector(".notice::-p-text(not used: http://127.0.0.1:7/rpc)");
      await journey.inspect("settings-blocked");
      await warnsOfUnusedServers(journey);
      await journey.click("Use this website's servers");
      await journey.page.waitForFunction(() => !document.body.innerText.includes("may not connect there"));
      assert.equal(await journey.page.$("::-p-text(Use this website)"), null);
      assert.deepEqual(await preferences(journey), { theme: "system", lockMinutes: 10 });
      await journey.click("Notes");
      await journey.step("notes");
      assert.doesNotMatch(await journey.text(), /instead of/);
    }),
});

Deno.test({
  name:
    "a screen that fails keeps the menu, saves the encrypted notes, and is shown again with default settings",
  ignore,
  fn: () =>
    visitApp(async ({ journey, downloads }) => {
      await createStore(journey);
      await journey.click("Settings");
      await choose(journey, "Dark");
      await journey.click("Notes");
      await journey.step("notes");
      await breakUrls(journey, true);
      await journey.click("Settings");
      await journey.step("screen-failed");
      await journey.inspect("screen-failed");
      await journey.click("Save the encrypted notes");
      const saved = await downloaded(downloads, ".age");
      assert.match(await Deno.readTextFile(saved), /^-----BEGIN AGE ENCRYPTED FILE-----/);
      await journey.click("Notes");
      await journey.step("notes");
      await journey.click("Settings");
      await journey.step("screen-failed");
      await breakUrls(journey, false);
      await journey.click("Use default settings");
      await journey.step("settings");
      await journey.page.waitForSelector('html[data-theme="system"]');
    }),
});

Deno.test({
  name: "a tab that missed a change of the passphrase locks at its next step, and says why",
  ignore,
  fn: () =>
    withTwoTabs(async (first, second) => {
      await first.page.bringToFront();
      await first.page.evaluate(() => BroadcastChannel.prototype.postMessage = () => {});
      const next = "another horse battery";
      await changePassphrase(first, next);
      assert.doesNotMatch(await first.text(), /in another tab/);
      await second.page.bringToFront();
      await second.step("settings");
      await second.click("Notes");
      await second.step("locked");
      await second.page.waitForSelector(".notice::-p-text(Your notes were changed in another tab)");
      await second.inspect("locked-replaced");
      await unlock(second, "notes", next);
    }),
});

/** Passes two tabs of one browser that both show the settings of an open store. */
function withTwoTabs(use: (first: Journey, second: Journey) => Promise<void>): Promise<void> {
  return visitApp(async ({ journey, served }) => {
    await createStore(journey);
    const second = await driveJourney(await openAppPage(journey.page.browserContext(), served.url));
    await unlock(second);
    for (const tab of [second, journey]) {
      await tab.page.bringToFront();
      await tab.click("Settings");
      await tab.step("settings");
    }
    await use(journey, second);
  });
}

/** Asserts that the notes and a new deposit name the endpoint that is used instead, and lead to Settings. */
async function warnsOfUnusedServers(journey: Journey): Promise<void> {
  for (const [button, step] of [["Notes", "notes"], ["Deposit", "amount"]] as const) {
    await journey.click(button);
    await journey.step(step);
    await journey.page.waitForSelector(".notice.is-warning::-p-text(Servers that you chose)");
    assert.match(
      await journey.text(),
      /Endpoint for withdrawals: https?:\S+ instead of http:\/\/127\.0\.0\.1:7\s/,
    );
    await journey.inspect(`${step}-unused-servers`);
  }
  await journey.click("Open Settings");
  await journey.step("settings");
}

async function unlock(journey: Journey, step = "notes", passphrase = PASSPHRASE): Promise<void> {
  await journey.step("locked");
  await journey.type("passphrase", passphrase);
  await journey.click("Unlock");
  await journey.step(step);
}

/** Makes the page fail at every address that it parses, or ends that. */
async function breakUrls({ page }: Journey, isBroken: boolean): Promise<void> {
  await page.evaluate((isBroken) => {
    const held = globalThis as unknown as { URL: typeof URL; original?: typeof URL };
    held.original ??= URL;
    const fail = () => {
      throw new TypeError("Invalid URL");
    };
    held.URL = isBroken ? new Proxy(held.original, { construct: fail }) : held.original;
  }, isBroken);
}

/** Makes the browser refuse to delete a record, or ends that. */
async function refuseDeletions({ page }: Journey, isRefused: boolean): Promise<void> {
  await page.evaluate((isRefused) => {
    const records = IDBObjectStore.prototype as { delete: unknown; original?: unknown };
    records.original ??= records.delete;
    records.delete = isRefused
      ? () => {
        throw new DOMException("full", "QuotaExceededError");
      }
      : records.original;
  }, isRefused);
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
