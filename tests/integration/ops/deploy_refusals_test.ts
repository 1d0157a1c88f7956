/** Deployments that are refused before money moves. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Problem } from "../../../src/core/errors/problem.ts";
import { GAS_HIGHEST_PATH } from "../../../src/core/protocol/pool_constants.ts";
import { formatUnits } from "../../../src/core/protocol/units.ts";
import { V2_GAS_HIGHEST_PATH } from "../../../src/core/protocol/v2/pool_constants.ts";
import { findPinnedKeysFault } from "../../../src/ops/keys/pinned_keys.ts";
import { nativePoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { type ArtifactPins, type Artifacts, openArtifacts } from "../../../src/prover/artifacts.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { type DeployOptions, type DeployOrder, deployPool } from "../../../src/ops/deploy/deploy.ts";
import {
  type DeployTools,
  native,
  negatedKeys,
  onLocalnet,
  owner,
  problem,
} from "../../support/ops/deploy_localnet.ts";
import pins from "../../../artifacts/pins.json" with { type: "json" };

Deno.test("a denomination that fees would consume is refused on mainnet and causes a warning elsewhere", () =>
  onLocalnet(async ({ chain, wallet }) => {
    const warnings: string[] = [];
    const options = {
      chain,
      wallet,
      pollIntervalMs: 1,
      onWarning: (text: string) => void warnings.push(text),
      ...native,
    };
    const least = formatUnits(36n * (await fetchNetworkPrices(chain)).gasFee(GAS_HIGHEST_PATH));
    await assert.rejects(
      deployPool({ ...options, amount: "0.8", network: "mainnet" }),
      problem("invalid_amount", new RegExp(`of 0\\.8 is below ${least} GRAM:`)),
    );
    const least2 = formatUnits(36n * (await fetchNetworkPrices(chain)).gasFee(V2_GAS_HIGHEST_PATH));
    await assert.rejects(
      deployPool({ ...options, amount: "0.5", network: "mainnet", version: 2 }),
      problem("invalid_amount", new RegExp(`of 0\\.5 is below ${least2} GRAM:`)),
    );
    assert.equal(await wallet.seqno(), 0);
    await deployPool({ ...options, amount: "0.8", network: "localnet" });
    assert.equal(warnings.length, 1);
    await deployPool({ ...options, amount: "1", network: "localnet" });
    assert.equal(warnings.length, 1);
  }));

/** The committed keys, labelled as keys of a ceremony. */
const ceremony = openArtifacts(undefined, { ...pins, label: "keys of a ceremony" } as ArtifactPins);
const ceremony2 = openArtifacts(
  undefined,
  { ...pins, version2: { ...pins.version2, label: "keys of a ceremony" } } as ArtifactPins,
);

const refusals: [
  what: string,
  options: Partial<DeployOptions>,
  spec: { owner?: Address; amount?: string; version?: 2 },
  RegExp,
][] = [
  ["development keys on mainnet", { network: "mainnet" }, {}, /keys, insecure: their makers can forge/],
  [
    "keys without the transcript of a ceremony on mainnet",
    { network: "mainnet", artifacts: ceremony },
    {},
    /no ceremony vouches for the keys of version 1: keys have no transcript/,
  ],
  [
    "development keys of version 2 on mainnet, whatever those of version 1 are",
    { network: "mainnet", artifacts: ceremony },
    { version: 2 },
    /keys, insecure: their makers can forge/,
  ],
  [
    "keys of version 2 without the transcript of a ceremony on mainnet, though version 1 has one",
    {
      network: "mainnet",
      artifacts: ceremony2,
      findKeyFault: async (artifacts, version) =>
        version === 2 ? await findPinnedKeysFault(artifacts, 2) : undefined,
    },
    { version: 2 },
    /no ceremony vouches for the keys of version 2: keys have no transcript/,
  ],
  [
    "a pool with an owner on mainnet",
    { network: "mainnet", artifacts: ceremony },
    { owner },
    /mainnet has no owner/,
  ],
  [
    "an endpoint of another network",
    { network: "testnet" },
    {},
    /serves another network than testnet .*-239/,
  ],
  [
    "a pool that would replace another in the registry",
    {
      registry: {
        network: "localnet",
        pools: new Map([["native-7", {
          ...native,
          address: owner,
          amount: "7",
          denomination: 7_000_000_000n,
          deployedSeqno: 1,
          codeHash: "",
          vkeyHash: "",
        }]]),
      },
    },
    {},
    /lists another pool as native-7/,
  ],
];

const localnetOptions = ({ chain, wallet }: DeployTools) =>
  ({ chain, wallet, network: "localnet", pollIntervalMs: 1 }) as const;

Deno.test("unsafe deployments are refused before coins are sent", (t) =>
  onLocalnet(async (tools) => {
    await refusesUnsafe(t, tools);
    await refusesForeignKeys(t, tools);
    await deploysOnMainnet(t, tools);
  }));

