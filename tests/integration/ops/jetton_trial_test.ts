/** The trial of a jetton: one unit through a new pool and back, on a localnet whose issuer locks wallets. */
import assert from "node:assert/strict";
import { type Address, beginCell } from "@ton/core";
import { poolKey } from "../../../src/core/protocol/deployments.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { storeJettonTransfer } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { deployPool, type TrialOutcome } from "../../../src/ops/deploy/deploy.ts";
import { fetchIssuerFacts, fetchJettonBalance } from "../../../src/ops/deploy/jetton_issuer.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../src/ton/jetton/jetton.ts";
import { jettonPoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import { openWallet, type Wallet } from "../../../src/ton/wallet/wallet.ts";
import { gatedWalletCode, LOCKED, silentWalletCode } from "../../support/contract_model/wallet_gate.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const TIMEOUT_MS = 50; // no block has to be waited for: the localnet closes one for each request

interface Run {
  readonly outcomes: TrialOutcome[];
  readonly orders: { value: bigint; trial: bigint }[];
  deploy(options?: Partial<Parameters<typeof deployPool>[0]>): ReturnType<typeof deployPool>;
}

function prepare({ net, chain, wallet }: EmptyLocalnet): Run {
  const outcomes: TrialOutcome[] = [];
  const orders: Run["orders"] = [];
  return {
    outcomes,
    orders,
    deploy: (options) =>
      deployPool({
        chain,
        wallet,
        network: "localnet",
        asset: "jet",
        amount: "2.5",
        owner: null,
        pollIntervalMs: 1,
        jetton: { master: net.jetton.master, decimals: 6 },
        onTrial: (outcome) => outcomes.push(outcome),
        confirm: ({ value, trial }) => Promise.resolve(void orders.push({ value, trial })),
        ...options,
      }),
  };
}

const poolOf = ({ net }: EmptyLocalnet) =>
  jettonPoolAddress({ denomination: 2_500_000n, owner: null, jettonMaster: net.jetton.master });

function unitsOf({ net, chain }: EmptyLocalnet, owner: Address): Promise<bigint> {
  return fetchJettonBalance(chain, { master: net.jetton.master, owner });
}

const jettonWalletOf = ({ net, chain }: EmptyLocalnet, owner: Address) =>
  fetchJettonWalletAddress(chain, net.jetton.master, owner);

/** Locks or upgrades a wallet as its issuer would. Returns a function that undoes it. */
async function lock(tools: EmptyLocalnet, wallet: Address): Promise<() => Promise<unknown>> {
  const { code } = await tools.chain.account(wallet);
  await tools.net.setCode(wallet, gatedWalletCode(code!, LOCKED));
  return () => tools.net.setCode(wallet, code!);
}

const stopped = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Problem && error.code === "deployment_refused", String(error));
  assert.match(error.message, message);
  assert.match(error.hint, /not in the registry/);
  return true;
};

Deno.test("a unit goes through the pool's own wallet and comes back, and costs little", () =>
  withEmptyLocalnet(async (tools) => {
    const { chain, wallet } = tools;
    const run = prepare(tools);
    const before = await unitsOf(tools, wallet.address);
    const coins = await wallet.balance();
    const listed = await run.deploy();
    const { address, jettonWallet } = listed;
    assert.deepEqual(run.outcomes, ["returned"]);
    assert.equal(await unitsOf(tools, wallet.address), before - 1n, "one unit stays at a new address");
    assert.equal((await fetchJettonWalletData(chain, jettonWallet!))?.balance, 0n, "the wallet exists");
    const spent = coins - await wallet.balance() - (await chain.account(address)).balance;
    assert.ok(spent < 100_000_000n, `${spent} beside what the pool holds`);
    assert.ok(run.orders[0].trial > spent, "the order names more than the trial takes");

    await run.deploy();
    assert.deepEqual([run.outcomes, run.orders.length], [["returned", "earlier"], 2]);
    assert.equal(await unitsOf(tools, wallet.address), before - 2n, "only the least payout is tried again");
    assert.ok(run.orders[1].trial < run.orders[0].trial, "nothing is attached to a way through the pool");
    await run.deploy({ registry: { network: "localnet", pools: new Map([[poolKey(listed), listed]]) } });
    assert.deepEqual([run.outcomes[2], run.orders.length], ["earlier", 2], "a listed pool is not tried");
  }));

