/** A localnet: wallets, faucet, blocks and clock. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { TonClient } from "@ton/ton";
import { Problem } from "../../../src/core/errors/problem.ts";
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../src/ton/jetton/jetton.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { get, post, stranger, withLocalnet } from "../../support/localnet/localnet.ts";

Deno.test("a localnet has four wallets of 10,000, of both versions, and prints its address", () =>
  withLocalnet({}, async (net) => {
    assert.match(net.url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v2\/jsonRPC$/);
    const client = new TonClient({ endpoint: net.url });
    assert.equal(net.wallets.length, 4);
    for (const { address } of net.wallets) assert.equal(await client.getBalance(address), toNano(10_000));
    assert.deepEqual(new Set(net.wallets.map(({ version }) => version)), new Set(["v4R2", "v5R1"]));
    assert.ok(await client.getBalance(net.relayer.address) >= toNano(1_000));
  }));

Deno.test("without an interval, a sent message is on chain at the next request", () =>
  withLocalnet({}, async (net) => {
    const chain = connect({ endpoint: net.url });
    const before = await chain.masterchainSeqno();
    await net.fund(stranger, 5n);
    assert.equal((await chain.account(stranger)).balance, 5n);
    assert.ok(await chain.masterchainSeqno() > before);
  }));

Deno.test("the faucet sends coins and jettons to any address, and explains refusals", () =>
  withLocalnet({}, async (net) => {
    const chain = connect({ endpoint: net.url });
    const request = { address: stranger.toString({ testOnly: true }), coins: "70000", jettons: 5 };
    const given = await post(net.url.replace("jsonRPC", "faucet"), request);
    assert.deepEqual([given.status, given.body.result], [200, { "@type": "ok" }]);
    assert.equal((await chain.account(stranger)).balance, 70_000n);
    const wallet = await fetchJettonWalletAddress(chain, net.jetton.master, stranger);
    assert.equal((await fetchJettonWalletData(chain, wallet))?.balance, 5n);
    assert.deepEqual([wallet.workChain, net.jetton.master.workChain], [0, 0]);
    const to = `faucet?address=${stranger.toRawString()}`;
    assert.equal((await get(net, `${to}&coins=30000`)).status, 200);
    const { balance } = await chain.account(stranger);
    assert.ok(balance > 99_000n && balance <= 100_000n, `${balance}`); // an account without a state pays rent
    for (
      const wrong of [
        to,
        `${to}&coins=-1`,
        `${to}&coins=1000000000000001`,
        `${to}&jettons=x`,
        "faucet?coins=1",
      ]
    ) {
      assert.equal((await get(net, wrong)).status, 422, wrong);
    }
    assert.ok((await chain.account(stranger)).balance <= balance);
  }));

Deno.test("the faucet answers after its transfer has arrived, however long blocks take", () =>
  withLocalnet({ blockTimeMs: 3_600_000 }, async (net) => {
    const chain = connect({ endpoint: net.url });
    assert.equal((await get(net, `faucet?address=${stranger.toRawString()}&coins=7`)).status, 200);
    assert.equal((await chain.account(stranger)).balance, 7n);
  }));

Deno.test("with an interval, messages wait for their block, and the seqno grows without any", () =>
  withLocalnet({ blockTimeMs: 20 }, async (net) => {
    const chain = connect({ endpoint: net.url });
    const [{ mnemonic, version }] = net.wallets;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    await wallet.send([{ to: stranger, value: 9n, bounce: false }]);
    while ((await chain.account(stranger)).balance !== 9n) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const seqno = await chain.masterchainSeqno();
    while (await chain.masterchainSeqno() < seqno + 3) await new Promise((resolve) => setTimeout(resolve, 5));
  }));

Deno.test("the clock is wall time; only this process may set it, and only ahead", () =>
  withLocalnet({}, async (net) => {
    const chain = connect({ endpoint: net.url });
    const wall = Math.floor(Date.now() / 1000);
    const { syncUtime } = await chain.account(stranger);
    assert.ok(syncUtime >= wall - 1, `${syncUtime} lags ${wall}`);
    await net.setNow(syncUtime + 86_400);
    assert.ok((await chain.account(stranger)).syncUtime >= syncUtime + 86_400);
    await assert.rejects(net.setNow(syncUtime), RangeError);
  }));

Deno.test("each account's transactions form one chain from the first", () =>
  withLocalnet({}, async (net) => {
    const chain = connect({ endpoint: net.url });
    const [a, b] = await Promise.all(
      net.wallets.slice(0, 2).map(({ mnemonic, version }) =>
        openWallet(mnemonic, { version, network: "localnet", chain })
      ),
    );
    for (let i = 0; i < 3; i++) {
      await a.send([{ to: b.address, value: toNano("1"), bounce: false }, {
        to: a.address,
        value: 1n,
        bounce: false,
      }]);
      await b.send([{ to: a.address, value: toNano("2"), bounce: true }]);
    }
    for (const { address } of [a, b]) {
      const all = await chain.transactions(address, { limit: 100 });
      assert.equal(all.at(-1)!.prev, null);
      assert.deepEqual((await chain.account(address)).last, all[0].id);
    }
  }));

Deno.test("a busy port is reported", () =>
  withLocalnet({}, async (net) => {
    const port = Number(new URL(net.url).port);
    await assert.rejects(startLocalnet({ port, pools: [] }), (error: unknown) => {
      assert.ok(error instanceof Problem && error.code === "invalid_config");
      return true;
    });
  }));

Deno.test("close is final, and an abort also closes the network", async () => {
  const controller = new AbortController();
  const net = await startLocalnet({ blockTimeMs: 50, pools: [], signal: controller.signal });
  controller.abort();
  await net.close();
  await assert.rejects(fetch(net.url));
  await assert.rejects(startLocalnet({ pools: [], signal: AbortSignal.abort() }));
});

Deno.test("a network that starts from a saved state shows the same accounts, transactions and pools, and goes on", async () => {
  const options = { blockTimeMs: 0, pools: ["1"], jettonPools: ["10"] };
  const first = await startLocalnet(options);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => first.close());
  const chainOf = ({ url }: typeof first) => connect({ endpoint: url });
  const pay = async (net: typeof first, value: bigint) => {
    const [{ mnemonic, version }] = net.wallets;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain: chainOf(net) });
    return (await wallet.send([{ to: stranger, value, bounce: false }])).seqno;
  };
  const pools = [...first.deployments.pools.values()].map(({ address }) => address);
  const accounts = [stranger, first.jetton.master, ...first.wallets.map(({ address }) => address), ...pools];
  const view = async (net: typeof first) =>
    await Promise.all(accounts.map(async (address) => {
      const { syncUtime: _, ...account } = await chainOf(net).account(address);
      const hashes = (await chainOf(net).transactions(address, { limit: 20 })).map(({ id }) => id.hash);
      return { ...account, code: account.code?.hash(), data: account.data?.hash(), hashes };
    }));

  assert.equal(await pay(first, toNano(7)), 0);
  const state = JSON.parse(JSON.stringify(await first.save()));
  const second = await startLocalnet({ ...options, state });
  stack.defer(() => second.close());
  assert.deepEqual(await view(second), await view(first));
  const deployments = (net: typeof first) => formatDeployments(net.deployments);
  assert.equal(deployments(second), deployments(first));

  assert.equal(await pay(second, toNano(5)), 1, "the wallet's next sequence number");
  for (const [net, coins] of [[first, 7], [second, 12]] as const) {
    const { balance } = await chainOf(net).account(stranger);
    assert.ok(balance > toNano(coins) - 10_000n && balance <= toNano(coins), `${balance}`); // it pays rent
  }
});
