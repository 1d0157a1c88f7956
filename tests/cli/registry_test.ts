/** The registry determines where a deposit goes. The program never reads one from the working directory. */
import assert from "node:assert/strict";
import { type Address, beginCell, contractAddress, type StateInit, toNano } from "@ton/core";
import { type Deployment, formatDeployments } from "../../src/core/protocol/deployments.ts";
import { nativePoolAddress } from "../../testkit/chain/pool_addresses.ts";
import { nativePoolInit } from "../../src/ton/pool/state_init.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { startCliFixture } from "../support/cli/cli_fixture.ts";
import { CONNECT_LINK } from "../support/cli/phone.ts";
import { runCli } from "../support/cli/run_cli.ts";

/** Starts a local network without a relayer. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture({ relayer: false }));
  const { net, directory: dir, networkFlags: at, env, payerFlags: payer } = fixture;
  const genuine = net.pool("native-1");
  const startFolder = Deno.cwd();
  const folder = `${dir}/folder`;
  await Deno.mkdir(`${folder}/deployments`, { recursive: true });
  const open = stack.move();
  return {
    genuine,
    net,
    folder,
    env,
    startFolder,
    dir,
    payer,
    at,
    fixture,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("the registry that names a pool", async (t) => {
  await using scene = await openScene();
  await t.step(
    "a registry in the current folder does not replace the release's",
    () => ignoresCurrentFolder(scene),
  );
  await t.step(
    "a pool that the registry marks as retired accepts no new deposit",
    () => refusesRetiredPool(scene),
  );
  await refusesForgedRegistries(t, scene);
  await t.step(
    "a confirmation shows the pool's address, its denomination and the registry",
    () => confirmationNamesPool(scene),
  );
});

async function ignoresCurrentFolder({ genuine, net, folder, env, startFolder }: Scene): Promise<void> {
  const address = nativePoolAddress({ denomination: genuine.denomination, owner: net.user.address });
  for (const network of ["testnet", "mainnet"] as const) {
    await Deno.writeTextFile(
      `${folder}/deployments/${network}.json`,
      formatDeployments({ network, pools: new Map([["native-1", { ...genuine, address }]]) }),
    );
  }
  Deno.chdir(folder);
  try {
    for (const network of ["testnet", "mainnet"]) {
      const on = ["--network", network, "--endpoint", net.localnet.url];
      const { stdout } = await runCli(["pool", "list", "--json", "--network", network], env);
      const release = JSON.parse(
        await Deno.readTextFile(new URL(`../../deployments/${network}.json`, import.meta.url)),
      );
      assert.deepEqual(JSON.parse(stdout).pools, Object.values(release.pools));
      const { code, stdout: link, stderr } = await runCli(["deposit", "native-1", ...on], env);
      assert.deepEqual([code, link, /no pool native-1 in/.test(stderr)], [2, "", true], stderr);
      const named = await runCli(
        ["pool", "list", "--json", "--network", network, "--registry", `deployments/${network}.json`],
        env,
      );
      assert.equal(JSON.parse(named.stdout).pools.length, 1, "--registry selects it");
    }
  } finally {
    Deno.chdir(startFolder);
  }
}

async function refusesRetiredPool({ dir, genuine, net, env }: Scene): Promise<void> {
  const registry = `${dir}/retired.json`;
  const pools = new Map([["native-1", { ...genuine, retired: true }]]);
  await Deno.writeTextFile(registry, formatDeployments({ network: "localnet", pools }));
  const { code, stdout, stderr } = await runCli([
    ...["deposit", "native-1", "--network", "localnet", "--registry", registry],
    ...["--endpoint", net.localnet.url, "--yes"],
  ], env);
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /retired[^]*Choose a pool/);
}

async function refusesForgedRegistries(
  t: Deno.TestContext,
  { genuine, net, dir, payer, at, env }: Scene,
): Promise<void> {
  const trap = trapOf(genuine.denomination);
  await net.user.send([{ to: trap.address, value: toNano(5), bounce: false, init: trap }]);
  await waitUntil(
    "the trap is deployed",
    async () => (await net.chain.account(trap.address)).code !== undefined,
  );
  const ownCode = (await net.chain.account(net.user.address)).code!.hash().toString("hex");
  const forgeries: [string, Partial<Deployment>][] = [
    ["another contract, with its own code's hash", { address: net.user.address, codeHash: ownCode }],
    ["a pool of the true code with a first state of its own", { address: trap.address, owner: null }],
    ["another code's hash at the true pool", { codeHash: ownCode }],
  ];
  for (const [what, changed] of forgeries) {
    await t.step(`a registry that names ${what} gets no deposit and no link`, async () => {
      const file = `${dir}/forged.json`;
      const pools = new Map([["native-1", { ...genuine, ...changed }]]);
      await Deno.writeTextFile(file, formatDeployments({ network: "localnet", pools }));
      for (const how of [[], [...payer, "--yes"]]) {
        const { code, stdout, stderr } = await runCli(
          ["deposit", "native-1", ...at, "--registry", file, "--quiet", ...how],
          env,
          { onStdout: (text) => assert.doesNotMatch(text, /ton:/, "a link is shown") },
        );
        assert.deepEqual([code, stdout], [1, ""], stderr);
        assert.match(stderr, /wrong_pool/);
        const next = /Do not deposit: `tonado (pool inspect \S+ .*)` shows what it is/.exec(stderr);
        assert.ok(next && stderr.includes(` --registry ${file}`), stderr);
        assert.doesNotMatch(stderr, /\b[EU]Q/, "an address in mainnet's form");
        const inspected = await runCli([...next[1].split(" "), "--json"], env);
        assert.deepEqual([inspected.code, JSON.parse(inspected.stdout).sound], [1, false], inspected.stderr);
      }
    });
  }
}

async function confirmationNamesPool({ genuine, at, payer, env, fixture }: Scene): Promise<void> {
  const address = genuine.address.toString({ testOnly: true });
  const { prompts } = await runCli(["deposit", "native-1", ...at, ...payer], env, {
    confirms: false,
  });
  assert.equal(prompts.length, 1);
  for (const fact of [address, "1 GRAM", "native-1 on localnet", fixture.registry]) {
    assert.ok(prompts[0].includes(fact), `${fact} in ${prompts[0]}`);
  }
  const stop = new AbortController();
  let output = "";
  await runCli(["deposit", "native-1", "--connect", "localnet", ...at], env, {
    onStdout: (text) => CONNECT_LINK.test(output += text) && stop.abort(),
    interruptSignal: stop.signal,
  });
  const before = output.slice(0, output.search(CONNECT_LINK));
  for (const fact of [address, "exactly 1 GRAM", fixture.registry]) assert.ok(before.includes(fact), before);
}

/**
 * Returns a pool with the genuine code and a forged first root: its deployer knows a leaf under that root and
 * can take all deposits.
 */
function trapOf(denomination: bigint): StateInit & { readonly address: Address } {
  const { code, data } = nativePoolInit({ denomination, owner: null });
  const honest = data.beginParse();
  const forged = beginCell()
    .storeCoins(honest.loadCoins())
    .storeUint(honest.loadUint(32), 32)
    .storeUint(honest.loadUint(32), 32)
    .storeCoins(honest.loadCoins())
    .storeUint(honest.loadUint(32), 32)
    .storeRef(honest.loadRef())
    .storeUint(honest.loadUintBig(255) - 1n, 255)
    .storeSlice(honest);
  const init = { code, data: forged.endCell() };
  return { ...init, address: contractAddress(0, init) };
}
