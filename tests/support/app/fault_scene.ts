/// <reference lib="dom" />
/**
 * The app in one Chromium for all tests of a file, with a gate before each of its servers. Every visit is a
 * new browser profile with its own store.
 */
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { seedFingerprint } from "../../../src/app/vault/backup_proof.ts";
import { type Deployments, parseDeployments } from "../../../src/core/protocol/deployments.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { openTestWallet, type TestWallet, type WalletConduct } from "../../../testkit/wallet/test_wallet.ts";
import { withBrowser } from "./app_browser.ts";
import { buildApp, useBuild } from "./built_app.ts";
import { encryptStore, fundNotes, newContent, type StoreContent, toBase64 } from "./funded_notes.ts";
import { type Gate, startGate } from "./gate.ts";
import { injectWallet } from "./injected_wallet.ts";
import { type Journey, openJourney, PASSPHRASE } from "./journey.ts";
import { serveApp, type ServedApp } from "./serve_app.ts";

const pictures = Deno.env.get("TONADO_APP_PICTURES");

/** A wallet of the local network, as `tonado localnet --json` prints it. */
interface LocalWallet {
  readonly mnemonic: string;
  readonly version: "v4R2" | "v5R1";
}

export interface FaultScene {
  readonly gates: { readonly deposit: Gate; readonly withdrawal: Gate; readonly relayer: Gate };
  readonly app: ServedApp;
  readonly indexer: string;
  readonly relayer: string;
  readonly deployments: Deployments;
  /** The funded wallets of the network. */
  readonly wallets: readonly LocalWallet[];
  /** The wallet in every page, and its next answers. */
  readonly wallet: TestWallet;
  conduct: () => WalletConduct | Promise<WalletConduct>;
  readonly downloads: string;
  /** Returns the store of a deposited note that no other test uses. */
  takeFunded(): StoreContent;
  /** Opens the app in a new profile. */
  visit(options?: VisitOptions): Promise<Visit>;
}

export interface VisitOptions {
  /** Default: a new seed without notes. `none`: no store. */
  readonly content?: StoreContent | "none";
  readonly isBackedUp?: boolean;
  /** Runs in every page before the app. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface Visit extends Journey {
  readonly context: BrowserContext;
  /** Opens the app again in the same profile. */
  openTab(): Promise<Journey>;
  /** Loads the page again and unlocks the store. */
  reopen(): Promise<void>;
  unlock(passphrase?: string): Promise<void>;
  /** Returns the screen's heading, notices and errors, one per line. */
  notices(): Promise<string[]>;
}

export interface SceneOptions {
  /** The number of notes for `takeFunded`. */
  readonly funded?: number;
  readonly wallets?: Parameters<typeof serveApp>[0];
  /** Whether the relayer settles deposits. Default: true. */
  readonly settles?: boolean;
}

