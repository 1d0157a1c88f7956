/** `tonado deploy` and `tonado pool` with native pools on a local network. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { readRegistry } from "../../../src/config/deployments_registry.ts";
import { formatUnits } from "../../../src/core/protocol/units.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";

/** Starts a local network without pools, and opens a wallet with coins. */
async function openScene(dir: string) {
  await using stack = new AsyncDisposableStack();
  const net = await startTestLocalnet({ blockTimeMs: 0, pools: [] });
  stack.defer(() => net.close());
  const [{ mnemonic, version, address: payer }] = net.wallets;
  await Deno.writeTextFile(`${dir}/words`, `${mnemonic}\n`);
  const registry = `${dir}/registry/localnet.json`;
  const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
  const env = { TONADO_WALLET_MNEMONIC_FILE: `${dir}/words`, TONADO_WALLET_VERSION: version };
  const chain = connect({ endpoint: net.url });
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const listed = async () => (await readRegistry("localnet", registry)).pools;
  const open = stack.move();
  return {
    at,
    env,
    wallet,
    registry,
    listed,
    chain,
    dir,
    payer,
    net,
    mnemonic,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado deploy and pool inspect, from a wallet's mnemonic to an audited pool", (t) =>
  withTempDirectory(async (dir) => {
    await using scene = await openScene(dir);
    await deploysOnce(t, scene);
    await t.step(
      "another pool of the same denomination is refused, with the reason",
      () => refusesSecondPool(scene),
    );
    await inspectsPool(t, scene);
    await t.step(
      "a successor is deployed next to the first pool, and is audited by its own key",
      () => deploysSuccessor(scene),
    );
    await t.step(
      "a version 2 pool is endowed with 40 years of storage, and audited",
      () => deploysVersion2(scene),
    );
    await inspectRefuses(t, scene);
    await t.step(
      "mainnet refuses an owner and development keys in one message",
      () => refusesOnMainnet(scene),
    );
    await t.step("a wallet without coins is reported", () => reportsEmptyWallet(scene));
  }));

async function deploysOnce(
  t: Deno.TestContext,
  { at, env, wallet, registry, listed, chain, dir, payer }: Scene,
): Promise<void> {
  await t.step("nothing is sent without confirmation", async () => {
    const declined = await runCli(["deploy", ...at, "--amount", "3", "--burn-owner"], env, {
      confirms: false,
    });
    assert.equal(declined.code, 1);
    assert.match(declined.stderr, /not deployed \[confirmation_required\]\n.*Nothing was sent/);
    assert.deepEqual(declined.prompts, ["Send 2.5 GRAM to deploy on localnet?"]);
    assert.match(declined.stdout, /native-3, accepts exactly 3 GRAM/);
    assert.match(declined.stdout, /owner +none: burned/);
    assert.match(declined.stdout, /keys +development keys, insecure/);
    const unattended = await runCli(["deploy", ...at, "--amount", "3", "--burn-owner"], env);
    assert.equal(unattended.code, 1);
    assert.match(unattended.stderr, /standard input is not a terminal \[confirmation_required\]\n.*--yes/);
    assert.equal(await wallet.seqno(), 0);
    await assert.rejects(Deno.stat(registry), "no registry is written");
  });

  await t.step("a pool is deployed, verified and registered", async () => {
    const { code, stdout, stderr } = await runCli(
      ["deploy", ...at, "--amount", "3", "--burn-owner"],
      env,
      { confirms: true },
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Deployed and verified/);
    const entry = (await listed()).get("native-3")!;
    assert.ok(stdout.includes(entry.address.toString({ testOnly: true })));
    assert.equal(entry.owner, null);
    assert.equal((await chain.account(entry.address)).state, "active");
    assert.deepEqual([...Deno.readDirSync(`${dir}/registry`)].map(({ name }) => name), ["localnet.json"]);
  });

  await t.step(
    "a second run finds it, pays nothing, prompts for nothing and keeps the operator's policy",
    async () => {
      const before = JSON.parse(await Deno.readTextFile(registry));
      before.pools["native-3"].feeMin = "7";
      await Deno.writeTextFile(registry, JSON.stringify(before));
      const seqno = await wallet.seqno();
      const { code, stdout, prompts } = await runCli(
        ["deploy", ...at, "--amount", "3.0", "--json"],
        { ...env, TONADO_BURN_OWNER: "1" },
      );
      assert.deepEqual([code, prompts], [0, []]);
      const { sent, deployedSeqno, key, owner } = JSON.parse(stdout);
      assert.deepEqual([sent, key, owner], [false, "native-3", null]);
      assert.equal(deployedSeqno, before.pools["native-3"].deployedSeqno);
      assert.equal(await wallet.seqno(), seqno);
      assert.deepEqual(JSON.parse(await Deno.readTextFile(registry)), before);
    },
  );

  await t.step(
    "without --burn-owner the wallet that pays is the owner; --quiet prints the address",
    async () => {
      const { code, stdout } = await runCli(["deploy", ...at, "--amount", "4", "--yes", "--quiet"], env);
      const entry = (await listed()).get("native-4")!;
      assert.deepEqual([code, stdout], [0, `${entry.address.toString({ testOnly: true })}\n`]);
      assert.ok(entry.owner?.equals(payer));
    },
  );
}

async function refusesSecondPool({ at, env }: Scene): Promise<void> {
  const other = await runCli(["deploy", ...at, "--amount", "3", "--yes"], env);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /registry: the registry lists another pool as native-3/);
}

