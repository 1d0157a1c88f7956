import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { Address, beginCell, Cell } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { formatUnits } from "../../../src/core/protocol/units.ts";
import { type Localnet, startLocalnet } from "../../../src/localnet/localnet.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { loadPoolCode, nativePoolAddress } from "../../../src/ton/pool/state_init.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import pins from "../../../artifacts/pins.json" with { type: "json" };
import { type ArtifactPins, type Artifacts, openArtifacts } from "../../../src/prover/artifacts.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet } from "../../../src/ton/wallet/wallet.ts";
import {
  type DeployOptions,
  type DeployOrder,
  deployPool,
  deployPools,
  GAS_HIGHEST_PATH,
} from "../../../src/ops/deploy/deploy.ts";
import { checkPoolKeys } from "../../../src/ops/keys/pool_keys.ts";

const owner = Address.parse("0:" + "0a".repeat(32));
const native = { asset: "native", owner: null } as const;

async function onLocalnet(
  test: (tools: { net: Localnet; chain: Chain; wallet: Wallet }) => Promise<void>,
  options: Parameters<typeof startLocalnet>[0] = {},
) {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [], ...options });
  const chain = connect({ network: "localnet", endpoint: net.url });
  const { mnemonic, version } = net.wallets[0];
  try {
    await test({ net, chain, wallet: await openWallet(mnemonic, { version, network: "localnet", chain }) });
  } finally {
    await net.close();
  }
}

function problem(code: ProblemCode, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === code, String(error));
    assert.match(error.message, message);
    return true;
  };
}

Deno.test("the gas of the dearest withdrawal is the contract's own constant", async () => {
  const source = await Deno.readTextFile(new URL("../../../contracts/fees.tolk", import.meta.url));
  assert.equal(/^const GAS_HIGHEST_PATH = (\d+)$/m.exec(source)?.[1], String(GAS_HIGHEST_PATH));
});

Deno.test("deploying a pool", (t) =>
  onLocalnet(async ({ chain, wallet }) => {
    const options = { chain, wallet, network: "localnet", pollIntervalMs: 1 } as const;
    const before = await chain.masterchainSeqno();
    const deployment = await deployPool({ ...options, ...native, amount: "5" });

    await t.step("tells what the registry needs", () => {
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

    await t.step("leaves it with its first years of storage", async () => {
      const { balance } = await chain.account(deployment.address);
      assert.ok(balance > 2_490_000_000n && balance <= 2_500_000_000n, String(balance));
    });

    await t.step("a second run finds it, sends nothing and keeps the seqno of the registry", async () => {
      const seqno = await wallet.seqno();
      const known = { network: "localnet", pools: new Map([["native-5", deployment]]) } as const;
      const again = await deployPool({ ...options, ...native, amount: "5", registry: known });
      assert.equal(again.deployedSeqno, deployment.deployedSeqno);
      assert.equal(await wallet.seqno(), seqno);
    });

    await t.step("several take one transfer, and only those that are missing are sent", async () => {
      const seqno = await wallet.seqno();
      const pools = ["2", "5", "3"].map((amount) => ({ ...native, amount }));
      const deployed = await deployPools({ ...options, pools });
      assert.deepEqual(deployed.map(({ amount }) => amount), ["2", "5", "3"]);
      assert.equal(await wallet.seqno(), seqno + 1);
      const history = await chain.transactions(deployment.address, { limit: 10 });
      assert.equal(history.length, 1);
    });

    await t.step("a successor is another pool of the same, and is found again", async () => {
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
    });

    await t.step("a generation that has none before it is told of", async () => {
      const warnings: string[] = [];
      const warn = (text: string) => void warnings.push(text);
      await deployPool({ ...options, ...native, amount: "5", generation: 9, onWarning: warn });
      assert.match(warnings.join(), /^there is no pool of generation 8 /);
    });

    await t.step("an owner is kept when one is given, and makes another pool", async () => {
      const owned = await deployPool({ ...options, asset: "native", amount: "5", owner });
      assert.ok(!owned.address.equals(deployment.address));
      assert.ok((await new Pool(chain, owned.address).getPoolInfo()).owner?.equals(owner));
    });
  }));

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
      problem("invalid_amount", new RegExp(`of 0\\.8 is below ${least}:`)),
    );
    assert.equal(await wallet.seqno(), 0);
    await deployPool({ ...options, amount: "0.8", network: "localnet" });
    assert.equal(warnings.length, 1);
    await deployPool({ ...options, amount: "1", network: "localnet" });
    assert.equal(warnings.length, 1);
  }));

