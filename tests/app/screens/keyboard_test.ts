/// <reference lib="dom" />
/** The app without a pointer, from a new store to a receipt: Tab, arrows, Enter, Space and Escape. */
import assert from "node:assert/strict";
import type { KeyInput, Page } from "puppeteer-core";
import { downloaded } from "../../support/app/app_scene.ts";
import { type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { formatRecipient, newRecipient, SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import { waitForText } from "../../support/app/steps/payment_steps.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
/** This is more than the focusable elements of any screen. */
const MAX_TABS = 40;

Deno.test({
  name: "the keyboard alone creates a store, proves its backup, deposits and withdraws",
  ignore: chromium === undefined,
  fn: () =>
    withFaultScene({}, async (scene) => {
      const visit = await scene.visit({ content: "none" });
      const keys = keyboardOf(visit);
      await keys.arrive("absent");
      await keys.press("Start");
      await keys.arrive("new");
      await keys.fill("passphrase", PASSPHRASE);
      await keys.fill("repeat", PASSPHRASE, "Enter");
      await keys.arrive("notes");
      await keys.press("Deposit");
      await keys.arrive("amount");
      await keys.chooseRadio(POOL);
      await keys.press("Continue");
      await keys.arrive("offer");
      await keys.press("Save a file");
      await keys.arrive("made-file");
      const [chooser] = await Promise.all([
        visit.page.waitForFileChooser(),
        keys.press("Choose the saved file"),
      ]);
      await chooser.accept([await downloaded(scene.downloads, ".age")]);
      await keys.arrive("read");
      await keys.fill("backup-passphrase", PASSPHRASE, "Enter");
      await keys.arrive("proven");
      await keys.press("Continue");
      await keys.arrive("pay-");
      await keys.press("Send it by hand", "Space");
      assert.ok(await visit.page.$eval("details", (details) => details.open));
      const widths = await visit.page.$$eval(
        "details code",
        (codes) => codes.map((code) => code.offsetWidth),
      );
      assert.ok(widths.length === 3 && widths.every((width) => width > 10), `widths of ${widths}`);
      const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
      const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
      assert.equal(code, 0, stderr);
      await keys.arrive("deposited");
      await keys.press("Show my notes");
      await keys.arrive("notes");
      await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
      await keys.press("Withdraw");
      await keys.arrive("recipient");
      await visit.page.keyboard.press("Escape");
      await keys.arrive("notes");
      await withdrawByKeys(keys);
    }),
});

Deno.test({
  name: "the keyboard alone pays pools of both versions with a connected wallet, and makes a report",
  ignore: chromium === undefined,
  fn: () =>
    withFaultScene({}, async (scene) => {
      const visit = await scene.visit();
      const keys = keyboardOf(visit);
      for (const pool of ["native-1", "jet-10-v2"]) {
        await keys.arrive("notes");
        await keys.press("Deposit");
        await keys.arrive("amount");
        await keys.chooseRadio(pool);
        await keys.press("Continue");
        await keys.arrive("pay-");
        await keys.press("Test wallet");
        await waitForText(visit, "Pay with");
        await keys.press("Pay with");
        await keys.arrive("deposited", SETTLEMENT_TIMEOUT_MS);
        await keys.press("Show my notes");
      }
      await keys.arrive("notes");
      await visit.page.waitForFunction(
        () => document.querySelectorAll("li.note.deposited button").length === 2,
        { timeout: SETTLEMENT_TIMEOUT_MS },
      );
      await withdrawByKeys(keys); // the newest note, of the jetton pool
      await keys.press("Report");
      await keys.arrive("report");
      await keys.press("Make a report");
      await keys.arrive("purpose");
      await keys.fill("purpose", "Example Bank, account opening");
      await keys.press("Make a report");
      await keys.arrive("report-made");
    }),
});

/** Withdraws the newest note, and returns to the notes. */
async function withdrawByKeys(keys: ReturnType<typeof keyboardOf>): Promise<void> {
  await keys.press("Withdraw");
  await keys.arrive("recipient");
  await keys.fill("recipient", formatRecipient(newRecipient()));
  await keys.press("Continue");
  await keys.arrive("review");
  await keys.press("I understand", "Space");
  await keys.press("Withdraw");
  await keys.arrive("withdrawn", SETTLEMENT_TIMEOUT_MS);
  await keys.press("Done");
  await keys.arrive("notes");
}

function keyboardOf({ page, step }: Visit) {
  const { keyboard } = page;
  /** Presses Tab until `matches` is true for the focused element, as a user would. */
  const tabTo = async (what: string, matches: (focus: Focus) => boolean) => {
    const passed: string[] = [];
    for (let i = 0; i < MAX_TABS; i++) {
      const focus = await focusOf(page);
      if (focus && matches(focus)) return;
      if (focus?.isControl) assert.ok(focus.hasRing, `${focus.text || focus.id} shows no focus ring`);
      await keyboard.press("Tab");
      passed.push(focus?.text ?? "");
    }
    assert.fail(`Tab does not lead to ${what}: ${passed.join(" | ")}`);
  };
  const isCalled = (text: string) => ({ text: own, isControl }: Focus) => isControl && own.startsWith(text);
  return {
    /** Checks that a screen reader begins at the heading of the screen. */
    async arrive(name: string, timeout?: number) {
      await step(name, timeout);
      // The screen sets the focus shortly after it is shown.
      await page.waitForFunction(() => document.activeElement?.tagName === "H1", { timeout: 5_000 }).catch(
        () => {},
      );
      const focus = await focusOf(page);
      assert.equal(focus?.tag, "H1", `the heading of ${name} has the focus, not ${focus?.text}`);
    },
    async press(text: string, key: KeyInput = "Enter") {
      await tabTo(text, isCalled(text));
      assert.ok((await focusOf(page))!.hasRing, `${text} shows no focus ring`);
      await keyboard.press(key);
    },
    async fill(id: string, text: string, then?: KeyInput) {
      await tabTo(`#${id}`, (focus) => focus.id === id);
      await keyboard.type(text);
      if (then) await keyboard.press(then);
    },
    async chooseRadio(value: string) {
      await tabTo("the choices", ({ type }) => type === "radio");
      for (let i = 0; i < MAX_TABS && (await focusOf(page))?.value !== value; i++) {
        await keyboard.press("ArrowDown");
      }
      assert.equal((await focusOf(page))?.value, value);
    },
  };
}

interface Focus {
  readonly tag: string;
  readonly id: string;
  readonly type: string;
  readonly value: string;
  readonly text: string;
  readonly isControl: boolean;
  /** Whether the element, or the label around it, has an outline of at least 2 px. */
  readonly hasRing: boolean;
}

function focusOf(page: Page): Promise<Focus | undefined> {
  return page.evaluate(() => {
    const found = document.activeElement;
    if (!(found instanceof HTMLElement) || found === document.body) return undefined;
    const label = found.closest("label");
    const hasRing = [found, label].some((each) => {
      if (!each) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
    const { type = "", value = "" } = found as HTMLInputElement;
    return {
      tag: found.tagName,
      id: found.id,
      type,
      value,
      hasRing,
      text: (label ?? found).innerText.trim(),
      isControl: found.matches("a, button, input, textarea, summary"),
    };
  });
}