/** Starts network, servers and browser once, and runs the cases one after another as steps of `t`. */
export async function withFaultScene(
  { funded = 0, settles = true }: SceneOptions,
  use: (scene: FaultScene) => Promise<void>,
): Promise<void> {
  await withTempDirectory(async (data) => {
    const network = startProgram(sourceCommand(), [
      ...["localnet", "--json", "--data-dir", data, "--block-time", "300"],
      ...["--port", "0", "--relayer-port", "0"],
      ...settles ? [] : ["--no-settle"],
    ]);
    const gates: Gate[] = [];
    let app: ServedApp | undefined;
    try {
      const net = JSON.parse(await network.nextLine());
      const deployments = parseDeployments(JSON.parse(await Deno.readTextFile(net.registry)));
      const [payer, ...others] = net.wallets;
      const funder = others.find(({ version }: { version: string }) => version === "v5R1"); // one transfer for all
      const [deposit, withdrawal, relayer] = [
        startGate(net.indexer),
        startGate(net.indexer, "localhost"),
        startGate(net.relayer),
      ];
      gates.push(deposit, withdrawal, relayer);
      useBuild(await buildApp());
      app = await serveApp({
        depositEndpoint: deposit.url,
        withdrawalEndpoint: withdrawal.url,
        relayers: [relayer.url],
        deployments,
        wallets: [],
      });
      const stores = funded === 0
        ? []
        : await fundNotes({ indexer: net.indexer, deployments, wallet: funder }, funded);
      const downloads = `${data}/downloads`;
      await Deno.mkdir(downloads);
      if (pictures) await Deno.mkdir(pictures, { recursive: true });
      const wallet = await openTestWallet({
        indexer: net.indexer,
        mnemonic: payer.mnemonic,
        version: payer.version,
        conduct: () => scene.conduct(),
      });
      let scene: FaultScene;
      await withBrowser(async (browser) => {
        scene = {
          gates: { deposit, withdrawal, relayer },
          app: app!,
          deployments,
          wallets: net.wallets,
          wallet,
          downloads,
          indexer: net.indexer,
          relayer: net.relayer,
          conduct: () => "signs",
          takeFunded: () => stores.pop() ?? assert.fail("no funded note is left"),
          visit: (options = {}) => openVisit(browser, scene, options),
        };
        await use(scene);
      });
    } finally {
      for (const gate of gates) await gate.close();
      await app?.close();
      await network.stop();
    }
  });
}

/** Runs a case, and ends its faults even if it fails. */
export async function runCase(
  t: Deno.TestContext,
  scene: FaultScene,
  name: string,
  fn: () => Promise<void>,
): Promise<void> {
  await t.step(name, async () => {
    try {
      await fn();
    } finally {
      for (const gate of Object.values(scene.gates)) gate.open();
      scene.conduct = () => "signs";
      scene.app.intercept = undefined;
    }
  });
}

/** The cases of a test, by name. */
export type FaultCases = Readonly<Record<string, (scene: FaultScene) => Promise<void>>>;

/** Runs each case as a step. */
export async function runCases(t: Deno.TestContext, scene: FaultScene, cases: FaultCases): Promise<void> {
  for (const [name, run] of Object.entries(cases)) await runCase(t, scene, name, () => run(scene));
}

async function openVisit(
  browser: Browser,
  { app, wallet, downloads }: FaultScene,
  { content = newContent(), isBackedUp = true, prepare }: VisitOptions,
): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const session = await browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: downloads,
    browserContextId: context.id,
  });
  const open = () =>
    openJourney(context, app.url, pictures, async (page) => {
      await injectWallet(page, wallet);
      await prepare?.(page);
    });
  const journey = await open();
  const { page } = journey;
  const visit: Visit = {
    ...journey,
    context,
    openTab: open,
    async unlock(passphrase = PASSPHRASE) {
      await journey.step("locked");
      await journey.type("passphrase", passphrase);
      await journey.click("Unlock");
    },
    async reopen() {
      await page.goto("about:blank");
      await page.goto(app.url, { waitUntil: "load" });
      await visit.unlock();
      await journey.step("notes");
    },
    notices: () =>
      page.$$eval(
        "h1, .notice > div, .error",
        (found) => found.map((each) => (each as HTMLElement).innerText.trim().replace(/\s+/g, " ")),
      ),
  };
  if (content === "none") return visit;
  await journey.step("absent");
  await keepStore(page, content, isBackedUp);
  await visit.reopen();
  return visit;
}

/** Puts the store of an earlier visit into the profile. */
export async function keepStore(page: Page, content: StoreContent, isBackedUp: boolean): Promise<void> {
  await page.evaluate(async ({ bytes, preferences }) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open("tonado");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const transaction = database.transaction("files", "readwrite");
    transaction.objectStore("files").put(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)), "notes.age");
    await new Promise((resolve) => transaction.oncomplete = resolve);
    database.close();
    localStorage.setItem("tonado-preferences", preferences);
  }, {
    bytes: toBase64(await encryptStore(content, PASSPHRASE)),
    preferences: JSON.stringify(
      isBackedUp ? { provenSeed: seedFingerprint(content.seed) } : {},
    ),
  });
}
