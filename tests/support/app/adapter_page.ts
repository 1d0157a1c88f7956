/** Calls the app's adapters in a page: `tests/app/page/adapters.ts`. */
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import type { Adapters } from "../../app/page/adapters.ts";
import { type AppPage, openAppPage } from "./app_browser.ts";
import { buildApp, useBuild } from "./built_app.ts";

export interface AdapterPage extends AppPage {
  /**
   * Runs `work` in the page and returns its result. `work` must not use anything from the scope around it. A
   * problem rejects with `code: detail`.
   */
  run<Input, Output>(
    work: (adapters: Adapters, input: Input) => Output | Promise<Output>,
    input: Input,
  ): Promise<Output>;
}

/** Serves the page of adapters from now on. */
export async function useAdapters(): Promise<void> {
  useBuild(await buildApp("tests/app/page/adapters.ts"));
}

export async function openAdapterPage(
  context: Browser | BrowserContext,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<AdapterPage> {
  const opened = await openAppPage(context, url, prepare);
  await adaptersReady(opened.page);
  return { ...opened, run: (work, input) => runIn(opened.page, work, input) };
}

export async function adaptersReady(page: Page): Promise<void> {
  await page.waitForFunction("globalThis.adapters !== undefined");
}

/** Runs a function through the debugger's own protocol, because the policy forbids `eval`. */
async function runIn<Input, Output>(
  page: Page,
  work: (adapters: Adapters, input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<Output> {
  const source = `(async (input) => {
    try { return { value: await (${work})(globalThis.adapters, input) }; }
    catch (error) { return { fault: (error.code ?? error.name) + ": " + error.message }; }
  })(${JSON.stringify(input ?? null)})`;
  const { value, fault } = await page.evaluate(source) as { value: Output; fault?: string };
  if (fault !== undefined) throw new Error(fault);
  return value;
}
