/**
 * Wallets that follow TON Connect and wallets that do not, over the injected bridge and over an HTTP bridge.
 */
import assert from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import type { WalletConduct } from "../../testkit/wallet/test_wallet.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { adaptersReady } from "../support/app/adapter_page.ts";
import {
  connectOnly,
  MANIFEST,
  onWalletNetwork,
  openLink,
  pay,
  TARGET,
} from "../support/app/steps/bridge_steps.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });
/** The wallet's conduct, the payer's error, and the number of transfers that the wallet sends. */
const cases: readonly (readonly [WalletConduct, RegExp | undefined, number])[] = [
  ["signs", undefined, 1],
  ["declines", /wallet_declined/, 0],
  ["nonsense", /wallet_unavailable/, 0],
  ["silent", /payment_timeout/, 0],
  ["twice", undefined, 2],
  ["another amount", undefined, 1],
  ["unbounceable", undefined, 1],
  ["lies", undefined, 0],
  ["fails without id", /wallet_unavailable/, 0],
  ["declines without id", /wallet_unavailable/, 0],
  ["signs without id", /wallet_unavailable/, 1],
  ["null error", undefined, 1],
  ["textual code", /wallet_declined/, 0],
  ["answers twice", undefined, 1],
];

test("an injected wallet: each behaviour has its outcome, and no answer counts as a payment", () =>
  onWalletNetwork(async ({ page, run, conduct, wallet }) => {
    for (const [name, fault, sent] of cases) {
      conduct.value = name;
      const before = wallet.sent;
      const paid = pay(run, "injected:testwallet", name === "silent" ? 1 : 60);
      if (fault && name !== "nonsense") await assert.rejects(paid, fault, name);
      else if (name === "nonsense") await assert.rejects(paid, /wallet_unavailable/);
      else await paid;
      assert.equal(wallet.sent - before, sent, name);
    }
    assert.equal(await page.evaluate("window.testwallet.requests[0].network"), "-3");
    const message = await page.evaluate("window.testwallet.requests[0].messages[0]") as { address: string };
    const { isBounceable, isTestOnly } = Address.parseFriendly(message.address);
    assert.deepEqual([isBounceable, isTestOnly], [true, true], "refused payments return");
  }));

test("a wallet over an HTTP bridge: each behaviour has its outcome", () =>
  onWalletNetwork(async ({ run, page, conduct, wallet, bridge, opened }) => {
    for (const [name, fault, sent] of cases) {
      conduct.value = name;
      const before = wallet.sent;
      const paid = pay(run, "bridge:test", name === "silent" || name === "nonsense" ? 1 : 60);
      paid.catch(() => {}); // awaited below
      await openLink(page, wallet, bridge, opened);
      // Over a bridge, the payer ignores an answer to another request.
      const expected = name === "nonsense" ? /payment_timeout/ : fault;
      if (expected) await assert.rejects(paid, expected, name);
      else await paid;
      assert.equal(wallet.sent - before, sent, name);
    }
  }));

test("a wallet over a bridge has a link that opens it again, and an injected one has none", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    const linkOf = (id: string) =>
      run(async ({ sources }, id) => {
        const source = sources.list().find((each) => each.id === id)!;
        const payer = await source.connect({ network: "localnet", onLink: (link) => document.title = link });
        return payer.link;
      }, id);
    const link = linkOf("bridge:test");
    await page.waitForFunction("document.title.startsWith('https://wallet.example/')");
    const request = JSON.parse(new URL(await page.title()).searchParams.get("r")!);
    assert.equal(request.manifestUrl, MANIFEST);
    await openLink(page, wallet, bridge, opened);
    assert.equal(await link, "https://wallet.example/connect?ret=none");
    assert.equal(await linkOf("injected:testwallet"), undefined);
  }));

test("a bridge wallet that signs after the request is over pays, and its answer counts for no later request", () =>
  onWalletNetwork(async ({ run, page, conduct, wallet, bridge, opened }) => {
    const answer = Promise.withResolvers<WalletConduct>();
    conduct.value = answer.promise;
    const paid = pay(run, "bridge:test", 1, false);
    paid.catch(() => {}); // awaited below
    await openLink(page, wallet, bridge, opened);
    await assert.rejects(paid, /payment_timeout/);
    conduct.value = "silent";
    const later = pay(run, "bridge:test", 5);
    later.catch(() => {}); // awaited below
    answer.resolve("late");
    await waitUntil("the first request is paid", () => Promise.resolve(wallet.sent === 1));
    await assert.rejects(later, /payment_timeout/);
    assert.equal(wallet.sent, 1);
  }));

test("a bridge that answers with errors at first still delivers the wallet's connection", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    bridge.outages = 2;
    const connected = connectOnly(run);
    connected.catch(() => {}); // awaited below
    await page.waitForFunction("document.title.startsWith('https://wallet.example/')");
    await waitUntil("the page has met the outage", () => Promise.resolve(bridge.outages < 2));
    await waitUntil("the page asks again", () => Promise.resolve(bridge.outages === 0));
    await openLink(page, wallet, bridge, opened);
    assert.equal(await connected, wallet.address.toRawString());
  }));

