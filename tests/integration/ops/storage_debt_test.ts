/** A pool that owes storage: one message above the whole debt saves it. Others freeze and then delete it. */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell, Dictionary, toNano } from "@ton/core";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { planRescue } from "../../../src/ops/rescue/rescue_plan.ts";
import { normalizeEndpointUrl } from "../../../src/ton/endpoint/json_rpc.ts";
import { fetchStorageBill, storageSize } from "../../../src/ton/account_storage.ts";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { depositNative } from "../../../src/client/deposit/deposit_native.ts";
import { depositByPayer } from "../../../src/client/deposit/deposit_payer.ts";
import { depositByTransfer } from "../../../src/client/deposit/deposit_transfer.ts";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import type { Prover } from "../../../src/prover/prover.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PoolFundsMonitor } from "../../../src/relay/monitoring/pool_funds_monitor.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import { assertNoStorageDebt } from "../../../src/ton/pool/storage_debt.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { emptiedState, spreadKeys } from "../../support/ops/emptied_state.ts";
import { withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600;

const refusal = (message: RegExp) => ({ code: "rescue_refused", message });

Deno.test("a pool that owes several coins is rescued by one message above its whole debt, and by nothing smaller", () =>
  withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
    const { code, data } = emptiedState("jetton", 900, spreadKeys);
    const address = await deploy({ code, data }, toNano("0.05"));
    const prices = await fetchNetworkPrices(chain);
    const plan = async (options: { years?: number; amount?: bigint }) => {
      const account = await chain.account(address);
      return await planRescue({ chain, prices, address, account, years: 10, ...options });
    };
    await net.setNow(Math.floor(Date.now() / 1000) + 15 * YEAR);
    await net.closeBlock();
    const { debt, message } = await plan({ years: 0.01 });
    assert.ok(debt > toNano("3.9") && message!.value > debt, `${debt} ${message!.value}`);
    for (const amount of [1n, toNano(3), debt]) {
      await assert.rejects(
        () => plan({ amount }),
        refusal(/would freeze or delete it: send at least 4\.\d+ GRAM$/),
      );
    }
    await assert.rejects(
      async () => {
        const lacking = { ...chain, transactions: () => Promise.resolve([]) };
        const account = await chain.account(address);
        await planRescue({ chain: lacking, prices, address, account, years: 10 });
      },
      { code: "chain_inconsistent" },
    );
    await wallet.send([message!]);
    await net.closeBlock();
    const after = await chain.account(address);
    assert.deepEqual([after.state, after.data!.equals(data)], ["active", true]);
    assert.ok(after.balance < toNano("0.4"), `${after.balance}`);
    assert.equal((await plan({ years: 0.01 })).debt, 0n);
  }));

/** Mainnet's configuration, whose storage cost six times as much until `cutAt`, a Unix time. */
function configWithCut(cutAt: number): Cell {
  const [ids, cells] = [Dictionary.Keys.Int(32), Dictionary.Values.Cell()];
  const params = Dictionary.loadDirect(ids, cells, mainnetConfig());
  const entries = Dictionary.loadDirect(
    Dictionary.Keys.Uint(32),
    Dictionary.Values.Buffer(37),
    params.get(18)!,
  );
  const [old, cut] = [Buffer.from(entries.get(0)!), Buffer.from(entries.get(0)!)];
  old.writeBigUInt64BE(6n * old.readBigUInt64BE(13), 13); // cell_price_ps, after tag:8 utime_since:32 bit_price_ps:64
  cut.writeUInt32BE(cutAt, 1); // utime_since, which is also the key
  params.set(18, beginCell().storeDictDirect(entries.set(0, old).set(cutAt, cut)).endCell());
  return beginCell().storeDictDirect(params).endCell();
}

const start = Math.floor(Date.now() / 1000);

Deno.test("a pool that was idle before and after a price cut is billed each period at its own price, as the chain does", () =>
  withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
    const { code, data } = emptiedState("jetton", 900, spreadKeys);
    const address = await deploy({ code, data }, toNano("0.05"));
    const prices = await fetchNetworkPrices(chain);
    const plan = async () => {
      const account = await chain.account(address);
      return await planRescue({ chain, prices, address, account, years: 0.01 });
    };
    const [{ now: deployedAt }] = await chain.transactions(address, { limit: 1 });
    await net.setNow(start + 15 * YEAR);
    await net.closeBlock();
    const { debt, message } = await plan();
    assert.ok(debt > toNano(15), `${debt}`);
    await wallet.send([message!]);
    await net.closeBlock();
    const { paidAt, charged } = await newestCharge(net.url, address.toRawString());
    const span = { seconds: BigInt(paidAt - deployedAt), until: paidAt };
    assert.equal(prices.storageFee({ ...storageSize({ code, data }), ...span }), charged);
    const after = await chain.account(address);
    assert.deepEqual([after.state, after.data!.equals(data)], ["active", true]);
    assert.equal((await plan()).debt, 0n);
  }, configWithCut(start + 10 * YEAR)));

/** Returns the time of an account's newest transaction and the storage fee that the chain took in it. */
async function newestCharge(url: string, address: string): Promise<{ paidAt: number; charged: bigint }> {
  const response = await fetch(normalizeEndpointUrl(url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      id: "1",
      jsonrpc: "2.0",
      method: "getTransactions",
      params: { address, limit: 1 },
    }),
  });
  const answer = await response.json();
  assert.ok(answer.ok, JSON.stringify(answer));
  const [{ utime, storage_fee }] = answer.result;
  return { paidAt: utime, charged: BigInt(storage_fee) };
}

