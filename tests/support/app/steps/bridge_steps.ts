/** A wallet over an injected bridge and over an HTTP bridge, operated through the page of the app's adapters. */
import { Address, beginCell } from "@ton/core";
import assert from "node:assert/strict";
import { startLocalnet } from "../../../../src/localnet/localnet.ts";
import { type BridgeServer, startBridge } from "../../../../testkit/wallet/bridge_server.ts";
import { openRemoteWallet, type RemoteWallet } from "../../../../src/localnet/tonconnect/remote_wallet.ts";
import {
  openTestWallet,
  type TestWallet,
  type WalletConduct,
} from "../../../../testkit/wallet/test_wallet.ts";
import { openAdapterPage, useAdapters } from "../adapter_page.ts";
import { withBrowser } from "../app_browser.ts";
import { INJECTED_WALLET_NAME, injectWallet } from "../injected_wallet.ts";
import { serveApp } from "../serve_app.ts";

/** Accepts everything, so the test can count what arrived. */
export const TARGET = Address.parse(`0:${"42".repeat(32)}`);
const AMOUNT = 1_000_000_000n;
/** Wallets on a phone cannot fetch one from localhost. */
export const MANIFEST = "https://relayer.example/app/tonconnect-manifest.json";

type Run = Awaited<ReturnType<typeof openAdapterPage>>["run"];

interface WalletNetwork {
  readonly page: Awaited<ReturnType<typeof openAdapterPage>>["page"];
  readonly run: Run;
  readonly conduct: { value: WalletConduct | Promise<WalletConduct> };
  readonly wallet: TestWallet;
  readonly bridge: BridgeServer;
  readonly opened: RemoteWallet[];
}

/** Starts a network, a bridge and the page of the app's adapters. @param network the wallet reports it */
export async function onWalletNetwork(
  use: (network: WalletNetwork) => Promise<void>,
  network = "-3",
): Promise<void> {
  await useAdapters();
  const localnet = await startLocalnet({ pools: [], blockTimeMs: 100 });
  const bridge = startBridge();
  const conduct: WalletNetwork["conduct"] = { value: "signs" };
  const { mnemonic, version } = localnet.wallets[0];
  const wallet = await openTestWallet({
    indexer: localnet.url,
    mnemonic,
    version,
    network,
    conduct: () => conduct.value,
  });
  const served = await serveApp({
    depositEndpoint: localnet.url,
    deployments: { network: "localnet", pools: new Map() },
    walletManifest: MANIFEST,
    wallets: [{ id: "test", name: "Test", link: "https://wallet.example/connect", bridge: bridge.url }],
  });
  const opened: RemoteWallet[] = [];
  try {
    await withBrowser(async (browser) => {
      const { page, run, violations } = await openAdapterPage(browser, served.url, async (page) => {
        await injectWallet(page, wallet);
      });
      await use({ page, run, conduct, wallet, bridge, opened });
      assert.deepEqual(violations, []);
    });
  } finally {
    opened.forEach((remote) => remote.close());
    await served.close();
    await bridge.close();
    await localnet.close();
  }
}

/** Opens the link that the page shows as its title, as a phone's wallet does. Returns the page's session. */
export async function openLink(
  page: WalletNetwork["page"],
  wallet: TestWallet,
  bridge: BridgeServer,
  opened: RemoteWallet[],
): Promise<string> {
  await page.waitForFunction("document.title.startsWith('https://wallet.example/')");
  const link = await page.title();
  await page.evaluate("document.title = ''");
  opened.push(await openRemoteWallet(wallet, { link, bridge: bridge.url }));
  return new URL(link).searchParams.get("id")!;
}

/** Connects over the bridge, and returns the wallet's address. */
export function connectOnly(run: Run): Promise<string> {
  return run(async ({ sources }) => {
    const source = sources.list().find(({ id }) => id === "bridge:test")!;
    const payer = await source.connect({ network: "localnet", onLink: (link) => document.title = link });
    return payer.address.toRawString();
  }, undefined);
}

/** Connects and pays. @param seconds from now until the request expires; the payer waits 5 s longer */
export async function pay(run: Run, source: string, seconds: number, end = true): Promise<void> {
  await run(async ({ sources, Address, Cell }, { source, name, to, amount, body, seconds, end }) => {
    const found = sources.list().find(({ id }) => id === source)!;
    if (source.startsWith("injected") && found.name !== name) throw new Error(found.name);
    const payer = await found.connect({ network: "localnet", onLink: (link) => document.title = link });
    const message = { to: Address.parse(to), amount: BigInt(amount), body: Cell.fromBase64(body) };
    try {
      await payer.pay(message, { validUntil: Date.now() / 1000 + seconds });
    } finally {
      if (end) await payer.disconnect();
    }
  }, {
    source,
    name: INJECTED_WALLET_NAME,
    seconds,
    end,
    to: TARGET.toRawString(),
    amount: String(AMOUNT),
    body: beginCell().storeUint(1, 32).endCell().toBoc().toString("base64"),
  });
}
