/// <reference lib="dom" />
/** Opens the app in headless Chromium, and records violations of its policy. */
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { chromium } from "../system/chromium.ts";
import { launchBrowser } from "../../../testkit/programs/browser.ts";

export interface AppPage {
  readonly page: Page;
  /** The browser's reports of policy violations, and uncaught errors. */
  readonly violations: readonly string[];
  /** The origins that the page sent requests to. */
  readonly origins: ReadonlySet<string>;
}

/** Passes a browser to `use` and closes it afterwards. `ignore` tests where {@linkcode chromium} is undefined. */
export async function withBrowser<T>(
  use: (browser: Browser) => Promise<T>,
  args: readonly string[] = [],
): Promise<T> {
  const browser = await launchBrowser(chromium!, { args: [...args] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page in a context, which shares its storage with the context's other pages. */
export async function openAppPage(
  context: Browser | BrowserContext,
  url: string,
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<AppPage> {
  const page = await context.newPage();
  const violations: string[] = [];
  const origins = new Set<string>();
  await page.exposeFunction("__violation", (text: string) => violations.push(text));
  await page.evaluateOnNewDocument(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const report = (globalThis as unknown as { __violation(text: string): void }).__violation;
      report(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  page.on("pageerror", (error) => violations.push(String(error)));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(https?|wss?):/.test(protocol)) origins.add(origin);
  });
  await prepare(page);
  await page.goto(url, { waitUntil: "load" });
  return { page, violations, origins };
}
