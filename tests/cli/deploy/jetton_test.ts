/** `tonado deploy` and `tonado pool` with jetton pools on a local network. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { readRegistry } from "../../../src/config/deployments_registry.ts";
import { MINT_ADDRESS } from "../../../src/localnet/coin_mint.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { gatedWalletCode, LOCKED } from "../../support/contract_model/wallet_gate.ts";
import { discoverWalletMessage } from "../../../src/ops/deploy/jetton_discovery.ts";
import { planPool } from "../../../src/ops/deploy/pool_plan.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { runCli } from "../../support/cli/run_cli.ts";

/** Starts a local network without pools, and opens a wallet with coins. */
async function openScene(dir: string) {
  await using stack = new AsyncDisposableStack();
  const net = await startTestLocalnet({ blockTimeMs: 0, pools: [] });
  stack.defer(() => net.close());
  const [{ mnemonic, version, address }] = net.wallets;
  const chain = connect({ endpoint: net.url });
  const registry = `${dir}/localnet.json`;
  const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
  const env = { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version };
  const master = net.jetton.master.toString({ testOnly: true });
  const deploy = ["deploy", ...at, "--asset", master, "--amount", "2.5", "--burn-owner"];
  const open = stack.move();
  return {
    deploy,
    env,
    master,
    registry,
    net,
    chain,
    address,
    at,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado deploy --asset: a jetton pool from its master's address to the audit", (t) =>
  withTempDirectory(async (dir) => {
    await using scene = await openScene(dir);
    await deploysAndFinds(t, scene);
    await t.step(
      "a pool is not paid for if the trial of its jetton fails; a run that finds it confirms only the trial",
      () => retriesFailedTrial(scene),
    );
    await t.step(
      "--native-price proposes a policy whose fee pays for the refund, and keeps a policy of the operator",
      () => proposesPolicy(scene),
    );
    await inspectsPool(t, scene);
  }));

async function deploysAndFinds(
  t: Deno.TestContext,
  { deploy, env, master, registry, net }: Scene,
): Promise<void> {
  await t.step(
    "it is named after its metadata, confirmed, deployed, verified and registered",
    async () => {
      const { code, stdout, stderr, prompts } = await runCli(deploy, env, { confirms: true });
      assert.equal(code, 0, stderr);
      // This is 40 years of storage, and twice the value of the discovery.
      assert.deepEqual(prompts.map((text) => text.replace(/7\.6\d+/, "7.6")), [
        "Send 7.6 GRAM to deploy on localnet?",
      ]);
      assert.match(stdout, /jet-2\.5, accepts exactly 2\.5 jet/);
      assert.ok(stdout.includes(master));
      assert.match(stdout, /Deployed and verified[^]*confirmed by the master/);
      assert.match(stdout, /issuer +admin kf.*; the master reports that more can be minted/);
      assert.match(stdout, /upgrades +master: no SETCODE; wallets: no SETCODE/);
      assert.match(stdout, /locks +wallets have no get_status, but the issuer may lock them in another way/);
      assert.match(
        stdout,
        /refusals +cannot be checked: .* 255 withdrawals to it block this pool for good/,
      );
      assert.match(
        stdout,
        /trial +sends one unit to a new address, where it stays, and one unit through the pool and back; attaches 0\.\d+ GRAM/,
      );
      assert.match(
        stdout,
        /Deployed and verified[^]*trial +one unit went through the pool and came back/,
      );
      const entry = (await readRegistry("localnet", registry)).pools.get("jet-2.5")!;
      assert.deepEqual([entry.denomination, entry.decimals, entry.asset], [2_500_000n, 6, "jet"]);
      assert.ok(entry.jettonMaster?.equals(net.jetton.master));
    },
  );

  await t.step("a second run finds the pool and describes it with --json", async () => {
    const { code, stdout, prompts } = await runCli([...deploy, "--json"], env);
    assert.deepEqual([code, prompts], [0, []]);
    const found = JSON.parse(stdout);
    assert.deepEqual([found.sent, found.key, found.jettonMaster, found.decimals], [
      false,
      "jet-2.5",
      master,
      6,
    ]);
    const { admin, ...issuer } = found.issuer;
    assert.equal(admin, MINT_ADDRESS.toString({ testOnly: true }));
    assert.deepEqual([issuer, found.trial], [
      { mintable: true, masterUpgradable: false, walletUpgradable: false, walletLock: "none_found" },
      "earlier",
    ]);
  });
}

async function retriesFailedTrial({ chain, net, address, at, master, env, registry }: Scene): Promise<void> {
  const units = await fetchJettonWalletAddress(chain, net.jetton.master, address);
  const { code: own } = await chain.account(units);
  const another = ["deploy", ...at, "--asset", master, "--amount", "7", "--burn-owner"];
  const jetton = { master: net.jetton.master, decimals: 6 };
  const plan = planPool({ asset: "jet", amount: "7", owner: null, jetton });
  await net.setCode(units, gatedWalletCode(own!, LOCKED));
  const failed = await runCli([...another, "--yes"], env);
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /jetton wallet refuses to send a unit.*\[deployment_refused\]\nNothing was paid for the pool/,
  );
  assert.equal((await readRegistry("localnet", registry)).pools.has("jet-7"), false);
  assert.equal((await chain.account(plan.address)).state, "uninitialized");
  await net.setCode(units, own!);
  const [{ mnemonic, version }] = net.wallets;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  await wallet.send([
    { to: plan.address, init: plan.init, value: toNano(8), bounce: false },
    discoverWalletMessage({ address: plan.address, jetton }),
  ]);
  await net.closeBlock();
  const again = await runCli(another, env, { confirms: true });
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.prompts.join(), /^Send 0\.\d+ GRAM to test the pool on localnet\?$/);
  assert.match(again.stdout, /A pool without a trial of its jetton/);
  assert.equal((await readRegistry("localnet", registry)).pools.has("jet-7"), true);
}