Deno.test("a deployer without jettons deploys without a trial, and gets a warning", () =>
  withEmptyLocalnet(async (tools) => {
    const { net, chain } = tools;
    const { mnemonic, version } = net.relayer;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    await net.fund(wallet.address, 20_000_000_000n);
    const run = prepare(tools);
    const { jettonWallet } = await run.deploy({ wallet });
    assert.deepEqual([run.outcomes, run.orders[0].trial], [["skipped"], 0n]);
    assert.equal(await fetchJettonWalletData(chain, jettonWallet!), undefined);
  }));

Deno.test("a pool whose wallet does not pay is not deployed; the trial is repeated when it pays", () =>
  withEmptyLocalnet(async (tools) => {
    const { wallet } = tools;
    const run = prepare(tools);
    const pool = poolOf(tools);
    await createWallet(tools, pool);
    const unlock = await lock(tools, await jettonWalletOf(tools, pool));
    await assert.rejects(
      run.deploy({ timeoutMs: TIMEOUT_MS }),
      stopped(/a unit that was sent through pool .* did not come back in time/),
    );
    assert.deepEqual(run.outcomes, []);

    await unlock();
    const before = await unitsOf(tools, wallet.address);
    await run.deploy();
    assert.deepEqual(run.outcomes, ["returned"]);
    assert.deepEqual(run.orders.map(({ value }) => value > 0n), [true, false], "the pool is not paid twice");
    assert.equal(await unitsOf(tools, wallet.address), before - 1n);
  }));

Deno.test("a unit that the wallet did not send is not missed in the pool", () =>
  withEmptyLocalnet(async (tools) => {
    const jettonWallet = await jettonWalletOf(tools, tools.wallet.address);
    const lost = tools.wallet.sign({
      seqno: 1,
      validUntil: (await tools.wallet.state()).now - 60,
      messages: [{ to: jettonWallet, value: 1n, bounce: true }],
    });
    const wallet: Wallet = {
      ...tools.wallet,
      send: (messages) =>
        messages[0].to.equals(jettonWallet) ? Promise.resolve(lost) : tools.wallet.send(messages),
    };
    await assert.rejects(prepare(tools).deploy({ wallet }), {
      code: "chain_unavailable",
      message: /did not accept the transfer before it expired/,
    });
  }));

