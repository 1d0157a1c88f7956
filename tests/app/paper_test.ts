/// <reference lib="dom" />
/** Camera, printer and downloads: jsQR and the browser's own detector read what the app prints. */
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { createStore, downloaded } from "../support/app/app_scene.ts";
import { cameraArguments, qrVideo } from "../support/app/camera_picture.ts";
import { createNoteSeed, formatNoteSeed } from "../../src/core/protocol/seed/note_seed.ts";
import { PASSPHRASE } from "../support/app/journey.ts";
import { serveApp } from "../support/app/serve_app.ts";
import { chooseRestorePassphrase } from "../support/app/steps/restore_steps.ts";
import { visitApp } from "../support/app/visit.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
const CODE = "ton://transfer/UQAHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB5-B";
/** Replaces `print` as on a phone: it returns before the page is printed, without a later event. */
const printLater = (page: Page) => page.evaluateOnNewDocument(() => globalThis.print = () => {});

for (const reader of ["jsQR", "the browser's detector"]) {
  Deno.test({
    name: `the camera reads a code with ${reader}, skips codes that are not meant, and is released`,
    ignore,
    fn: () =>
      withCamera(CODE, async (args) => {
        await useAdapters();
        const served = await serveApp();
        const loaded: string[] = [];
        try {
          await withBrowser(async (browser) => {
            const { run, violations } = await openAdapterPage(browser, served.url, async (page) => {
              page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
              await page.evaluateOnNewDocument(detectorOf, reader === "jsQR" ? undefined : CODE);
            });
            const found = await run(async ({ scanner }) => {
              const video = document.createElement("video");
              document.body.append(video);
              const isAvailable = await scanner.isAvailable();
              const code = await scanner.scan(video, (text) =>
                text.startsWith("ton:"), AbortSignal.timeout(30_000));
              return { isAvailable, code, isReleased: video.srcObject === null };
            }, undefined);
            assert.deepEqual(found, { isAvailable: true, code: CODE, isReleased: true });
            const cancelled = run(async ({ scanner }) => {
              const video = document.createElement("video");
              await scanner.scan(video, () =>
                false, AbortSignal.timeout(500));
            }, undefined);
            await assert.rejects(cancelled, /cancelled|TimeoutError/);
            assert.equal(
              loaded.some((path) =>
                /jsQR/i.test(path)
              ),
              reader === "jsQR",
              loaded.join(" "),
            );
            assert.deepEqual(violations, []);
          }, args);
        } finally {
          await served.close();
        }
      }),
  });
}

Deno.test({
  name:
    "a printed paper stands alone on one page, and its scanned code restores the seed and proves the backup",
  ignore,
  fn: async () => {
    let code = "";
    await visitApp(async ({ journey }) => {
      await createStore(journey);
      await journey.click("Back up now");
      await journey.click("Print a paper");
      await journey.step("made-paper");
      const text = await printedPage(journey.page);
      assert.match(text, /^tonado backup\s+This code holds your recovery code/);
      code = /tonado-age:[A-Za-z0-9+/=]+/.exec(text)![0];
    }, { prepare: printLater });
    await withCamera(code, (args) =>
      visitApp(async ({ journey }) => {
        await journey.step("absent");
        await journey.click("I have a backup");
        await journey.click("Scan a paper");
        await journey.step("restore-passphrase");
        await journey.type("restore-passphrase", PASSPHRASE);
        await journey.click("Open");
        await journey.step("restored");
        await journey.click("Show my notes");
        await journey.page.waitForSelector("::-p-text(Your backup was opened)");
        await journey.click("Settings");
        await journey.click("Make a backup");
        await journey.click("Print a paper");
        await journey.step("made-paper");
        await journey.inspect("backup-paper");
        await journey.click("Scan the paper");
        await journey.step("read");
        await journey.type("backup-passphrase", PASSPHRASE);
        await journey.click("Open the backup");
        await journey.step("proven");
      }, { args, prepare: printLater }));
  },
});