/** The committed keys, as if many people had made them. */
const ceremony = openArtifacts(undefined, { ...pins, label: "keys of a ceremony" } as ArtifactPins);

const refusals: [
  what: string,
  options: Partial<DeployOptions>,
  spec: { owner?: Address; amount?: string },
  RegExp,
][] = [
  ["development keys on mainnet", { network: "mainnet" }, {}, /keys, insecure: their makers can forge/],
  [
    "keys without the transcript of a ceremony on mainnet",
    { network: "mainnet", artifacts: ceremony },
    {},
    /no ceremony vouches for the keys: keys have no transcript/,
  ],
  ["a kept owner on mainnet", { network: "mainnet", artifacts: ceremony }, { owner }, /mainnet has no owner/],
  [
    "an endpoint of another network",
    { network: "testnet" },
    {},
    /serves another network than testnet .*-239/,
  ],
  [
    "a pool that would take another's place in the registry",
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
Deno.test("what is unsafe is refused before money moves", (t) =>
  onLocalnet(async ({ chain, wallet }) => {
    const options = { chain, wallet, network: "localnet", pollIntervalMs: 1 } as const;
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
    await t.step("all reasons are given at once", async () => {
      await assert.rejects(
        deployPool({ ...options, ...native, amount: "7", network: "mainnet", owner }),
        (error: Problem) => {
          assert.deepEqual(error.errors.map(({ pointer }) => pointer), ["owner", "keys"]);
          return true;
        },
      );
    });
    await t.step("a denomination of nothing", async () => {
      await assert.rejects(deployPool({ ...options, ...native, amount: "0" }), problem("invalid_amount"));
    });
    await t.step("and what nobody agreed to", async () => {
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
    await t.step("keys that are not in the very code that would be sent", async () => {
      const pools = [{ ...native, amount: "7" }, {
        ...{ asset: "jettoken", amount: "7", owner: null },
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
    await t.step("a burned pool with keys of a ceremony is deployed on mainnet", async () => {
      const network = "mainnet";
      const vouch = () => Promise.resolve(undefined); // there is no code yet with keys that a ceremony made
      await deployPool({
        ...options,
        ...native,
        amount: "7",
        network,
        artifacts: ceremony,
        findKeyFault: vouch,
      });
      assert.equal(await wallet.seqno(), 1);
    });
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
  }));

/** Keys with one point negated, behind an artifact store that does not notice. */
function negatedKeys(real: Artifacts): Artifacts {
  return {
    ...real,
    async load(name) {
      const key = JSON.parse(new TextDecoder().decode(await real.load(name)));
      key.IC[1][1] = String(BASE_FIELD_MODULUS - BigInt(key.IC[1][1]));
      return new TextEncoder().encode(JSON.stringify(key)) as Uint8Array<ArrayBuffer>;
    },
  };
}

Deno.test("the pool's code holds the pinned verification keys", async (t) => {
  const build = loadPoolCode();
  assert.deepEqual(await checkPoolKeys(), {
    label: "development keys, insecure",
    development: true,
    weak: false,
  });
  const real = openArtifacts();
  const other = "00".repeat(32);
  /** The code with a point of another key in a further cell. */
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
  for (const [what, artifacts, code, message] of misfits) {
    await t.step(`${what} is artifact_corrupted`, async () => {
      await assert.rejects(checkPoolKeys(artifacts, code), problem("artifact_corrupted", message));
    });
  }
});

Deno.test("dearer storage takes a larger first balance", () =>
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

Deno.test("a wallet without the means is told what it needs, and sends nothing", () =>
  onLocalnet(async ({ net, chain }) => {
    const words = [...net.relayer.mnemonic.split(" ")].reverse().join(" ");
    const poor = await openWallet(words, { version: "v4R2", network: "localnet", chain });
    await assert.rejects(
      deployPool({ ...native, chain, wallet: poor, network: "localnet", amount: "1" }),
      problem("insufficient_funds", /holds 0, the pools need 2\.5/),
    );
    // Exactly what the pools need leaves nothing for the fees.
    const exact = { ...poor, balance: () => Promise.resolve(2_500_000_000n) };
    await assert.rejects(
      deployPool({ ...native, chain, wallet: exact, network: "localnet", amount: "1" }),
      problem("insufficient_funds", /holds 2\.5, the pools need 2\.5/),
    );
  }));

Deno.test("what stands on chain must be what was built here", (t) =>
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