async function refusesUnsafe(t: Deno.TestContext, tools: DeployTools): Promise<void> {
  const options = localnetOptions(tools);
  const { wallet } = tools;
  for (const [what, change, spec, message] of refusals) {
    await t.step(what, async () => {
      const deployment = deployPool({ ...options, ...native, amount: "7", ...change, ...spec });
      await assert.rejects(deployment, (error: Problem) => {
        assert.equal(error.code, "deployment_refused");
        assert.match(error.errors.map(({ detail }) => detail).join(), message);
        return true;
      });
    });
  }
  await t.step("all reasons are reported at once", async () => {
    await assert.rejects(
      deployPool({ ...options, ...native, amount: "7", network: "mainnet", owner }),
      (error: Problem) => {
        assert.deepEqual(error.errors.map(({ pointer }) => pointer), ["owner", "keys"]);
        return true;
      },
    );
  });
  await t.step("a denomination of zero", async () => {
    await assert.rejects(deployPool({ ...options, ...native, amount: "0" }), problem("invalid_amount"));
  });
  await t.step("a deployment that is not confirmed", async () => {
    const orders: DeployOrder[] = [];
    const confirm = (order: DeployOrder) => {
      orders.push(order);
      return Promise.reject(new Problem("confirmation_required"));
    };
    await assert.rejects(
      deployPool({ ...options, ...native, amount: "7", confirm }),
      problem("confirmation_required"),
    );
    const [{ pools: [{ address, amount }], value, balance, keys }] = orders;
    assert.ok(address.equals(nativePoolAddress({ denomination: 7_000_000_000n, owner: null })));
    assert.deepEqual([amount, value, balance, keys], [
      "7",
      2_500_000_000n,
      10_000_000_000_000n,
      "development keys, insecure",
    ]);
  });
  assert.equal(await wallet.seqno(), 0);
}

async function refusesForeignKeys(t: Deno.TestContext, tools: DeployTools): Promise<void> {
  const options = localnetOptions(tools);
  const { wallet } = tools;
  await t.step("keys that are not in the code that would be sent", async () => {
    const pools = [{ ...native, amount: "7" }, {
      asset: "jettoken",
      amount: "7",
      owner: null,
      jetton: { master: owner, decimals: 9 },
    }];
    for (const pool of pools) {
      for (const network of ["localnet", "mainnet"] as const) {
        await assert.rejects(
          deployPool({ ...options, ...pool, network, artifacts: negatedKeys(ceremony) }),
          problem("artifact_corrupted", /does not hold the verification key of withdraw/),
        );
      }
    }
  });
  assert.equal(await wallet.seqno(), 0);
}

async function deploysOnMainnet(t: Deno.TestContext, tools: DeployTools): Promise<void> {
  const options = localnetOptions(tools);
  const { wallet } = tools;
  await t.step("a burned pool with keys of a ceremony is deployed on mainnet", async () => {
    const network = "mainnet";
    const findNoFault = () => Promise.resolve(undefined); // no code has keys of a ceremony yet
    await deployPool({
      ...options,
      ...native,
      amount: "7",
      network,
      artifacts: ceremony,
      findKeyFault: findNoFault,
    });
    assert.equal(await wallet.seqno(), 1);
  });
  await t.step(
    "a burned pool of version 2 is deployed on mainnet if the ceremony of version 2 is sound",
    async () => {
      const versions: number[] = [];
      await deployPool({
        ...options,
        ...native,
        ...{ amount: "7", network: "mainnet", version: 2, artifacts: ceremony2 } as const,
        findKeyFault: (_artifacts, version) => Promise.resolve(void versions.push(version)),
      });
      assert.deepEqual([versions, await wallet.seqno()], [[2], 2]);
    },
  );
  await t.step("keys of too few contributors cause a warning on mainnet, before money moves", async () => {
    const weak = openArtifacts(undefined, { ...pins, label: "weak keys of a ceremony" } as ArtifactPins);
    const warnings: string[] = [];
    const warningsAtConfirm: number[] = [];
    const deploy = async (artifacts: Artifacts, amount: string) => {
      await deployPool({
        ...options,
        ...native,
        amount,
        artifacts,
        network: "mainnet",
        findKeyFault: () => Promise.resolve(undefined),
        onWarning: (text) => void warnings.push(text),
        confirm: () => Promise.resolve(void warningsAtConfirm.push(warnings.length)),
      });
    };
    await deploy(ceremony, "8");
    assert.deepEqual(warnings, []);
    await deploy(weak, "9");
    assert.deepEqual(warnings, [
      "the keys are weak keys of a ceremony: fewer contributors than mainnet requires",
    ]);
    assert.deepEqual(warningsAtConfirm, [0, 1]);
  });
}

Deno.test("a wallet with too few coins gets the required amount, and sends nothing", () =>
  onLocalnet(async ({ net, chain }) => {
    const words = [...net.relayer.mnemonic.split(" ")].reverse().join(" ");
    const poor = await openWallet(words, { version: "v4R2", network: "localnet", chain });
    await assert.rejects(
      deployPool({ ...native, chain, wallet: poor, network: "localnet", amount: "1" }),
      problem("insufficient_funds", /holds 0 GRAM, the pools need 2\.5 GRAM/),
    );
    // With exactly what the pools need, nothing is left for the fees.
    const exact = { ...poor, balance: () => Promise.resolve(2_500_000_000n) };
    await assert.rejects(
      deployPool({ ...native, chain, wallet: exact, network: "localnet", amount: "1" }),
      problem("insufficient_funds", /holds 2\.5 GRAM, the pools need 2\.5 GRAM/),
    );
  }));