async function inspectsPool(t: Deno.TestContext, { at, listed, payer }: Scene): Promise<void> {
  await t.step("pool list prints the registry", async () => {
    const { code, stdout } = await runCli(["pool", "list", ...at, "--json"]);
    assert.equal(code, 0);
    const { network, pools } = JSON.parse(stdout);
    assert.equal(network, "localnet");
    assert.deepEqual(pools.map(({ key }: { key: string }) => key), ["native-3", "native-4"]);
    assert.match(
      (await runCli(["pool", "list", ...at])).stdout,
      /^native-3 .* no owner\nnative-4 .* owner /,
    );
  });

  await t.step("pool inspect passes it, by key and by address, with warnings", async () => {
    const { code, stdout, stderr } = await runCli(["pool", "inspect", "native-3", ...at]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /warning {2}keys/);
    assert.match(stdout, /ok {7}tree +0 leaves/);
    const entry = (await listed()).get("native-3")!;
    const quiet = await runCli(["pool", "inspect", entry.address.toRawString(), ...at, "--quiet"]);
    assert.deepEqual([quiet.code, quiet.stdout.trim().split("\n").length], [0, 1]);
    const json = JSON.parse((await runCli(["pool", "inspect", "native-4", ...at, "--json"])).stdout);
    assert.equal(json.sound, true);
    assert.equal(json.facts.root, json.facts.rebuiltRoot);
    assert.deepEqual([json.facts.deposits, json.facts.capacity, json.money.obligations], [
      0,
      131_072,
      "0",
    ]);
    assert.ok(payer.equals(Address.parse(json.facts.owner)));
    assert.ok(json.money.runwayYears > 1);
  });
}

async function deploysSuccessor({ at, env, listed }: Scene): Promise<void> {
  const deploy = ["deploy", ...at, "--amount", "3", "--burn-owner", "--generation", "2", "--yes"];
  const { code, stdout, stderr } = await runCli(deploy, env);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /native-3-g2, accepts exactly 3 GRAM/);
  assert.match(stderr, /warning: there is no pool of generation 1 /);
  const again = JSON.parse((await runCli([...deploy, "--json"], env)).stdout);
  assert.deepEqual([again.key, again.generation, again.sent], ["native-3-g2", 2, false]);
  const pools = await listed();
  assert.deepEqual([...pools.keys()], ["native-3", "native-4", "native-3-g2"]);
  assert.ok(!pools.get("native-3-g2")!.address.equals(pools.get("native-3")!.address));
  for (const [key, generation] of [["native-3", 0], ["native-3-g2", 2]] as const) {
    const audit = await runCli(["pool", "inspect", key, ...at]);
    assert.equal(audit.code, 0, audit.stdout);
    assert.match(audit.stdout, new RegExp(`ok {7}origin +.* generation ${generation}\n`));
    const json = JSON.parse((await runCli(["pool", "inspect", key, ...at, "--json"])).stdout);
    assert.equal(json.facts.generation, generation);
  }
  for (const wrong of ["-1", "256", "1.5", "one"]) {
    const refused = await runCli(["deploy", ...at, "--amount", "3", "--generation", wrong], env);
    assert.deepEqual([refused.code, /from 0 to 255/.test(refused.stderr)], [2, true], wrong);
  }
}