Deno.test("a debt that refused messages recorded counts: nothing is sent that would freeze the pool", () =>
  withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
    const { code, data } = emptiedState("jetton", 900, spreadKeys);
    const address = await deploy({ code, data }, toNano("0.05"));
    const prices = await fetchNetworkPrices(chain);
    const body = beginCell().storeUint(opCodes.admin_pause, 32).storeUint(0, 64).endCell();
    const refusedMessage = { to: address, value: toNano("0.05"), bounce: true, body };
    const monitor = new PoolFundsMonitor();
    const pool = new PoolState("jet-10", { address, denomination: 10n } as Deployment, 10_000, "localnet");
    const read = async () => {
      const account = await chain.account(address);
      const deps = { chain, prices: { getPrices: () => Promise.resolve(prices) }, log: rootLog() };
      assert.ok(await monitor.update(pool, deps, new AbortController().signal));
      return { account, bill: await fetchStorageBill(chain, { address, account, code, data, prices }) };
    };
    const { account: { balance, syncUtime }, bill: { perYear } } = await read();
    const secondsFor = (nano: bigint) => Number(nano * 31_557_600n / perYear);
    let now = syncUtime;
    for (const [step, owed] of ["0.04", "0.08"].entries()) {
      now += secondsFor(toNano("0.04") + (step === 0 ? balance : 0n));
      await net.setNow(now);
      await net.closeBlock();
      await wallet.send([refusedMessage]);
      await net.closeBlock();
      const { account, bill } = await read();
      assert.equal(account.state, "active");
      assert.ok(bill.recorded > 0n && bill.debt >= bill.recorded - account.balance, `${bill.debt}`);
      const difference = bill.debt - toNano(owed);
      assert.ok(difference < toNano("0.005") && difference > -toNano("0.005"), `${bill.debt} ${owed}`);
      assert.deepEqual(monitor.inDebt([pool]), ["jet-10"], "the alert does not end");
      assert.equal(pool.isNearFreezing, step === 1);
      const guard = assertNoStorageDebt(chain, address, account);
      if (step === 0) await guard;
      else await assert.rejects(guard, { code: "contract_refused", message: /the pool owes 0\.0[78]/ });
    }
    const account = await chain.account(address);
    const { debt, message } = await planRescue({ chain, prices, address, account, years: 0 });
    assert.ok(debt > toNano("0.07") && message!.value < debt + toNano("0.11"), `${debt} ${message!.value}`);
    await wallet.send([message!]);
    await net.closeBlock();
    assert.equal((await read()).bill.debt, 0n);
    assert.deepEqual([monitor.inDebt([pool]), pool.isNearFreezing], [[], false]);
  }));

Deno.test("no wallet and no payer deposits into a native pool that owes what would freeze it", () =>
  withEmptyLocalnet(async ({ chain, wallet }) => {
    for (const version of [1, 2] as const) {
      const options = { chain, wallet, network: "localnet", asset: "native", owner: null } as const;
      const { address } = await deployPool({ ...options, version, amount: "2", pollIntervalMs: 1 });
      const note = createNote({ asset: "native", amount: "2", network: "localnet", version });
      const account = await chain.account(address);
      const owing = {
        ...chain,
        account: async (of: Address) =>
          of.equals(address)
            ? { ...account, balance: 1n, syncUtime: account.syncUtime + 40 * YEAR }
            : await chain.account(of),
      };
      const send = () => Promise.reject(new Error("sent"));
      const request = { chain: owing, network: "localnet", note } as const;
      const [sender, payer] = [{ ...wallet, send }, { address: undefined, pay: send }];
      const prover = {} as Prover;
      const deposits = version === 1
        ? [
          () => depositNative({ ...request, pool: new Pool(owing, address), wallet: sender, prover }),
          () => depositByPayer({ ...request, pool: new Pool(owing, address), payer, prover }),
        ]
        : [
          () => depositByTransfer({ ...request, pool: new V2Pool(owing, address), wallet: sender }),
          () => depositByTransfer({ ...request, pool: new V2Pool(owing, address), payer }),
        ];
      const refusal = { code: "pool_closed", message: /the pool owes \d/ };
      for (const deposit of deposits) await assert.rejects(deposit, refusal);
    }
  }));

Deno.test("two well-meant messages that bounce delete a pool, and the rescue says that it is lost", () =>
  withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
    // Frozen in its first state, an account counts as uninitialized, and can be deployed as it was.
    const { code, data } = emptiedState("native", 900, spreadKeys, 0, wallet.address);
    const address = await deploy({ code, data }, toNano("0.05"));
    const body = beginCell().storeUint(opCodes.admin_pause, 32).storeUint(0, 64).endCell();
    await wallet.send([{ to: address, value: toNano("0.05"), bounce: true, body }]);
    const prices = await fetchNetworkPrices(chain);
    await net.setNow(Math.floor(Date.now() / 1000) + 15 * YEAR);
    for (const state of ["frozen", "uninitialized"]) {
      await wallet.send([{ to: address, value: toNano(10), bounce: true }]);
      await net.closeBlock();
      assert.equal((await chain.account(address)).state, state);
    }
    const account = await chain.account(address);
    const deployment = { address } as Parameters<typeof planRescue>[0]["deployment"];
    await assert.rejects(
      () => planRescue({ chain, prices, address, account, deployment, years: 10 }),
      refusal(
        /the network deleted it because it owed more than one coin for storage\. Then its notes are lost/,
      ),
    );
  }));