Deno.test({
  name:
    "the QR code of a recovery code makes a store with a passphrase of its own, and Escape ends the camera only",
  ignore,
  fn: () =>
    withCamera(formatNoteSeed(createNoteSeed()).reveal(), (args) =>
      visitApp(async ({ journey }) => {
        await journey.step("absent");
        await journey.click("I have a backup");
        await journey.click("Scan a paper");
        await journey.step("restore-new");
        await journey.type("passphrase", "a");
        await journey.type("repeat", "a");
        await journey.click("Open");
        assert.match(await journey.text(), /Use at least 12 characters/);
        await journey.click("Back");
        await journey.step("restore");
        await journey.click("Scan a paper");
        await chooseRestorePassphrase(journey, PASSPHRASE);
        await journey.step("restored");
        await journey.click("Show my notes");
        await journey.click("Settings");
        await journey.click("Make a backup");
        await journey.click("Print a paper");
        await journey.step("made-paper");
        await journey.click("Scan the paper"); // the camera shows no paper
        await journey.page.waitForSelector("dialog[open] video");
        await journey.page.keyboard.press("Escape");
        await journey.page.waitForFunction(() => document.querySelector("dialog") === null);
        await journey.step("made-paper");
      }, { args, prepare: printLater })),
});

Deno.test({
  name: "a file is saved under the day's name, with the bytes of the store",
  ignore,
  fn: () =>
    visitApp(async ({ journey, downloads }) => {
      await createStore(journey);
      await journey.click("Back up now");
      await journey.click("Save a file");
      await journey.step("made-file");
      const path = await downloaded(downloads, ".age");
      assert.match(path, /\/tonado-notes-\d{4}-\d{2}-\d{2}\.age$/);
      assert.deepEqual([...await Deno.readFile(path)], await readStore(journey.page));
    }),
});

async function withCamera(code: string, use: (args: string[]) => Promise<void>): Promise<void> {
  await withTempDirectory(async (folder) => {
    await Deno.writeFile(`${folder}/code.y4m`, qrVideo(code));
    await use(cameraArguments(`${folder}/code.y4m`));
  });
}

/** Replaces the QR detector, which Chromium lacks on Linux. It finds `code` after another code. */
function detectorOf(code: string | undefined): void {
  const scope = globalThis as unknown as Record<string, unknown>;
  if (code === undefined) return void delete scope.BarcodeDetector;
  scope.BarcodeDetector = class {
    static getSupportedFormats = () => Promise.resolve(["qr_code"]);
    detect = (video: HTMLVideoElement) =>
      Promise.resolve(video.videoWidth > 0 ? [{ rawValue: "another code" }, { rawValue: code }] : []);
  };
}

/** Lays the page out for the printer, and returns its visible text. */
async function printedPage(page: Page): Promise<string> {
  await page.emulateMediaType("print");
  const seen = await page.$eval(".print-page", (paper) => ({
    background: getComputedStyle(paper).backgroundColor,
    code: paper.querySelector("img")!.getBoundingClientRect().width,
  }));
  assert.equal(seen.background, "rgb(255, 255, 255)");
  assert.ok(seen.code > 300, `the code is ${seen.code} px wide`);
  const pdf = new TextDecoder("latin1").decode(await page.pdf({ format: "A4" }));
  assert.equal([...pdf.matchAll(/\/Type \/Page\b/g)].length, 1, "one page");
  const text = await page.evaluate(() => document.body.innerText.trim());
  await page.emulateMediaType("screen");
  await page.click("h1");
  assert.equal(await page.$(".print-page, .printing"), null, "the paper leaves the page at the next input");
  return text;
}

/** Returns the bytes of the browser's note store. */
async function readStore(page: Page): Promise<number[]> {
  return await page.evaluate(() =>
    new Promise<number[]>((resolve, reject) => {
      const opening = indexedDB.open("tonado");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const reading = opening.result.transaction("files").objectStore("files").get("notes.age");
        reading.onsuccess = () => resolve([...reading.result]);
      };
    })
  );
}
