/**
 * Extracts the list of wallets that connect by link from npm's `@tonconnect/sdk`, so that the app fetches no list. The
 * package is no dependency.
 *
 * Usage: deno task app:wallets [--check]     (`--check` fails when the committed file differs)
 */
import { runInNewContext } from "node:vm";
import { readArguments } from "../shared/arguments.ts";
import { writeGenerated } from "../shared/generated_files.ts";
import { readNpmPackage } from "./read_npm_package.ts";

interface ListedWallet {
  readonly app_name: string;
  readonly name: string;
  readonly universal_url?: string;
  readonly bridge: readonly { readonly type: string; readonly url?: string }[];
}

/** Its own name is "Wallet". The other mini apps are left out. */
const TELEGRAM_WALLET = "telegram-wallet";

/** Newer than the package: ton-connect/wallets-list at 00be6b39, wallets-v2.json. */
const GRAM_WALLET = {
  id: "gramwallet",
  name: "Gram Wallet",
  link: "https://connect.gramwallet.io",
  bridge: "https://tonconnectbridge.mytonwallet.org/bridge",
};

const source = "@tonconnect/sdk@3.4.1";
const [code] = await readNpmPackage(source, ["lib/esm/index.mjs"]);
const [, literal] = /const FALLBACK_WALLETS_LIST = (\[[^]*?\n\]);/.exec(code) ?? [];
if (literal === undefined) throw new Error(`${source} has no list of wallets`);
const listed: ListedWallet[] = JSON.parse(
  runInNewContext(`JSON.stringify(${literal})`, {}, { timeout: 1000 }),
);

const wallets = listed.flatMap(({ app_name: id, name, universal_url: link, bridge }) => {
  const url = bridge.find(({ type }) => type === "sse")?.url;
  const isMiniApp = link !== undefined && new URL(link).hostname === "t.me";
  if (!url || !link || (isMiniApp && id !== TELEGRAM_WALLET)) return [];
  return [{ id, name: isMiniApp ? "Wallet in Telegram" : name, link, bridge: url.replace(/\/+$/, "") }];
});
const [first, ...rest] = wallets;
const list = { source: `npm:${source}`, license: "Apache-2.0", wallets: [first, GRAM_WALLET, ...rest] };
await writeGenerated("app:wallets", [
  { path: "src/client/tonconnect/wallets.json", content: `${JSON.stringify(list, null, 2)}\n` },
], readArguments(["--check"]).has("--check"));
