/// <reference lib="dom" />
/** A server changes its files: the app reports it, and changes nothing before the user accepts. */
import assert from "node:assert/strict";
import { createStore } from "../support/app/app_scene.ts";
import { PASSPHRASE } from "../support/app/journey.ts";
import { visitApp } from "../support/app/visit.ts";
import { chromium } from "../support/system/chromium.ts";

const NOTICE = "::-p-text(This website offers a new version of the app)";
const RELAYER = "https://other.example";

Deno.test({
  name: "changed settings of the website are reported above the notes, and apply when they are accepted",
  ignore: chromium === undefined,
  fn: () =>
    visitApp(async ({ journey, served }) => {
      const relayers = async () => {
        const config = await journey.page.evaluate(async () => await (await fetch("config.json")).json());
        return config.relayers;
      };
      await createStore(journey);
      assert.equal(await journey.page.$(NOTICE), null);
      await journey.click("Settings"); // the service worker now serves the page
      await journey.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
      await served.reopen({ relayers: [RELAYER] });
      await journey.page.reload({ waitUntil: "load" });
      await unlock(journey);
      await journey.click("Notes");
      await journey.page.waitForSelector(NOTICE);
      const change = /Relayers\s+New:\s+https:\/\/other\.example/;
      assert.match(await journey.text(), change);
      assert.match(await journey.text(), /The files are the same\./);
      await journey.inspect("notes-new-version");
      assert.deepEqual(await relayers(), []);
      await journey.click("Open Settings");
      assert.match(await journey.text(), change);
      await journey.inspect("settings-new-version");
      const reloaded = journey.page.waitForNavigation();
      await journey.click("Use the new version");
      await reloaded;
      await unlock(journey);
      assert.deepEqual(await relayers(), [RELAYER]);
      await journey.click("Notes");
      await journey.step("notes");
      await journey.page.waitForFunction(() => !document.body.innerText.includes("offers a new version"));
    }),
});

async function unlock(journey: Parameters<typeof createStore>[0]): Promise<void> {
  await journey.step("locked");
  await journey.type("passphrase", PASSPHRASE);
  await journey.click("Unlock");
}
