/// <reference lib="dom" />
/** Operates the app as a user does, by what the screen shows. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { BrowserContext, Page } from "puppeteer-core";
import { type AppPage, openAppPage } from "./app_browser.ts";
import { findLayoutFaults } from "./layout.ts";
import { assertNamesGram } from "../system/coin_name.ts";

export const PASSPHRASE = "correct horse battery";
const STEP_TIMEOUT_MS = 60_000;
const WIDTHS = [320, 390, 1280];
/** The rules of WCAG 2.2 AA. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The app's own minimum size of targets; WCAG requires 24. */
const MIN_TARGET_PX = 44;
/**
 * Names and content of the screens that were inspected. The same screen in another journey has the same
 * result.
 */
const inspected = new Set<string>();

export interface Journey {
  readonly page: Page;
  readonly violations: readonly string[];
  readonly origins: ReadonlySet<string>;
  /** Waits for the step whose name begins with `name`. */
  step(name: string, timeout?: number): Promise<void>;
  /** Presses the first button, link or summary whose text begins with `text`. */
  click(text: string): Promise<void>;
  type(id: string, text: string): Promise<void>;
  choose(button: string, path: string): Promise<void>;
  text(): Promise<string>;
  /**
   * Checks the screen with axe in light and dark, and for overflow, overlapping parts, small targets and cut
   * words. Keeps its picture.
   */
  inspect(name: string): Promise<void>;
}

/**
 * Opens a page. @param pictures a folder for pictures of every screen, light and dark, at 320, 390 and 1280
 * px; undefined for none
 */
export async function openJourney(
  context: BrowserContext,
  url: string,
  pictures: string | undefined,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Journey> {
  return await driveJourney(await openAppPage(context, url, prepare), pictures);
}

/** Operates an open page. */
export async function driveJourney(
  { page, violations, origins }: AppPage,
  pictures?: string,
): Promise<Journey> {
  await page.setViewport({ width: 390, height: 844 });
  const journey: Journey = {
    page,
    violations,
    origins,
    async step(name, timeout = STEP_TIMEOUT_MS) {
      try {
        await page.waitForSelector(`[data-step^="${name}"]`, { timeout });
      } catch {
        assert.fail(`step ${name} did not come; the screen says: ${await journey.text()}`);
      }
      assertNamesGram(await journey.text(), `the screen ${name}`);
    },
    async click(text) {
      const xpath = ["button", "a", "summary"].map((tag) =>
        `//${tag}[starts-with(normalize-space(),"${text}")]`
      );
      const found = await page.waitForSelector(`::-p-xpath(${xpath.join(" | ")})`, {
        timeout: STEP_TIMEOUT_MS,
      })
        .catch(async () => assert.fail(`no button "${text}"; the screen says: ${await journey.text()}`));
      await found!.click();
    },
    type: async (id, text) => await page.type(`#${id}`, text),
    async choose(button, path) {
      const [chooser] = await Promise.all([page.waitForFileChooser(), journey.click(button)]);
      await chooser.accept([path]);
    },
    text: () => page.evaluate(() => document.body.innerText),
    inspect: (name) => inspect(page, name, pictures),
  };
  return journey;
}

async function inspect(page: Page, name: string, pictures: string | undefined): Promise<void> {
  const screen = name + await page.evaluate(() => document.documentElement.outerHTML);
  if (inspected.has(screen)) return;
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    assert.deepEqual(await findAxeFaults(page), [], `axe: ${name}, ${scheme}`);
  }
  await page.emulateMediaFeatures([]);
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 844 });
    const layout = await page.evaluate((least) => ({
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      small: [...document.querySelectorAll("button, a[href]:not(.skip), summary, .choice, .check")]
        .map((each) => ({ text: each.textContent?.trim() ?? "", box: each.getBoundingClientRect() }))
        .filter(({ box }) => box.height > 0 && (box.height < least - 0.5 || box.width < least - 0.5))
        .map(({ text, box }) => `${text} ${Math.round(box.width)}x${Math.round(box.height)}`),
      headings: [...document.querySelectorAll("h1")].filter((each) => each.checkVisibility()).length,
      broken: [...document.querySelectorAll(".top-row > *, .button")]
        .map((each) => document.createTreeWalker(each, NodeFilter.SHOW_TEXT).nextNode())
        .filter((text) => {
          if (!/^\S+$/.test(text?.textContent ?? "")) return false;
          const range = document.createRange();
          range.selectNodeContents(text!);
          return range.getClientRects().length > 1;
        })
        .map((text) => text!.textContent),
    }), MIN_TARGET_PX);
    assert.deepEqual(layout, { overflow: 0, small: [], headings: 1, broken: [] }, `${name} at ${width} px`);
    assert.deepEqual(await findLayoutFaults(page), [], `layout: ${name} at ${width} px`);
    if (pictures) await keepPictures(page, `${pictures}/${name}-${width}`);
  }
  await page.setViewport({ width: 390, height: 844 });
  inspected.add(screen);
}

async function keepPictures(page: Page, path: string): Promise<void> {
  for (const [scheme, suffix] of [["light", ""], ["dark", "-dark"]]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.screenshot({ path: `${path}${suffix}.png`, fullPage: true, optimizeForSpeed: false });
  }
  await page.emulateMediaFeatures([]);
}

/** Runs axe through the debugger's own protocol, because the policy forbids injected scripts. */
async function findAxeFaults(page: Page): Promise<string[]> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(axe.source);
  return await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: unknown,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run(document, { runOnly: rules });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  }, RULES);
}
