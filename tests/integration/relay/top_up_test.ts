/** A relayer pays for the storage of a jetton pool, on a local network: real contracts, store and broadcaster. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { contractAddress, toNano } from "@ton/core";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import { storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { reportProfit } from "../../../src/ops/store/profit_report.ts";
import { fetchStorageBill } from "../../../src/ton/account_storage.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { jettonPoolInit } from "../../../src/ton/pool/state_init.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";

const KEY = "jet-10-g1";
const YEAR_MS = 31_557_600_000;
/** More than one interval between two slots of a relayer on a local network. */
const SLOT_MS = 11_000;

/** Deploys a pool of 10 jettons with few coins, and lets years pass until it can pay for less than four. */
async function openPoorPool(net: RelayerHarness) {
  const { pools } = net.localnet.deployments;
  const listed = pools.get("jet-10")!;
  const { denomination, jettonMaster } = listed;
  const init = jettonPoolInit({ denomination, owner: null, generation: 1, jettonMaster: jettonMaster! });
  const address = contractAddress(0, init);
  await net.user.send([
    { to: address, init, value: toNano("0.05"), bounce: false },
    { to: address, value: toNano("0.1"), bounce: true, body: storeDiscoverJettonWallet() },
  ]);
  await waitUntil("the pool exists", async () => (await net.chain.account(address)).state === "active");
  const jettonWallet = await fetchJettonWalletAddress(net.chain, jettonMaster!, address);
  await waitUntil("it knows its wallet", async () => {
    const account = await net.chain.account(address);
    return account.last !== undefined && account.balance > toNano("0.1");
  });
  const prices = await fetchNetworkPrices(net.chain);
  const bill = async () => {
    const account = await net.chain.account(address);
    const { code, data } = account;
    return await fetchStorageBill(net.chain, { address, account, code: code!, data: data!, prices });
  };
  await net.clock.advance((await bill()).runwayYears * YEAR_MS - 4 * YEAR_MS);
  await net.localnet.closeBlock();
  const deployment: Deployment = { ...listed, address, generation: 1, jettonWallet };
  return {
    address,
    bill,
    deployments: { network: "localnet" as const, pools: new Map([[KEY, deployment]]) },
  };
}

const untilReady = (net: RelayerHarness) =>
  waitUntil("the pool is ready", () => net.relayer.readiness().pools[KEY].ready);

Deno.test("a relayer tops up a jetton pool once, books it, and leaves it alone while its wallet is at the stop balance", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const { address, bill, deployments } = await openPoorPool(net);
  const { runwayYears, perYear, due } = await bill();
  ok(runwayYears > 3 && runwayYears < 4.1, `${runwayYears}`);
  const wallet = net.localnet.relayer.address;
  const before = await net.chain.account(wallet);
  const pool = await net.chain.account(address);

  const stop = before.balance - 1n;
  const alerts: { readonly event: string }[] = [];
  await net.startRelayer({
    deployments,
    topUpNano: toNano(1),
    balanceThresholds: { warn: before.balance, stop },
    sendAlert: (alert) => void alerts.push(alert),
  });
  await untilReady(net);
  await waitUntil("the alert that the relayer does not pay", async () => {
    await net.clock.advance(SLOT_MS);
    await net.localnet.closeBlock();
    return alerts.some(({ event }) => event === "pool_storage_low");
  });
  equal((await net.chain.account(wallet)).balance, before.balance, "nothing is sent");
  await net.relayer.close();

  await net.startRelayer({ deployments, topUpNano: toNano(1) });
  await untilReady(net);
  await waitUntil("the pool can pay again", async () => {
    await net.clock.advance(SLOT_MS);
    await net.localnet.closeBlock();
    return (await bill()).runwayYears > 9.9;
  });
  await waitUntil("the transfer has ended", async () => await net.store.transfer() === undefined);
  const booked = await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER));
  deepEqual(booked.map(({ kind, pool }) => [kind, pool]).sort(), [
    ["top_up", address.toRawString()],
    ["transfer", address.toRawString()],
  ]);
  const [topUp, transfer] = ["top_up", "transfer"].map((kind) =>
    booked.find((entry) => entry.kind === kind)!
  );
  const after = await net.chain.account(wallet);
  equal(before.balance - after.balance, topUp.gas + transfer.gas);
  ok(topUp.gas > 6n * perYear && topUp.gas < 7n * perYear + toNano("0.11"), `${topUp.gas}`);
  const received = (await net.chain.account(address)).balance + due - pool.balance;
  ok(received <= topUp.gas && received > topUp.gas - toNano("0.001"), `${received} ${topUp.gas}`);
  const [row] = await reportProfit(net.store, { since: 0, until: Number.MAX_SAFE_INTEGER });
  equal(row.gas, topUp.gas + transfer.gas);
});
