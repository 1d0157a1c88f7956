/** The page of the test wallet: it connects when the app's link is opened, and its owner answers each request. */
import { openRemoteWallet } from "../../src/localnet/tonconnect/remote_wallet.ts";
import { openTestWallet, type WalletConduct } from "../../testkit/wallet/test_wallet.ts";

interface WalletPageOptions {
  readonly indexer: string;
  readonly bridge: string;
  readonly wallet: { readonly mnemonic: string; readonly version: "v4R2" | "v5R1"; readonly address: string };
}

interface WalletPage {
  readonly url: string;
  /** The universal link that the app opens. */
  readonly connectUrl: string;
}

const choices: readonly WalletConduct[] = ["signs", "declines", "another amount", "twice", "silent"];

/** Listens on any free port. */
export async function startWalletPage({ indexer, bridge, wallet }: WalletPageOptions): Promise<WalletPage> {
  const pending: ((conduct: WalletConduct) => void)[] = [];
  const opened = await openTestWallet({
    indexer,
    mnemonic: wallet.mnemonic,
    version: wallet.version,
    conduct: () => new Promise((resolve) => pending.push(resolve)),
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/connect" && url.searchParams.has("id")) {
      await openRemoteWallet(opened, { link: request.url, bridge });
      return new Response(null, { status: 303, headers: { location: "/" } });
    }
    if (url.pathname === "/answer" && request.method === "POST") {
      const conduct = choices[Number((await request.formData()).get("choice"))];
      if (conduct) pending.shift()?.(conduct);
      return new Response(null, { status: 303, headers: { location: "/" } });
    }
    return new Response(page(wallet.address, pending.length), {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
  });
  const base = `http://127.0.0.1:${server.addr.port}/`;
  return { url: base, connectUrl: `${base}connect` };
}

function page(address: string, pending: number): string {
  const [confirm, ...faults] = choices.map((name, i) =>
    `<button name="choice" value="${i}">${i === 0 ? "Confirm" : name}</button>`
  );
  const form = pending === 0
    ? "<p>No request. This page looks again every second.</p>"
    : `<p>The app asks for a payment (${pending} waiting).</p><form method="post" action="/answer"><p>${confirm}</p>
<p>To see what the app does about a wallet with a fault: ${faults.join(" ")}</p></form>`;
  const refresh = pending === 0 ? '<meta http-equiv="refresh" content="1">' : "";
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${refresh}<title>Test wallet</title></head><body><h1>Test wallet</h1><p>${address}</p>${form}</body></html>`;
}
