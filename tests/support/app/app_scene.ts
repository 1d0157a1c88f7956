/// <reference lib="dom" />
/**
 * The app in Chromium with its surroundings (a local network, its relayer, a wallet), and the first steps of
 * a visit.
 */
import assert from "node:assert/strict";
import { parseDeployments } from "../../../src/core/protocol/deployments.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { startBridge } from "../../../testkit/wallet/bridge_server.ts";
import { openRemoteWallet, type RemoteWallet } from "../../../src/localnet/tonconnect/remote_wallet.ts";
import { openTestWallet, type TestWallet } from "../../../testkit/wallet/test_wallet.ts";
import type { Browser, BrowserContext } from "puppeteer-core";
import { withBrowser } from "./app_browser.ts";
import { buildApp, useBuild } from "./built_app.ts";
import { type Journey, openJourney, PASSPHRASE } from "./journey.ts";
import { serveApp, withoutIsolation } from "./serve_app.ts";

/** TONADO_APP_PICTURES names a folder that keeps pictures of every screen. */
const pictures = Deno.env.get("TONADO_APP_PICTURES");

export interface Scene {
  readonly journey: Journey;
  /** The output of `tonado localnet --json`. */
  readonly net: LocalnetFacts;
  readonly downloads: string;
  /** Opens the link of the app's connect screen with the test wallet. */
  connectWallet(): Promise<void>;
  readonly wallet: TestWallet;
  /** Kills the newest tab at once, and opens the app again in the same browser. */
  killTab(): Promise<Journey>;
  /** Opens the app in a browser without a store. */
  freshBrowser(): Promise<Journey>;
}

interface LocalnetFacts {
  readonly indexer: string;
  readonly relayer: string;
  readonly registry: string;
  readonly wallets: readonly { readonly mnemonic: string; readonly version: "v4R2" | "v5R1" }[];
}

interface BrowserOptions {
  /** Whether deposits and withdrawals use one endpoint. */
  readonly sharedEndpoint?: boolean;
  /** Whether the page gets shared memory. Default: true. */
  readonly isIsolated?: boolean;
  /** Arguments of the browser. */
  readonly args?: readonly string[];
  /** The folder of the browser's profile. Default: a profile in memory. */
  readonly profile?: string;
}

/**
 * Runs `use` with the app in a browser, and asserts that it made no foreign requests and did not violate its
 * policy.
 */
export async function inBrowser(
  use: (scene: Scene) => Promise<void>,
  { sharedEndpoint = false, isIsolated = true, args = [], profile }: BrowserOptions = {},
): Promise<void> {
  await withTempDirectory(async (data) => {
    await using environment = await startEnvironment(data, sharedEndpoint);
    if (!isIsolated) environment.app.alterHeaders = withoutIsolation;
    await withBrowser(async (browser) => {
      const context = profile ? browser.defaultBrowserContext() : await browser.createBrowserContext();
      const downloads = await keepDownloads(browser, context, data);
      const journeys = [await openJourney(context, environment.app.url, pictures)];
      assert.equal(await journeys[0].page.evaluate("crossOriginIsolated"), isIsolated);
      await use(await openScene({ browser, context, environment, journeys, downloads }));
      assertIsolated(journeys, environment);
    }, profile ? [...args, `--user-data-dir=${profile}`] : args);
  });
}

/** The surroundings that the app needs. */
type Environment = Awaited<ReturnType<typeof startEnvironment>>;

/** Starts a local network with its relayer, a bridge for wallets, and the app. */
async function startEnvironment(data: string, sharedEndpoint: boolean) {
  await using stack = new AsyncDisposableStack();
  const network = startProgram(sourceCommand(), [
    ...["localnet", "--json", "--data-dir", data, "--block-time", "400"],
    ...["--port", "0", "--relayer-port", "0"],
  ]);
  stack.defer(async () => void await network.stop());
  const bridge = startBridge();
  stack.defer(() => bridge.close());
  const sessions: RemoteWallet[] = [];
  stack.defer(() => sessions.forEach((session) => session.close()));
  const net: LocalnetFacts = JSON.parse(await network.nextLine());
  useBuild(await buildApp());
  const app = await serveApp({
    depositEndpoint: net.indexer,
    withdrawalEndpoint: sharedEndpoint ? net.indexer : otherOrigin(net.indexer),
    relayers: [net.relayer],
    deployments: parseDeployments(JSON.parse(await Deno.readTextFile(net.registry))),
    wallets: [{ id: "test", name: "Test wallet", link: "http://wallet.test/connect", bridge: bridge.url }],
  });
  stack.defer(() => app.close());
  const open = stack.move();
  return { net, app, bridge, sessions, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Returns the URL of the same server under another origin. */
const otherOrigin = (url: string) => url.replace("127.0.0.1", "localhost");

/** Makes a browser context save downloads in a folder, and returns it. */
async function keepDownloads(browser: Browser, context: BrowserContext, data: string): Promise<string> {
  const downloads = `${data}/downloads`;
  await Deno.mkdir(downloads);
  if (pictures) await Deno.mkdir(pictures, { recursive: true });
  const session = await browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: downloads,
    ...context.id && { browserContextId: context.id },
  });
  return downloads;
}