async function deploysVersion2({ at, env, listed, chain, payer }: Scene): Promise<void> {
  const deploy = ["deploy", ...at, "--amount", "3", "--pool-version", "2", "--burn-owner"];
  const { code, stdout, stderr, prompts } = await runCli(deploy, env, { confirms: true });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /native-3-v2, accepts exactly 3 GRAM/);
  const entry = (await listed()).get("native-3-v2")!;
  assert.deepEqual([entry.version, entry.generation], [2, undefined]);
  const prices = await fetchNetworkPrices(chain);
  const storage = prices.storageFee({ cells: 2_500n, bits: 1_500_000n, seconds: 1_262_304_000n });
  assert.ok(storage > 2_500_000_000n);
  assert.deepEqual(prompts, [`Send ${formatUnits(storage)} GRAM to deploy on localnet?`]);
  const json = JSON.parse((await runCli(["pool", "inspect", "native-3-v2", ...at, "--json"])).stdout);
  assert.deepEqual([json.sound, json.facts.version, json.facts.settled], [true, 2, 0]);
  assert.ok(json.money.runwayYears > 39);
  const again = JSON.parse((await runCli([...deploy, "--json"], env)).stdout);
  assert.deepEqual([again.key, again.version, again.sent], ["native-3-v2", 2, false]);
  const noMaster = [...deploy, "--asset", payer.toRawString()];
  assert.match((await runCli(noMaster, env)).stderr, /--asset: \S+ is not a jetton master/);
}

async function inspectRefuses(t: Deno.TestContext, { registry, at }: Scene): Promise<void> {
  await t.step("pool inspect exits with 1 for a pool that differs from the registry", async () => {
    const registered = JSON.parse(await Deno.readTextFile(registry));
    registered.pools["native-4"].owner = null;
    await Deno.writeTextFile(registry, JSON.stringify(registered));
    const { code, stdout, stderr } = await runCli(["pool", "inspect", "native-4", ...at]);
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {3}registry +the registry's native-4 has another owner/);
    assert.match(stderr, /failed: registry \[audit_failed\]/);
    const json = await runCli(["pool", "inspect", "native-4", ...at, "--json"]);
    assert.deepEqual([json.code, JSON.parse(json.stdout).sound], [1, false]);
  });

  await t.step("pool inspect exits with 1 for an address without a pool", async () => {
    const { code, stdout } = await runCli(["pool", "inspect", `0:${"77".repeat(32)}`, ...at]);
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {3}account +the account is uninitialized/);
  });
}

async function refusesOnMainnet({ net, dir, wallet, env }: Scene): Promise<void> {
  await using unnamed = withoutZeroState(net.url);
  const mainnet = [
    "--network",
    "mainnet",
    "--endpoint",
    unnamed.url,
    "--registry",
    `${dir}/mainnet.json`,
  ];
  const seqno = await wallet.seqno();
  const { code, stderr } = await runCli(["deploy", ...mainnet, "--amount", "3", "--yes"], env);
  assert.equal(code, 1);
  assert.match(stderr, /owner: a pool on mainnet has no owner/);
  assert.match(stderr, /keys: the keys are development keys, insecure/);
  const burned = await runCli(["deploy", ...mainnet, "--amount", "3", "--yes", "--burn-owner"], env);
  assert.equal(burned.code, 1);
  assert.doesNotMatch(burned.stderr, /has no owner/);
  const small = await runCli(["deploy", ...mainnet, "--amount", "0.1", "--yes", "--burn-owner"], env);
  assert.match(small.stderr, /fees would consume much of each note \[invalid_amount\]/);
  assert.equal(await wallet.seqno(), seqno);
  await assert.rejects(Deno.stat(`${dir}/mainnet.json`));
}

async function reportsEmptyWallet({ mnemonic, at }: Scene): Promise<void> {
  const words = mnemonic.split(" ").reverse().join(" ");
  const { code, stderr } = await runCli(["deploy", ...at, "--amount", "5", "--yes"], {
    TONADO_WALLET_MNEMONIC: words,
  });
  assert.equal(code, 1);
  assert.match(stderr, /holds 0 GRAM, the pools need 2\.5 GRAM and fees \[insufficient_funds\]/);
}

/** Serves the endpoint `behind` without its zero state, so that clients treat it as mainnet. */
function withoutZeroState(behind: string) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(behind, { method: "POST", body: await request.text(), headers });
    const text = await answer.text();
    const body = JSON.parse(text);
    delete body.result?.init;
    return Response.json(body, { status: answer.status });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/api/v2/jsonRPC`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
