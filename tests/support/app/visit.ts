/** A visit of the app without a network, which is sufficient for the store, backups and settings. */
import assert from "node:assert/strict";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { openAppPage, withBrowser } from "./app_browser.ts";
import { buildApp, useBuild } from "./built_app.ts";
import { driveJourney, type Journey } from "./journey.ts";
import { serveApp, type ServedApp } from "./serve_app.ts";

export interface Visit {
  readonly journey: Journey;
  readonly served: ServedApp;
  /** The folder that the browser saves files in. */
  readonly downloads: string;
}

export interface VisitOptions {
  /** Arguments of the browser. */
  readonly args?: readonly string[];
  readonly intercept?: ServedApp["intercept"];
  /** Runs before the page loads. */
  readonly prepare?: Parameters<typeof openAppPage>[2];
}

/** Opens the app, and asserts at the end that nothing violated the page's policy. */
export async function visitApp(
  use: (visit: Visit) => Promise<void>,
  { args = [], intercept, prepare }: VisitOptions = {},
): Promise<void> {
  useBuild(await buildApp());
  const served = await serveApp();
  served.intercept = intercept;
  try {
    await withTempDirectory((downloads) =>
      withBrowser(async (browser) => {
        const session = await browser.target().createCDPSession();
        await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
        const opened = await openAppPage(browser, served.url, prepare);
        await use({
          journey: await driveJourney(opened, Deno.env.get("TONADO_APP_PICTURES")),
          served,
          downloads,
        });
        assert.deepEqual(opened.violations, []);
      }, args)
    );
  } finally {
    await served.close();
  }
}