/** Returns the scene of a journey. Journeys that the test opens are added to `journeys`. */
async function openScene({ browser, context, environment, journeys, downloads }: {
  browser: Browser;
  context: BrowserContext;
  environment: Environment;
  journeys: Journey[];
  downloads: string;
}): Promise<Scene> {
  const { net, app, bridge, sessions } = environment;
  const [journey] = journeys;
  const { indexer, wallets: [{ mnemonic, version }] } = net;
  const wallet = await openTestWallet({ indexer, mnemonic, version });
  return {
    journey,
    net,
    downloads,
    wallet,
    async connectWallet() {
      await journey.click("Test wallet");
      const link = await journey.page.waitForSelector('a[href^="http://wallet.test/connect"]');
      await journey.inspect("connecting");
      const href = await link!.evaluate((each) => each.getAttribute("href")!);
      sessions.push(await openRemoteWallet(wallet, { link: href, bridge: bridge.url }));
      await journey.step("pay-");
    },
    async killTab() {
      await journeys.at(-1)!.page.close();
      journeys.push(await openJourney(context, app.url, pictures));
      return journeys.at(-1)!;
    },
    async freshBrowser() {
      journeys.push(await openJourney(await browser.createBrowserContext(), app.url, undefined));
      return journeys.at(-1)!;
    },
  };
}

/** Asserts that the pages did not violate their policy and sent no requests to other origins. */
function assertIsolated(journeys: readonly Journey[], { app, net, bridge }: Environment): void {
  assert.deepEqual(journeys.flatMap(({ violations }) => violations), []);
  const known = [app.url, net.indexer, otherOrigin(net.indexer), net.relayer, bridge.url];
  const origins = new Set(known.map((url) => new URL(url).origin));
  assert.deepEqual(
    journeys.flatMap((each) => [...each.origins]).filter((origin) => !origins.has(origin)),
    [],
    "foreign origins",
  );
}

export async function createStore(journey: Journey): Promise<void> {
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

export async function chooseAmount(journey: Journey, pool: string): Promise<void> {
  await journey.click("Deposit");
  await journey.step("amount");
  await journey.page.waitForFunction(() => /deposits? so far|No deposit yet/.test(document.body.innerText));
  await journey.inspect("amount");
  const lines = await journey.page.$$eval(".choice", (choices) => choices.map((each) => each.textContent));
  assert.equal(new Set(lines).size, lines.length, `two choices read the same: ${lines.join(" | ")}`);
  await journey.page.click(`input[value="${pool}"]`);
  await journey.click("Continue");
}

export async function proveBackup(
  journey: Journey,
  downloads: string,
  passphrase = PASSPHRASE,
): Promise<void> {
  await journey.step("offer");
  await journey.inspect("backup");
  await journey.click("Save a file");
  await journey.step("made-file");
  await journey.inspect("backup-saved");
  await journey.choose("Choose the saved file", await downloaded(downloads, ".age"));
  await journey.step("read");
  await journey.inspect("backup-read");
  await journey.type("backup-passphrase", passphrase);
  await journey.click("Open the backup");
  await journey.step("proven");
  await journey.inspect("backup-proven");
  await journey.click("Continue");
}

/** Replaces the passphrase of {@linkcode createStore}, which locks the app. */
export async function changePassphrase(journey: Journey, next: string): Promise<void> {
  await journey.click("Settings");
  await journey.step("settings");
  await journey.click("Change the passphrase");
  await journey.type("passphrase", next);
  await journey.type("repeat", next);
  await journey.type("current-passphrase", PASSPHRASE);
  await (await journey.page.$('form button[type="submit"]::-p-text(Change the passphrase)'))!.click();
  await journey.step("locked");
}

export async function downloaded(folder: string, part: string): Promise<string> {
  const find = () =>
    [...Deno.readDirSync(folder)].map(({ name }) => name).find((name) => isComplete(name, part));
  await waitUntil(`a file with ${part} is saved`, () => Promise.resolve(find() !== undefined));
  return `${folder}/${find()}`;
}

function isComplete(name: string, part: string): boolean {
  return name.includes(part) && !name.endsWith(".crdownload");
}
