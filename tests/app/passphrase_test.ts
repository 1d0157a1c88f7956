/// <reference lib="dom" />
/** Passphrases in the browser: generated words, little memory, a changed passphrase, Caps Lock. */
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { createNoteSeed } from "../../src/core/protocol/seed/note_seed.ts";
import { appLocations } from "../../src/http/app/app_files.ts";
import { createStore, downloaded, proveBackup } from "../support/app/app_scene.ts";
import { type Journey, PASSPHRASE } from "../support/app/journey.ts";
import { visitApp } from "../support/app/visit.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { restoreCode } from "../support/app/steps/restore_steps.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
/** Simulates a device that gives a worker at most 128 MiB at once. */
const LITTLE_MEMORY = `{
  const Original = self.Uint8Array;
  self.Uint8Array = new Proxy(Original, {
    construct(target, args, to) {
      if (args[0] > 2 ** 27) throw new RangeError("Array buffer allocation failed");
      return Reflect.construct(target, args, to);
    },
  });
}`;

Deno.test({
  name: "with little memory the app requires generated words, and the command line opens the store",
  ignore,
  fn: () =>
    visitApp(async ({ journey, downloads }) => {
      await journey.step("absent");
      await journey.click("Start");
      await typeNew(journey, PASSPHRASE);
      await journey.step("drawn");
      assert.match(await journey.text(), /too little memory/);
      await journey.inspect("drawn");
      const words = await drawnWords(journey);
      assert.equal(words.length, 6);
      await journey.click("I have written them down");
      await journey.step("notes");
      await journey.click("Lock");
      await journey.step("locked");
      await journey.type("passphrase", words.join(" "));
      await journey.click("Unlock");
      await journey.step("notes");
      await journey.click("Back up now");
      await journey.click("Save a file");
      const backup = await downloaded(downloads, ".age");
      const head = (await Deno.readTextFile(backup)).split("\n").slice(1, 4).join("");
      assert.match(atob(head.slice(0, head.length - head.length % 4)), /-> scrypt \S+ 16\n/);
      const env = { TONADO_NOTES: backup, TONADO_PASSPHRASE: words.join(" ") };
      const shown = await runCli(["note", "seed", "show", "--quiet"], env);
      assert.equal(shown.code, 0, shown.stderr);
      assert.match(shown.stdout, /^tonado-seed-/);
    }, { intercept: withLittleMemory }),
});

Deno.test({
  name: "without the passphrase, the locked notes are saved and set aside, and a recovery code is restored",
  ignore,
  fn: () =>
    visitApp(async ({ journey, downloads }) => {
      await createStore(journey);
      await journey.step("notes");
      await journey.click("Lock");
      await journey.step("locked");
      await journey.click("I forgot it: use a backup");
      assert.match(await journey.text(), /use your recovery code, or a backup whose passphrase you know/);
      await journey.inspect("forgotten");
      await journey.click("Save the locked notes");
      const saved = await downloaded(downloads, ".age");
      assert.match(await Deno.readTextFile(saved), /^-----BEGIN AGE ENCRYPTED FILE-----/);
      await journey.click("Restore a backup");
      await restoreCode(journey, createNoteSeed(), "another horse battery");
    }),
});

Deno.test({
  name: "a changed passphrase locks the app, opens it again, and asks for a new backup",
  ignore,
  fn: () =>
    visitApp(async ({ journey, downloads }) => {
      await createStore(journey);
      await journey.click("Back up now");
      await proveBackup(journey, downloads);
      await journey.step("notes");
      assert.match(await journey.text(), /Your backup was opened/);
      await journey.click("Settings");
      await journey.step("settings");
      await journey.click("Change the passphrase");
      await journey.inspect("settings-passphrase");
      const next = "another horse battery";
      const change = async (current: string) => {
        await journey.type("current-passphrase", current);
        await (await journey.page.$('form button[type="submit"]::-p-text(Change the passphrase)'))!.click();
      };
      await journey.type("passphrase", next);
      await journey.type("repeat", next);
      await change("not the passphrase");
      await journey.page.waitForSelector(".notice.is-problem::-p-text(This is not the right passphrase)");
      await journey.page.$eval("#current-passphrase", (field) => (field as HTMLInputElement).select());
      await change(PASSPHRASE);
      await journey.step("locked");
      await journey.type("passphrase", PASSPHRASE);
      await journey.click("Unlock");
      await journey.page.waitForSelector(".notice.is-problem::-p-text(This is not the right passphrase)");
      await journey.type("passphrase", next);
      await journey.click("Unlock");
      await journey.page.waitForSelector("::-p-text(Not backed up yet)");
    }),
});