Deno.test("a locked wallet of the deployer is detected without waiting for the timeout", () =>
  withEmptyLocalnet(async (tools) => {
    const run = prepare(tools);
    await lock(tools, await jettonWalletOf(tools, tools.wallet.address));
    await assert.rejects(run.deploy(), stopped(/the deployer's jetton wallet refuses to send a unit/));
  }));

Deno.test("a jetton whose units do not arrive at a new address is refused before the pool is paid for", () =>
  withEmptyLocalnet(async (tools) => {
    const { chain, wallet, net } = tools;
    const run = prepare(tools);
    const jettonWallet = await jettonWalletOf(tools, wallet.address);
    const { code } = await chain.account(jettonWallet);
    await net.setCode(jettonWallet, silentWalletCode(code!));
    await assert.rejects(
      run.deploy({ timeoutMs: TIMEOUT_MS }),
      stopped(/a unit that was sent to a new address with 0\.1 GRAM.* did not arrive/),
    );
    assert.deepEqual(run.outcomes, []);
    assert.equal((await chain.account(poolOf(tools))).state, "uninitialized");
  }));

const needsMoreThanLeast = stopped(/refuses to send a unit with 0\.1 GRAM, the least that a payout/);

Deno.test("a jetton whose wallets need more than the leanest payout carries is refused before the pool is paid for", () =>
  withEmptyLocalnet(async (tools) => {
    const { chain, wallet, net } = tools;
    const run = prepare(tools);
    const jettonWallet = await jettonWalletOf(tools, wallet.address);
    const { code } = await chain.account(jettonWallet);
    // More than a payout of the least value carries, and less than a unit gets on its way through the pool.
    await net.setCode(jettonWallet, gatedWalletCode(code!, 150_000_000n));
    await assert.rejects(run.deploy(), needsMoreThanLeast);
    assert.equal((await chain.account(poolOf(tools))).state, "uninitialized");

    await net.setCode(jettonWallet, gatedWalletCode(code!, 100_000_000n));
    await run.deploy();
    assert.deepEqual(run.outcomes, ["returned"]);
  }));

Deno.test("a stranger who deploys the pool and moves a unit through it does not switch off the least payout", () =>
  withEmptyLocalnet(async (tools) => {
    const { chain, wallet, net } = tools;
    const { mnemonic, version } = net.relayer;
    const stranger = await openWallet(mnemonic, { version, network: "localnet", chain });
    await net.fund(stranger.address, 20_000_000_000n);
    await net.fundJetton(stranger.address, 2n);
    await prepare(tools).deploy({ wallet: stranger });

    const run = prepare(tools);
    const jettonWallet = await jettonWalletOf(tools, wallet.address);
    const { code } = await chain.account(jettonWallet);
    await net.setCode(jettonWallet, gatedWalletCode(code!, 150_000_000n));
    await assert.rejects(run.deploy(), needsMoreThanLeast);
    assert.deepEqual(run.outcomes, []);

    await net.setCode(jettonWallet, code!);
    const before = await unitsOf(tools, wallet.address);
    await run.deploy();
    assert.deepEqual(run.outcomes, ["earlier"]);
    assert.equal(await unitsOf(tools, wallet.address), before - 1n);

    // One unit is enough for a pool that has paid out.
    await run.deploy({ wallet: stranger });
    assert.deepEqual(run.outcomes, ["earlier", "earlier"]);
    await run.deploy({ wallet: stranger });
    assert.deepEqual(run.outcomes, ["earlier", "earlier", "skipped"]);
  }));

Deno.test("a deployer with a single unit deploys without a trial", () =>
  withEmptyLocalnet(async (tools) => {
    const { net, chain } = tools;
    const { mnemonic, version } = net.relayer;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    await net.fund(wallet.address, 20_000_000_000n);
    await net.fundJetton(wallet.address, 1n);
    const run = prepare(tools);
    await run.deploy({ wallet });
    assert.deepEqual([run.outcomes, run.orders[0].trial], [["skipped"], 0n]);
    assert.equal(await unitsOf(tools, wallet.address), 1n);
  }));

Deno.test("an issuer's powers are read from getters and code", async (t) => {
  await withEmptyLocalnet(async (tools) => {
    const { net, chain, wallet } = tools;
    const { master } = net.jetton;
    const ofUser = () => fetchIssuerFacts(chain, { master, owner: wallet.address });
    await t.step(
      "the localnet's jetton can be minted and neither upgraded nor locked by a getter",
      async () => {
        const { admin, ...facts } = await ofUser();
        assert.ok(admin);
        assert.deepEqual(facts, {
          mintable: true,
          masterUpgradable: false,
          walletUpgradable: false,
          walletStatus: null,
        });
      },
    );
    await t.step("without a jetton wallet of the owner, the lock status is unknown", async () => {
      const { walletStatus } = await fetchIssuerFacts(chain, { master, owner: net.relayer.address });
      assert.equal(walletStatus, undefined);
    });
    await t.step("a governed wallet reports its status", async () => {
      // SETCP0; DROP; 3 PUSHINT: every getter returns 3
      const governed = beginCell().storeUint(0xff003073, 32).endCell();
      await net.setCode(await jettonWalletOf(tools, wallet.address), governed);
      assert.equal((await ofUser()).walletStatus, 3);
    });
    await t.step("a master that can replace its code is reported", async () => {
      const { code } = await chain.account(master);
      const upgradable = beginCell().storeSlice(code!.beginParse()).storeRef(
        beginCell().storeBit(true).storeUint(0xfb04, 16).endCell(),
      ).endCell();
      await net.setCode(master, upgradable);
      assert.equal((await ofUser()).masterUpgradable, true);
    });
  });
});

/** Sends one unit to the pool's address before the pool exists, which creates the pool's wallet. */
async function createWallet(tools: EmptyLocalnet, pool: Address): Promise<void> {
  const { net, wallet } = tools;
  await wallet.send([{
    to: await jettonWalletOf(tools, wallet.address),
    value: 200_000_000n,
    bounce: true,
    body: storeJettonTransfer({
      queryId: 0n,
      amount: 1n,
      destination: pool,
      responseDestination: wallet.address,
      forwardAmount: 0n,
      forwardPayload: null,
    }),
  }]);
  await net.closeBlock();
  assert.equal(await unitsOf(tools, pool), 1n);
}
