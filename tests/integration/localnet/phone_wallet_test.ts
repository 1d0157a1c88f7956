import { equal, match } from "node:assert/strict";
import { beginCell } from "@ton/core";
import { connectBridge } from "../../../src/client/tonconnect/bridge.ts";
import { openBridgeEvents } from "../../../src/client/tonconnect/bridge_events.ts";
import { systemClock } from "../../../src/core/time/clock.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";

Deno.test("opening a program's link connects the local network's wallet, which pays what the program asks", async () => {
  const localnet = await startLocalnet({ pools: [], blockTimeMs: 50 });
  try {
    const { origin } = new URL(localnet.url);
    const chain = connect({ network: "localnet", endpoint: localnet.url });
    const [{ mnemonic, version }, target] = localnet.wallets;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    const opened = Promise.withResolvers<string>();
    const payer = await connectBridge(
      { id: "localnet", name: "Local network", link: `${origin}/wallet`, bridge: `${origin}/bridge` },
      {
        manifestUrl: "https://app.example/manifest.json",
        clock: systemClock,
        openEvents: openBridgeEvents(systemClock),
        fetch,
        sessions: {
          read: () => Promise.resolve(undefined),
          write: () => Promise.resolve(),
          remove: () => Promise.resolve(),
        },
      },
      {
        network: "localnet",
        onLink: (link) => fetch(link).then((response) => response.text()).then(opened.resolve, opened.reject),
      },
    );
    match(await opened.promise, /wallet is connected/);
    equal(payer.address.equals(localnet.wallets[0].address), true);
    await Promise.all([1n, 2n].map((amount) =>
      payer.pay(
        { to: target.address, amount: amount * 1_000_000_000n, body: beginCell().endCell() },
        { validUntil: Date.now() / 1000 + 600 },
      )
    ));
    await waitUntil("the wallet has sent both payments", async () => await wallet.seqno() === 2);
    await payer.disconnect();
    equal((await fetch(`${origin}/wallet?id=zz`)).status, 400);
  } finally {
    await localnet.close();
  }
});