Deno.test({
  name: "a passphrase field shows that Caps Lock is on",
  ignore,
  fn: () =>
    visitApp(async ({ journey }) => {
      await journey.step("absent");
      await journey.click("Start");
      await journey.step("new");
      const press = (modifierCapsLock: boolean) =>
        journey.page.$eval("#passphrase", (field, modifierCapsLock) => {
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "a", modifierCapsLock, bubbles: true }));
        }, modifierCapsLock);
      await press(true);
      await journey.page.waitForSelector('[role="status"]::-p-text(Caps Lock is on)');
      await press(false);
      await journey.page.waitForFunction(() => !document.body.innerText.includes("Caps Lock"));
    }),
});

function withLittleMemory(request: Request): Promise<Response> | undefined {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith("/vault_worker-")) return undefined;
  const headers = {
    "content-type": "text/javascript",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
  };
  return Deno.readTextFile(new URL(`.${pathname}`, appLocations.folder))
    .then((script) => new Response(LITTLE_MEMORY + script, { headers }));
}

async function typeNew(journey: Journey, passphrase: string): Promise<void> {
  await journey.step("new");
  await journey.type("passphrase", passphrase);
  await journey.type("repeat", passphrase);
  await journey.click("Create my store");
}

const drawnWords = (journey: Journey) =>
  journey.page.$$eval(".words li", (items) => items.map((each) => each.textContent!));

Deno.test({
  name: "after the store is locked, the page's memory has no passphrase",
  ignore,
  fn: () =>
    visitApp(async ({ journey: { page } }) => {
      await arrive(page, "absent");
      await press(page, "Start");
      await arrive(page, "new");
      for (const id of ["passphrase", "repeat"]) await typeKeys(page, id);
      await press(page, "Create my store");
      await arrive(page, "notes");
      await press(page, "Lock");
      await arrive(page, "locked");
      assert.deepEqual(await findInHeap(page, PASSPHRASE), [], "after the store was created");
      await typeKeys(page, "passphrase");
      await press(page, "Unlock");
      await arrive(page, "notes");
      await press(page, "Lock");
      await arrive(page, "locked");
      assert.deepEqual(await findInHeap(page, PASSPHRASE), [], "after the store was opened");
      await typeKeys(page, "passphrase");
      await press(page, "Unlock");
      await arrive(page, "notes");
      await page.evaluate(() => location.hash = "#/settings");
      await arrive(page, "settings");
      await page.evaluate(() => document.querySelector("summary")!.click());
      const next = "another horse battery";
      for (const id of ["passphrase", "repeat"]) await typeKeys(page, id, next);
      await typeKeys(page, "current-passphrase");
      await page.keyboard.press("Enter");
      await arrive(page, "locked");
      for (const text of [PASSPHRASE, next]) {
        assert.deepEqual(await findInHeap(page, text), [], "after it was changed");
      }
    }),
});

// These steps keep no handle of an element, as the other tests do, because a handle keeps the element in memory.

const arrive = (page: Page, step: string) =>
  waitUntil(step, () => page.evaluate((step) => !!document.querySelector(`[data-step="${step}"]`), step));

const press = (page: Page, text: string) =>
  page.evaluate((text) => {
    [...document.querySelectorAll("button")].find((each) => each.innerText.startsWith(text))!.click();
  }, text);

async function typeKeys(page: Page, id: string, text = PASSPHRASE): Promise<void> {
  await page.evaluate((id) => document.getElementById(id)!.focus(), id);
  await page.keyboard.type(text);
}

/** Returns the strings of the page's heap that contain `text`, after the garbage is collected. */
async function findInHeap(page: Page, text: string): Promise<string[]> {
  const session = await page.createCDPSession();
  const chunks: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await session.send("HeapProfiler.enable");
  for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  const { strings } = JSON.parse(chunks.join("")) as { readonly strings: readonly string[] };
  assert.ok(strings.some((each) => each.includes("data-step")), "the snapshot has the page's strings");
  return strings.filter((each) => each.includes(text)).map((each) => each.slice(0, 80));
}
