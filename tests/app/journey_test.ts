/**
 * A note from creation to withdrawal in a browser, with a local network and its relayer. The test checks
 * every screen on the way.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Buffer } from "node:buffer";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { chooseAmount, createStore, downloaded, inBrowser, proveBackup } from "../support/app/app_scene.ts";
import { type Journey, PASSPHRASE } from "../support/app/journey.ts";
import { parseJsonLines } from "../support/cli/cli_fixture.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { chromium } from "../support/system/chromium.ts";

const PROOF_TIMEOUT_MS = 180_000;

Deno.test({
  name: "a depositor pays from any wallet, withdraws to a new address and proves both to one reader",
  ignore: chromium === undefined,
  fn: () =>
    inBrowser(async ({ journey, net, downloads }) => {
      await createStore(journey);
      await chooseAmount(journey, "native-10-v2");
      await proveBackup(journey, downloads);
      await journey.step("pay-");
      await journey.page.waitForSelector(".qr-dark");
      await journey.inspect("pay");
      const link = await journey.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
      const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", net.indexer]);
      assert.equal(code, 0, stderr);
      await finishDeposit(journey);
      await withdraw(journey, "native-10-v2");
      await makeAndCheckReport(journey, downloads);
      await lookAround(journey);
      await backupOpensInCommandLine(downloads);
    }),
});

const connected = [["native-1", true], ["jet-10", false], ["jet-10-v2", false]] as const;
for (const [pool, isIsolated] of connected) {
  Deno.test({
    name: `a depositor pays into ${pool} through a connected wallet and withdraws${
      isIsolated ? "" : ", without shared memory"
    }`,
    ignore: chromium === undefined,
    fn: () =>
      inBrowser(async ({ journey, downloads, connectWallet, wallet }) => {
        await createStore(journey);
        await chooseAmount(journey, pool);
        await proveBackup(journey, downloads);
        await journey.step("pay-");
        await journey.inspect(`pay-${pool}`);
        await connectWallet();
        await journey.inspect(`connected-${pool}`);
        await journey.click("Pay");
        await finishDeposit(journey);
        await waitUntil("the wallet is disconnected", () => Promise.resolve(wallet.isDisconnected));
        await withdraw(journey, pool);
      }, { isIsolated }),
  });
}

async function finishDeposit(journey: Journey): Promise<void> {
  await journey.step("deposited", PROOF_TIMEOUT_MS);
  await journey.inspect("deposited");
  await journey.click("Show my notes");
  await journey.step("notes");
  await journey.page.waitForSelector("li.note.deposited button", { timeout: PROOF_TIMEOUT_MS });
  await journey.inspect("notes");
}

async function withdraw(journey: Journey, name: string): Promise<void> {
  await journey.click("Withdraw");
  await journey.step("recipient");
  await journey.inspect("recipient");
  const recipient = new Address(0, crypto.getRandomValues(Buffer.alloc(32)));
  await journey.type("recipient", recipient.toString({ testOnly: true, bounceable: false }));
  await journey.click("Continue");
  await journey.step("review");
  await journey.inspect(`review-${name}`);
  await journey.page.click("#accept");
  await journey.page.click("button.primary");
  await journey.step("withdrawn", PROOF_TIMEOUT_MS);
  await journey.inspect(`receipt-${name}`);
  await journey.click("Done");
  await journey.step("notes");
}

async function makeAndCheckReport(journey: Journey, downloads: string): Promise<void> {
  await journey.click("Report");
  await journey.step("report");
  await journey.inspect("report");
  await journey.click("Make a report");
  await journey.step("purpose");
  await journey.inspect("report-purpose");
  await journey.type("purpose", "Example Bank, account opening");
  await journey.click("Make a report");
  await journey.step("report-made", PROOF_TIMEOUT_MS);
  await journey.inspect("report-made");
  await journey.click("Save the report");
  const report = await downloaded(downloads, "report");
  await journey.click("Back");
  await journey.step("report");
  await journey.choose("Choose a report", report);
  await journey.step("report-checked", PROOF_TIMEOUT_MS);
  await journey.inspect("report-checked");
}

async function lookAround(journey: Journey): Promise<void> {
  await journey.page.evaluate(() => location.hash = "#/settings");
  await journey.step("settings");
  await journey.inspect("settings");
  await journey.click("Lock");
  await journey.step("locked");
  await journey.inspect("locked");
}

async function backupOpensInCommandLine(downloads: string): Promise<void> {
  const env = { TONADO_NOTES: await downloaded(downloads, ".age"), TONADO_PASSPHRASE: PASSPHRASE };
  const shown = await runCli(["note", "seed", "show", "--json"], env);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(parseJsonLines(shown.stdout)[0].seed, /^tonado-seed-/);
}