async function proposesPolicy({ deploy, env, registry, at, master }: Scene): Promise<void> {
  const priced = [...deploy, "--native-price", "3", "--json"];
  const { feeMin, maxRefund } = JSON.parse((await runCli(priced, env)).stdout);
  assert.equal(maxRefund, "100000000");
  assert.ok(BigInt(feeMin) > 300_000n && BigInt(feeMin) < 2_500_000n, feeMin); // worth more than 0.1 at 3 a coin
  assert.equal(
    (await readRegistry("localnet", registry)).pools.get("jet-2.5")!.feeMin,
    BigInt(feeMin),
  );
  await runCli([...deploy, "--native-price", "4", "--json"], env);
  assert.equal(
    (await readRegistry("localnet", registry)).pools.get("jet-2.5")!.feeMin,
    BigInt(feeMin),
  );
  const { code, stderr } = await runCli(
    ["deploy", ...at, "--asset", master, "--amount", "0.1", "--burn-owner", "--native-price", "3"],
    env,
  );
  assert.notEqual(code, 0);
  assert.match(stderr, /--native-price: .* not below the denomination/);
}

async function inspectsPool(t: Deno.TestContext, { at, master, net, env }: Scene): Promise<void> {
  await t.step("pool list and pool inspect show the jetton pool", async () => {
    const list = await runCli(["pool", "list", ...at, "--json"]);
    assert.equal(JSON.parse(list.stdout).pools[0].jettonMaster, master);
    const text = await runCli(["pool", "inspect", "jet-2.5", ...at]);
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /accepts exactly 2\.5 jet/);
    assert.match(text.stdout, /ok {7}jetton /);
    const { facts } = JSON.parse((await runCli(["pool", "inspect", "jet-2.5", ...at, "--json"])).stdout);
    assert.deepEqual([facts.asset, facts.jettonMaster, facts.jettons], ["jetton", master, "0"]);
    assert.equal(facts.jettonWallet, facts.givenWallet);
  });

  await t.step("an account that is not a jetton master is refused with the reason", async () => {
    const wallet = net.wallets[1].address.toRawString();
    const { code, stderr } = await runCli(
      ["deploy", ...at, "--asset", wallet, "--amount", "1", "--yes"],
      env,
    );
    assert.equal(code, 1);
    assert.match(stderr, /is not a jetton master: get_jetton_data of .* \[?/);
    assert.match(stderr, /deployment_refused/);
  });
}