test("a page that is offline while its wallet connects over a bridge, or asks it, goes on when it is online", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    const connected = connectOnly(run);
    connected.catch(() => {}); // awaited below
    await page.waitForFunction("document.title.startsWith('https://wallet.example/')");
    await page.setOfflineMode(true);
    await openLink(page, wallet, bridge, opened);
    await page.setOfflineMode(false);
    assert.equal(await connected, wallet.address.toRawString());
    await page.setOfflineMode(true);
    await assert.rejects(pay(run, "bridge:test", 60, false), /wallet_unavailable/);
    assert.equal(wallet.sent, 0, "the request did not leave the page");
    await page.setOfflineMode(false);
    await pay(run, "bridge:test", 60);
    assert.equal(wallet.sent, 1);
  }));

test("a wallet of another network is refused, over both bridges", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    await assert.rejects(pay(run, "injected:testwallet", 60), /wrong_network/);
    const paid = pay(run, "bridge:test", 60);
    paid.catch(() => {}); // awaited below
    await openLink(page, wallet, bridge, opened);
    await assert.rejects(paid, /wrong_network/);
    assert.equal(wallet.sent, 0);
  }, "-239"));

test("a page that the phone closed resumes its session, and another session cannot answer for the wallet", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    const connected = connectOnly(run);
    const session = await openLink(page, wallet, bridge, opened);
    assert.equal(await connected, wallet.address.toRawString());
    // Another session writes to the page's mailbox: the page ignores it.
    await fetch(`${bridge.url}/message?client_id=${"ab".repeat(32)}&to=${session}&ttl=300`, {
      method: "POST",
      body: "AAAA",
    }).then((response) => response.body?.cancel());
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    const before = wallet.sent;
    await pay(run, "bridge:test", 60, false);
    assert.equal(wallet.sent - before, 1, "without another link");
    await opened[0].disconnect();
    await waitUntil("the wallet ended the session", async () =>
      await run(async ({ sources }) => {
        const source = sources.list().find(({ id }) => id === "bridge:test")!;
        let requests = false;
        const stop = new AbortController();
        await source.connect({
          network: "localnet",
          signal: stop.signal,
          onLink: () => {
            requests = true;
            stop.abort();
          },
        }).then(async (payer) => await new Promise((resolve) => setTimeout(resolve, 200, payer)), () => {});
        return requests;
      }, undefined));
  }));

test("a cancelled payer sends no request, and disconnecting ends the session permanently", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened, conduct }) => {
    conduct.value = "silent";
    const cancelled = run(async ({ sources, Address, Cell }, { to, body }) => {
      const source = sources.list().find(({ id }) => id === "bridge:test")!;
      const payer = await source.connect({ network: "localnet", onLink: (link) => document.title = link });
      const stop = new AbortController();
      const message = { to: Address.parse(to), amount: 1n, body: Cell.fromBase64(body) };
      const paid = payer.pay(message, { validUntil: Date.now() / 1000 + 60, signal: stop.signal });
      setTimeout(() => stop.abort(), 200);
      const code = await paid.then(() => "paid", (error) => error.code);
      await payer.disconnect();
      return code;
    }, { to: TARGET.toRawString(), body: beginCell().endCell().toBoc().toString("base64") });
    await openLink(page, wallet, bridge, opened);
    assert.equal(await cancelled, "cancelled");
    assert.equal(
      await run(async ({ records }) => await records.get("wallets", "session") === undefined, undefined),
      true,
    );
  }));

test("a connection that is cancelled leaves no keys, and the session that a closed page has left is forgotten", () =>
  onWalletNetwork(async ({ run, page, wallet, bridge, opened }) => {
    const cancelled = run(async ({ sources, records }) => {
      const source = sources.list().find(({ id }) => id === "bridge:test")!;
      const stop = new AbortController();
      let stored: unknown;
      const onLink = () =>
        void records.get("wallets", "session").then((session) => {
          stored = session;
          stop.abort();
        });
      const code = await source.connect({ network: "localnet", signal: stop.signal, onLink })
        .then(() => "connected", (error) => error.code);
      return [code, stored !== undefined, await records.get("wallets", "session") === undefined];
    }, undefined);
    assert.deepEqual(await cancelled, ["cancelled", true, true]);
    const connected = connectOnly(run);
    await openLink(page, wallet, bridge, opened);
    await connected;
    const left = await run(async ({ sources, records }) => {
      const before = await records.get("wallets", "session");
      await sources.forget();
      return [before !== undefined, await records.get("wallets", "session") === undefined];
    }, undefined);
    assert.deepEqual(left, [true, true]);
  }));
