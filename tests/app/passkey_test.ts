/** The device's lock opens the notes, through a virtual authenticator with the PRF extension. */
import assert from "node:assert/strict";
import { adaptersReady, openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { addAuthenticator } from "../support/app/steps/authenticator.ts";
import { changePassphrase, createStore } from "../support/app/app_scene.ts";
import { PASSPHRASE as STORE_PASSPHRASE } from "../support/app/journey.ts";
import { serveApp } from "../support/app/serve_app.ts";
import { visitApp } from "../support/app/visit.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
const PASSPHRASE = "correct horse battery staple";

Deno.test({
  name: "a passkey keeps the passphrase across visits, and nothing opens it without the device",
  ignore,
  fn: async () => {
    await useAdapters();
    const served = await serveApp();
    try {
      await withBrowser(async (browser) => {
        const { page, run, violations } = await openAdapterPage(browser, served.url);
        const { session, authenticatorId } = await addAuthenticator(page);
        assert.equal(await run(({ passkeys }) => passkeys.isAvailable(), undefined), true);
        await assert.rejects(
          run(({ passkeys }) => passkeys.unlock().then(() => 0), undefined),
          /passkey_unavailable/,
        );
        await run(({ passkeys, Secret }, text) => passkeys.enroll(new Secret(text)), PASSPHRASE);
        await page.reload({ waitUntil: "load" });
        await adaptersReady(page);
        assert.equal(await run(({ passkeys }) => passkeys.isEnrolled(), undefined), true);
        assert.equal(
          await run(async ({ passkeys }) => (await passkeys.unlock()).reveal(), undefined),
          PASSPHRASE,
        );
        const kept = await run(async ({ records }) =>
          JSON.stringify(
            await records.get("passkeys", "passphrase"),
            (_, value) => value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value,
          ), undefined);
        assert.ok(!kept.includes("horse"));
        await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
        await assert.rejects(
          run(({ passkeys }) => passkeys.unlock().then(() => 0), undefined),
          /cancelled|passkey_unavailable/,
        );
        await run(({ passkeys }) => passkeys.remove(), undefined);
        assert.equal(await run(({ passkeys }) => passkeys.isEnrolled(), undefined), false);
        assert.deepEqual(violations, []);
        await page.goto(served.url.replace("localhost", "127.0.0.1"), { waitUntil: "load" });
        await adaptersReady(page);
        assert.equal(
          await run(({ passkeys }) => passkeys.isAvailable(), undefined),
          false,
          "an address has no passkey",
        );
      });
    } finally {
      await served.close();
    }
  },
});

Deno.test({
  name: "a passkey unlocks the store right after it was set up, and is not offered after a new passphrase",
  ignore,
  fn: () =>
    visitApp(async ({ journey }) => {
      const { page } = journey;
      await addAuthenticator(page);
      await createStore(journey);
      await journey.click("Settings");
      await journey.step("settings");
      await page.waitForSelector("#passkey-passphrase");
      await journey.type("passkey-passphrase", STORE_PASSPHRASE);
      await journey.click("Set up a passkey");
      await page.waitForSelector("::-p-text(Remove the passkey)");
      await journey.click("Lock");
      await journey.step("locked");
      await journey.inspect("locked-passkey");
      await journey.click("Use this device's passkey");
      await page.waitForSelector("::-p-text(Remove the passkey)");
      await changePassphrase(journey, PASSPHRASE);
      await journey.step("locked");
      assert.doesNotMatch(await journey.text(), /passkey/);
    }),
});
