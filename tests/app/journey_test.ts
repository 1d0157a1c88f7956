/** A note's whole life in a browser, against a local network with its relayer; every screen is checked on the way. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Buffer } from "node:buffer";
import { parseDeployments } from "../../src/core/protocol/deployments.ts";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { startBridge } from "../../testkit/wallet/bridge_server.ts";
import { openRemoteWallet, type RemoteWallet } from "../../testkit/wallet/remote_wallet.ts";
import { openTestWallet, type TestWallet } from "../../testkit/wallet/test_wallet.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { buildApp, useBuild } from "../support/app/built_app.ts";
import { type Journey, openJourney, PASSPHRASE } from "../support/app/journey.ts";
import { serveApp } from "../support/app/serve_app.ts";
import { parseJsonLines } from "../support/cli/cli_fixture.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { chromium } from "../support/system/chromium.ts";

/** TONADO_APP_PICTURES names a folder that keeps pictures of every screen. */
const pictures = Deno.env.get("TONADO_APP_PICTURES");
const PROOF_TIMEOUT_MS = 180_000;

interface Scene {
  readonly journey: Journey;
  /** What `tonado localnet --json` printed. */
  readonly net: LocalnetFacts;
  readonly downloads: string;
  /** Opens the link of the app's connect screen with the test wallet. */
  connectWallet(): Promise<void>;
  readonly wallet: TestWallet;
}

interface LocalnetFacts {
  readonly indexer: string;
  readonly relayer: string;
  readonly registry: string;
  readonly wallets: readonly { readonly mnemonic: string; readonly version: "v4R2" | "v5R1" }[];
}

Deno.test({
  name: "a depositor pays from any wallet, withdraws to a new address and proves both to one reader",
  ignore: chromium === undefined,
  fn: () =>
    inBrowser(async ({ journey, net, downloads }) => {
      await createStore(journey);
      await chooseAmount(journey, "native-10-v2");
      await proveBackup(journey, downloads);
      await journey.step("pay-");
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

for (const pool of ["native-1", "jet-10", "jet-10-v2"]) {
  Deno.test({
    name: `a depositor pays into ${pool} through a connected wallet and withdraws`,
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
      }),
  });
}

async function inBrowser(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDirectory(async (data) => {
    const network = startProgram(sourceCommand, [
      ...["localnet", "--json", "--data-dir", data, "--block-time", "400"],
      ...["--port", "0", "--relayer-port", "0"],
    ]);
    const bridge = startBridge();
    const sessions: RemoteWallet[] = [];
    try {
      const net: LocalnetFacts = JSON.parse(await network.nextLine());
      useBuild(await buildApp());
      const app = await serveApp({
        depositEndpoint: net.indexer,
        withdrawalEndpoint: net.indexer.replace("127.0.0.1", "localhost"),
        relayers: [net.relayer],
        deployments: parseDeployments(JSON.parse(await Deno.readTextFile(net.registry))),
        wallets: [{
          id: "test",
          name: "Test wallet",
          link: "http://wallet.test/connect",
          bridge: bridge.url,
        }],
      });
      const downloads = `${data}/downloads`;
      await Deno.mkdir(downloads);
      if (pictures) await Deno.mkdir(pictures, { recursive: true });
      await withBrowser(async (browser) => {
        const journey = await openJourney(browser, app.url, { downloads, pictures });
        const { indexer, wallets: [{ mnemonic, version }] } = net;
        const wallet = await openTestWallet({ indexer, mnemonic, version });
        const connectWallet = async () => {
          await journey.click("Test wallet");
          const link = await journey.page.waitForSelector('a[href^="http://wallet.test/connect"]');
          const href = await link!.evaluate((each) => each.getAttribute("href")!);
          sessions.push(await openRemoteWallet(wallet, { link: href, bridge: bridge.url }));
          await journey.step("pay-");
        };
        await use({ journey, net, downloads, connectWallet, wallet });
        assert.deepEqual(journey.violations, []);
        const known = [
          app.url,
          net.indexer,
          net.indexer.replace("127.0.0.1", "localhost"),
          net.relayer,
          bridge.url,
        ];
        const origins = new Set(known.map((url) => new URL(url).origin));
        assert.deepEqual(
          [...journey.origins].filter((origin) => !origins.has(origin)),
          [],
          "foreign origins",
        );
      });
      await app.close();
    } finally {
      for (const session of sessions) session.close();
      await bridge.close();
      await network.stop();
    }
  });
}

async function createStore(journey: Journey): Promise<void> {
  await journey.step("absent");
  await journey.inspect("start");
  await journey.click("Start");
  await journey.step("new");
  await journey.inspect("new");
  await journey.type("passphrase", PASSPHRASE);
  await journey.type("repeat", PASSPHRASE);
  await journey.click("Create my store");
  await journey.step("notes");
  await journey.inspect("empty");
}

async function chooseAmount(journey: Journey, pool: string): Promise<void> {
  await journey.click("Deposit");
  await journey.step("amount");
  await journey.inspect("amount");
  const lines = await journey.page.$$eval(".choice", (choices) => choices.map((each) => each.textContent));
  assert.equal(new Set(lines).size, lines.length, `two choices read the same: ${lines.join(" | ")}`);
  await journey.page.click(`input[value="${pool}"]`);
  await journey.click("Continue");
}

async function proveBackup(journey: Journey, downloads: string): Promise<void> {
  await journey.step("offer");
  await journey.inspect("backup");
  await journey.click("Save a file");
  await journey.step("made-file");
  await journey.inspect("backup-saved");
  await journey.choose("Choose the saved file", await downloaded(downloads, ".age"));
  await journey.step("read");
  await journey.inspect("backup-read");
  await journey.type("backup-passphrase", PASSPHRASE);
  await journey.click("Open the backup");
  await journey.step("proven");
  await journey.inspect("backup-proven");
  await journey.click("Continue");
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

async function downloaded(folder: string, part: string): Promise<string> {
  const find = () =>
    [...Deno.readDirSync(folder)].map(({ name }) => name).find((name) => isComplete(name, part));
  await waitUntil(`a file with ${part} is saved`, () => Promise.resolve(find() !== undefined));
  return `${folder}/${find()}`;
}

function isComplete(name: string, part: string): boolean {
  return name.includes(part) && !name.endsWith(".crdownload");
}
