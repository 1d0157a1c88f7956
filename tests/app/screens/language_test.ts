/// <reference lib="dom" />
/** The app in Russian: chosen in Settings or by the browser, on every main screen, and offline. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Buffer } from "node:buffer";
import { ru } from "../../../src/app/text/ru.ts";
import { createStore, downloaded, inBrowser } from "../../support/app/app_scene.ts";
import { type Journey, PASSPHRASE } from "../../support/app/journey.ts";
import { visitApp } from "../../support/app/visit.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

const ignore = chromium === undefined;
const PROOF_TIMEOUT_MS = 180_000;
const POOL = "native-10-v2";
/** Names that stay Latin in a Russian sentence. */
const NAMES = /tonado (app|settle)|Caps Lock|Test wallet/g;

Deno.test({
  name: "after the choice of Russian, no main screen has an English sentence, and all rules hold",
  ignore,
  fn: () =>
    inBrowser(async ({ journey, net, downloads }) => {
      await createStore(journey);
      await chooseRussian(journey);
      await inspect(journey, "settings");
      await journey.click(ru.app.menu.notes);
      await journey.step("notes");
      await inspect(journey, "empty");
      await chooseAmount(journey);
      await proveBackup(journey, downloads);
      await journey.step("pay-");
      await journey.page.waitForSelector(".qr-dark");
      await inspect(journey, "pay");
      const link = await journey.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
      const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", net.indexer]);
      assert.equal(code, 0, stderr);
      await journey.step("deposited", PROOF_TIMEOUT_MS);
      await inspect(journey, "deposited");
      await journey.click(ru.deposit.toNotes);
      await journey.step("notes");
      await journey.page.waitForSelector("li.note.deposited button", { timeout: PROOF_TIMEOUT_MS });
      await inspect(journey, "notes");
      await withdraw(journey);
      await report(journey, downloads);
      await journey.click(ru.app.menu.notes);
      await journey.step("notes");
      await journey.click(ru.app.lock);
      await journey.step("locked");
      await inspect(journey, "locked");
    }),
});

Deno.test({
  name:
    "a browser that prefers Russian gets Russian from the first screen, also offline, unless English is chosen",
  ignore,
  fn: () =>
    visitApp(async ({ journey, served }) => {
      const { page } = journey;
      await journey.step("absent");
      assert.equal(await page.evaluate(() => document.documentElement.lang), "ru");
      await inspect(journey, "start");
      await journey.click(ru.start.create);
      await journey.step("new");
      await inspect(journey, "new");
      await page.evaluate(async () => {
        await navigator.serviceWorker.ready;
      });
      await journey.type("passphrase", PASSPHRASE);
      await journey.type("repeat", PASSPHRASE);
      await journey.click(ru.passphrase.create);
      await journey.step("notes");
      await served.close();
      await page.reload();
      await journey.step("locked");
      assert.equal(await page.evaluate(() => document.documentElement.lang), "ru");
      assert.match(await journey.text(), new RegExp(ru.passphrase.openLead));
      await journey.type("passphrase", PASSPHRASE);
      await journey.click(ru.passphrase.open);
      await journey.click(ru.app.menu.settings);
      await (await page.waitForSelector("label::-p-text(English)"))!.click();
      await page.waitForSelector('html[lang="en"]');
      await page.reload();
      await journey.step("locked");
      assert.match(await journey.text(), /Your notes are locked/);
    }, {
      prepare: (page) =>
        page.evaluateOnNewDocument(() =>
          Object.defineProperty(navigator, "languages", { get: () => ["ru-RU", "en"] })
        ),
    }),
});

/** Chooses Russian, which shows without a new load of the page. */
async function chooseRussian(journey: Journey): Promise<void> {
  const { page } = journey;
  await journey.click("Settings");
  await journey.step("settings");
  await page.evaluate(() => void ((globalThis as { isSamePage?: boolean }).isSamePage = true));
  await (await page.waitForSelector("label::-p-text(Русский)"))!.click();
  await page.waitForSelector('html[lang="ru"]');
  assert.equal(
    await page.evaluate(() => (globalThis as { isSamePage?: boolean }).isSamePage),
    true,
  );
}

async function inspect(journey: Journey, name: string): Promise<void> {
  await journey.inspect(`ru-${name}`);
  const shown = await journey.page.evaluate(() => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    const isOwn = (node: Element) => node.closest("code, noscript, [lang=en]") === null;
    const labels = [...document.querySelectorAll("[aria-label]")].filter(isOwn);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: string[] = labels.map((each) => each.getAttribute("aria-label")!);
    while (walker.nextNode()) {
      if (isOwn(walker.currentNode.parentElement!)) texts.push(walker.currentNode.textContent!);
    }
    return texts;
  });
  const english = shown.filter((text) => /[a-z]{2,}[ ,]+[a-z]{2,}/i.test(text.replace(NAMES, "")));
  assert.deepEqual(english, [], `English on ${name}`);
  assert.match(shown.join(" "), /[а-яё]{3}/i);
}

async function chooseAmount(journey: Journey): Promise<void> {
  await journey.click(ru.notes.deposit);
  await journey.step("amount");
  await journey.page.waitForFunction(() =>
    /Пока \d+ депозит|Депозитов ещё нет/.test(document.body.innerText)
  );
  await inspect(journey, "amount");
  await journey.page.click(`input[value="${POOL}"]`);
  await journey.click(ru.app.continue);
}

async function proveBackup(journey: Journey, downloads: string): Promise<void> {
  await journey.step("offer");
  await inspect(journey, "backup");
  await journey.click(ru.backup.file);
  await journey.step("made-file");
  await inspect(journey, "backup-saved");
  await journey.choose(ru.backup.choose, await downloaded(downloads, ".age"));
  await journey.step("read");
  await inspect(journey, "backup-read");
  await journey.type("backup-passphrase", PASSPHRASE);
  await journey.click(ru.backup.verify);
  await journey.step("proven");
  await inspect(journey, "backup-proven");
  await journey.click(ru.app.continue);
}

async function withdraw(journey: Journey): Promise<void> {
  await journey.click(ru.notes.withdraw);
  await journey.step("recipient");
  await inspect(journey, "recipient");
  const recipient = new Address(0, crypto.getRandomValues(Buffer.alloc(32)));
  await journey.type("recipient", recipient.toString({ testOnly: true, bounceable: false }));
  await journey.click(ru.withdraw.next);
  await journey.step("review");
  await inspect(journey, "review");
  await journey.page.click("#accept");
  await journey.page.click("button.primary");
  await journey.step("withdrawn", PROOF_TIMEOUT_MS);
  await inspect(journey, "receipt");
  await journey.click(ru.app.done);
  await journey.step("notes");
}

async function report(journey: Journey, downloads: string): Promise<void> {
  await journey.click(ru.app.menu.report);
  await journey.step("report");
  await inspect(journey, "report");
  await journey.click(ru.report.make);
  await journey.step("purpose");
  await inspect(journey, "report-purpose");
  await journey.type("purpose", "Банк, открытие счёта");
  await journey.click(ru.report.make);
  await journey.step("report-made", PROOF_TIMEOUT_MS);
  await inspect(journey, "report-made");
  await journey.click(ru.report.save);
  const saved = await downloaded(downloads, "report");
  await journey.click(ru.app.back);
  await journey.step("report");
  await journey.choose(ru.report.check, saved);
  await journey.step("report-checked", PROOF_TIMEOUT_MS);
  await inspect(journey, "report-checked");
}
