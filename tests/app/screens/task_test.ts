/** `deno task app`, from the command to a withdrawn note, and how long it takes. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { startProgram } from "../../../testkit/programs/program.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { withBrowser } from "../../support/app/app_browser.ts";
import { chooseAmount, createStore, proveBackup } from "../../support/app/app_scene.ts";
import { openJourney } from "../../support/app/journey.ts";
import { SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

/** The denomination of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");

Deno.test({
  name: "deno task app serves an app in which a note is deposited and withdrawn",
  ignore: chromium === undefined,
  async fn() {
    const started = performance.now();
    const task = startProgram([Deno.execPath(), "task", "app"], ["--port", "0", "--json"]);
    try {
      let line = await task.nextLine();
      while (!line.startsWith("{")) line = await task.nextLine();
      const ready = performance.now();
      await useApp(JSON.parse(line).url);
      const seconds = (ms: number) => `${((ms - started) / 1000).toFixed(1)} s`;
      console.log(
        `deno task app: ready after ${seconds(ready)}, withdrawn after ${seconds(performance.now())}`,
      );
    } finally {
      await task.stop();
    }
  },
});

/** Creates a store with a proven backup, deposits a note and withdraws it. */
async function useApp(url: string): Promise<void> {
  const { depositEndpoint } = await (await fetch(`${url}config.json`)).json();
  await withTempDirectory((downloads) =>
    withBrowser(async (browser) => {
      const session = await browser.target().createCDPSession();
      await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
      const opened = await openJourney(browser.defaultBrowserContext(), url, undefined);
      const journey = { ...opened, inspect: () => Promise.resolve() }; // this time does not count as the user's
      await createStore(journey);
      await chooseAmount(journey, "native-10-v2");
      await proveBackup(journey, downloads);
      await journey.step("pay-");
      const link = await journey.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
      const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", depositEndpoint]);
      assert.equal(code, 0, stderr);
      await journey.step("deposited", SETTLEMENT_TIMEOUT_MS);
      await journey.click("Show my notes");
      const recipient = await withdraw(journey);
      await journey.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
      const chain = connect({ network: "localnet", endpoint: depositEndpoint });
      assert.equal((await chain.account(recipient)).balance, PAYOUT);
    })
  );
}
