/** Deploys pools: the transfer, the checks of the deployed contract, and the prices. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { beginCell, Cell } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { GAS_HIGHEST_PATH } from "../../../src/core/protocol/pool_constants.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { nativePoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import { loadPoolCode } from "../../../src/ton/pool/state_init.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { type ArtifactPins, type Artifacts, openArtifacts } from "../../../src/prover/artifacts.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { deployPool, deployPools } from "../../../src/ops/deploy/deploy.ts";
import { checkPoolKeys } from "../../../src/ops/keys/pool_keys.ts";
import {
  type DeployTools,
  native,
  negatedKeys,
  onLocalnet,
  owner,
  problem,
} from "../../support/ops/deploy_localnet.ts";
import pins from "../../../artifacts/pins.json" with { type: "json" };

Deno.test("the gas of the most expensive withdrawal is the contract's constant", async () => {
  const source = await Deno.readTextFile(new URL("../../../contracts/v1/fees.tolk", import.meta.url));
  assert.equal(/^const GAS_HIGHEST_PATH = (\d+)$/m.exec(source)?.[1], String(GAS_HIGHEST_PATH));
});

/** Deploys a pool. */
async function openScene({ chain, wallet }: DeployTools) {
  const options = { chain, wallet, network: "localnet", pollIntervalMs: 1 } as const;
  const before = await chain.masterchainSeqno();
  const deployment = await deployPool({ ...options, ...native, amount: "5" });
  return { deployment, before, chain, wallet, options };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("deploying a pool", (t) =>
  onLocalnet(async (tools) => {
    const scene = await openScene(tools);
    await describesPool(t, scene);
    await t.step("several pools are deployed with one transfer, which contains only the missing ones", () =>
      deploysMissing(scene));
    await deploysSuccessor(t, scene);
  }));

async function describesPool(
  t: Deno.TestContext,
  { deployment, before, chain, wallet, options }: Scene,
): Promise<void> {
  await t.step("returns the registry entry", () => {
    const { codeHash, vkeyHash } = loadPoolCode();
    assert.ok(deployment.address.equals(nativePoolAddress({ denomination: 5_000_000_000n, owner: null })));
    assert.deepEqual({ ...deployment, address: null, deployedSeqno: null }, {
      address: null,
      asset: "native",
      amount: "5",
      denomination: 5_000_000_000n,
      deployedSeqno: null,
      codeHash,
      vkeyHash,
      owner: null,
    });
    assert.ok(deployment.deployedSeqno >= before);
  });

  await t.step("leaves the pool with its first years of storage", async () => {
    const { balance } = await chain.account(deployment.address);
    assert.ok(balance > 2_490_000_000n && balance <= 2_500_000_000n, String(balance));
  });

  await t.step("a second run finds the pool, sends nothing and keeps the seqno of the registry", async () => {
    const seqno = await wallet.seqno();
    const known = { network: "localnet", pools: new Map([["native-5", deployment]]) } as const;
    const again = await deployPool({ ...options, ...native, amount: "5", registry: known });
    assert.equal(again.deployedSeqno, deployment.deployedSeqno);
    assert.equal(await wallet.seqno(), seqno);
  });
}

async function deploysMissing({ wallet, options, chain, deployment }: Scene): Promise<void> {
  const seqno = await wallet.seqno();
  const pools = ["2", "5", "3"].map((amount) => ({ ...native, amount }));
  const deployed = await deployPools({ ...options, pools });
  assert.deepEqual(deployed.map(({ amount }) => amount), ["2", "5", "3"]);
  assert.equal(await wallet.seqno(), seqno + 1);
  const history = await chain.transactions(deployment.address, { limit: 10 });
  assert.equal(history.length, 1);
}

async function deploysSuccessor(
  t: Deno.TestContext,
  { deployment, options, wallet, chain }: Scene,
): Promise<void> {
  await t.step(
    "a successor is a new pool of the same denomination, and is found by a second run",
    async () => {
      const known = { network: "localnet", pools: new Map([["native-5", deployment]]) } as const;
      const warnings: string[] = [];
      const warn = (text: string) => void warnings.push(text);
      const next = { ...options, ...native, amount: "5", registry: known, onWarning: warn };
      const successor = await deployPool({ ...next, generation: 1 });
      assert.deepEqual({ ...successor, address: null, deployedSeqno: null }, {
        ...deployment,
        address: null,
        deployedSeqno: null,
        generation: 1,
      });
      assert.ok(!successor.address.equals(deployment.address));
      assert.match(
        warnings.join(),
        /^generation 0, k[Qf].*, has 0 of 131072 deposits: .*split the set of notes/,
      );
      const seqno = await wallet.seqno();
      assert.ok((await deployPool({ ...next, generation: 1 })).address.equals(successor.address));
      assert.equal(await wallet.seqno(), seqno);
    },
  );

  await t.step("a generation without a predecessor causes a warning", async () => {
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    await deployPool({ ...options, ...native, amount: "5", generation: 9, onWarning: warn });
    assert.match(warnings.join(), /^there is no pool of generation 8 /);
  });

  await t.step("a given owner is stored, and makes another pool", async () => {
    const owned = await deployPool({ ...options, asset: "native", amount: "5", owner });
    assert.ok(!owned.address.equals(deployment.address));
    assert.ok((await new Pool(chain, owned.address).getPoolInfo()).owner?.equals(owner));
  });
}

Deno.test("the pool's code holds the pinned verification keys", async (t) => {
  const build = loadPoolCode();
  assert.deepEqual(await checkPoolKeys(), {
    label: "development keys, insecure",
    development: true,
    weak: false,
  });
  assert.equal((await checkPoolKeys(undefined, loadPoolCode("native2"))).development, true);
  const real = openArtifacts();
  const other = "00".repeat(32);
  /** Returns the code with a point of another key in an additional cell. */
  const point = beginCell().storeBuffer(Buffer.from(bls12_381.G1.Point.BASE.multiply(9n).toBytes(true)))
    .endCell();
  const extended = beginCell().storeRef(build.code).storeRef(point).endCell();
  const misfits: [string, Artifacts, typeof build, RegExp][] = [
    ["code with another hash", real, { ...build, codeHash: other }, /does not have the hash/],
    ["code of other keys", real, { ...build, vkeyHash: other }, /compiled for other verification keys/],
    [
      "a point of another key",
      real,
      { ...build, code: extended, codeHash: extended.hash().toString("hex") },
      /holds points of another verification key/,
    ],
    [
      "keys that are not in the code",
      negatedKeys(real),
      build,
      /does not hold the verification key of withdraw/,
    ],
  ];
  misfits.push(
    ["keys of the other version", real, { ...loadPoolCode("native2"), version: 1 }, /compiled for other/],
    [
      "pins without keys of version 2",
      openArtifacts(undefined, { ...pins as ArtifactPins, version2: undefined }),
      loadPoolCode("native2"),
      /no SHA-256 of withdraw2/,
    ],
    [
      "keys of version 2 that are not in the code",
      negatedKeys(real),
      loadPoolCode("native2"),
      /key of withdraw2/,
    ],
  );
  for (const [what, artifacts, code, message] of misfits) {
    await t.step(`${what} is artifact_corrupted`, async () => {
      await assert.rejects(checkPoolKeys(artifacts, code), problem("artifact_corrupted", message));
    });
  }
});

Deno.test("more expensive storage needs a larger first balance", () =>
  onLocalnet(async ({ chain, wallet }) => {
    const { address } = await deployPool({
      ...native,
      chain,
      wallet,
      network: "localnet",
      amount: "30",
      pollIntervalMs: 1,
    });
    const { balance } = await chain.account(address);
    assert.ok(balance > 9_000_000_000n, String(balance));
  }, { config: Cell.fromBase64(defaultConfig) }));

Deno.test("a contract on the chain that differs from this build is refused", (t) =>
  onLocalnet(async ({ chain, wallet }) => {
    const options = { ...native, wallet, network: "localnet", amount: "4", pollIntervalMs: 1 } as const;
    await deployPool({ ...options, chain });
    const lies: [string, Partial<Chain>][] = [
      ["code", {
        account: async (...args) => ({
          ...await chain.account(...args),
          code: beginCell().storeUint(1, 1).endCell(),
        }),
      }],
      ["denomination", {
        runGetMethod: (address, method, ...rest) =>
          chain.runGetMethod(address, method === "getDenomination" ? "getNextIndex" : method, ...rest),
      }],
    ];
    for (const [what, lie] of lies) {
      await t.step(`another ${what} is chain_inconsistent`, async () => {
        await assert.rejects(
          deployPool({ ...options, chain: { ...chain, ...lie } }),
          problem("chain_inconsistent", new RegExp(`another ${what}$`)),
        );
      });
    }
  }));

Deno.test("a pool that does not appear in time is chain_unavailable", () =>
  onLocalnet(async ({ net, chain }) => {
    const deaf = { ...chain, send: () => Promise.resolve() };
    const [, { mnemonic, version }] = net.wallets;
    const lost = await openWallet(mnemonic, { version, network: "localnet", chain: deaf });
    await assert.rejects(
      deployPool({
        ...native,
        chain,
        wallet: lost,
        network: "localnet",
        amount: "6",
        pollIntervalMs: 1,
        timeoutMs: 5,
      }),
      problem("chain_unavailable", /did not appear/),
    );
  }));

Deno.test("fees follow the chain's own prices", () =>
  onLocalnet(async ({ chain }) => {
    const prices = await fetchNetworkPrices(chain);
    assert.equal(prices.gasFee(1n), 6667n); // the flat price of the first 100
    assert.equal(prices.gasFee(1_000_100n), 6667n + 66_666_672n); // 4369067 / 2^16 nano a unit, rounded up
    assert.equal(prices.storageFee({ cells: 65_536n, bits: 5n, seconds: 10n }), 1350n);
  }));
