import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, beginCell } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import type { DeployOptions } from "./options.ts";
import { planPool, type PoolPlan } from "./pool_plan.ts";
import { assertSafeToDeploy, checkDenomination } from "./safety_checks.ts";

const owner = new Address(0, Buffer.alloc(32, 7));
const native = planPool({ asset: "native", amount: "10", owner: null });
const sound: PoolKeys = { label: "sound", development: false, weak: false };
const MAINNET_ID = -239;
const TESTNET_ID = -3;

function deployment(
  network: DeployOptions["network"],
  globalId: number,
  { version = 12, ...change }: Partial<DeployOptions> & { readonly version?: number } = {},
) {
  const versionParam = beginCell().storeUint(0xc4, 8).storeUint(version, 32).storeUint(0, 64).endCell();
  const idParam = beginCell().storeInt(globalId, 32).endCell();
  const warnings: string[] = [];
  const checkedVersions: number[] = [];
  const options = {
    network,
    chain: { configParam: (id: number) => Promise.resolve(id === 8 ? versionParam : idParam) },
    artifacts: {},
    findKeyFault: (
      _: unknown,
      version: number,
    ) => (checkedVersions.push(version), Promise.resolve(undefined)),
    onWarning: (text: string) => warnings.push(text),
    ...change,
  } as unknown as DeployOptions;
  return { options, warnings, checkedVersions };
}

async function reasons(plans: readonly PoolPlan[], keys: readonly PoolKeys[], options: DeployOptions) {
  try {
    await assertSafeToDeploy(plans, keys, options);
    return [];
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "deployment_refused") throw error;
    return error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  }
}

Deno.test("mainnet accepts burnt owners and keys of a ceremony for each version", async () => {
  const { options, warnings, checkedVersions } = deployment("mainnet", MAINNET_ID);
  const second = planPool({ asset: "native", amount: "10", owner: null, version: 2 });
  deepEqual(await reasons([native, second, native], [sound, sound], options), []);
  deepEqual([warnings, checkedVersions], [[], [1, 2]]);
});

Deno.test("mainnet refuses an owner, development keys, and keys without a ceremony", async () => {
  const owned = planPool({ asset: "native", amount: "10", owner });
  const { options } = deployment("mainnet", MAINNET_ID);
  deepEqual(await reasons([native, owned], [sound], options), [
    "owner: a pool on mainnet has no owner: burn it",
  ]);
  const development = { label: "insecure", development: true, weak: true };
  deepEqual(await reasons([owned], [sound, development], options), [
    "owner: a pool on mainnet has no owner: burn it",
    "keys: the keys are insecure: their makers can forge withdrawals",
  ]);
  const unsigned = deployment("mainnet", MAINNET_ID, { findKeyFault: () => Promise.resolve("it is open") });
  deepEqual(await reasons([native], [sound], unsigned.options), [
    "keys: no ceremony vouches for the keys of version 1: it is open",
  ]);
});

Deno.test("mainnet warns of keys with few contributors", async () => {
  const { options, warnings } = deployment("mainnet", MAINNET_ID);
  deepEqual(await reasons([native], [{ label: "small", development: false, weak: true }], options), []);
  deepEqual(warnings, ["the keys are small: fewer contributors than mainnet requires"]);
});

Deno.test("testnet accepts an owner and development keys, without a ceremony", async () => {
  const { options, checkedVersions } = deployment("testnet", TESTNET_ID);
  const owned = planPool({ asset: "native", amount: "10", owner });
  deepEqual(await reasons([owned], [{ label: "dev", development: true, weak: true }], options), []);
  deepEqual(checkedVersions, []);
});

Deno.test("an endpoint of another network is refused; on a localnet this is not checked", async () => {
  for (const [network, id] of [["mainnet", TESTNET_ID], ["testnet", MAINNET_ID]] as const) {
    const [reason] = await reasons([native], [sound], deployment(network, id).options);
    equal(reason, `network: the endpoint serves another network than ${network} (global id ${id})`);
  }
  deepEqual(await reasons([native], [sound], deployment("localnet", 5).options), []);
});

Deno.test("every network must have the version whose instructions the contracts use", async () => {
  for (const [network, id] of [["mainnet", MAINNET_ID], ["testnet", TESTNET_ID], ["localnet", 5]] as const) {
    const { options } = deployment(network, id, { version: 11 });
    deepEqual(await reasons([native], [sound], options), [
      "network: the network runs version 11 of TVM; a pool needs 12",
    ]);
    deepEqual(await reasons([native], [sound], deployment(network, id, { version: 15 }).options), []);
  }
});

Deno.test("a registry that lists another pool under the name, or the pool under another, refuses it", async () => {
  const listed = (pools: [string, Address][], network = "testnet") =>
    deployment("testnet", TESTNET_ID, {
      registry: {
        network: network as "testnet",
        pools: new Map(pools.map(([key, address]) => [key, { address } as Deployment])),
      },
    }).options;
  const refused = (...args: Parameters<typeof listed>) => reasons([native], [sound], listed(...args));
  deepEqual(await refused([["native-10", native.address]]), []);
  const [other, ...none] = await refused([["native-10", owner]]);
  match(other, /^registry: the registry lists another pool as native-10, .*next generation/);
  deepEqual(none, []);
  deepEqual(await refused([["old-10", native.address], ["native-1", owner]]), [
    "registry: the registry already lists this pool as old-10",
  ]);
  deepEqual(await refused([["native-10", owner]], "mainnet"), [], "the registry of another network");
});

const prices = { gasFee: (gas: bigint) => 2n * gas } as NetworkPrices;

for (const [version, gas] of [[1, 356_000n], [2, 288_000n]] as const) {
  Deno.test(`a note of version ${version} is worth 36 times the gas of the most expensive withdrawal`, () => {
    const least = 36n * 2n * gas;
    const { options, warnings } = deployment("mainnet", MAINNET_ID);
    const plan = { ...native, version, denomination: least };
    checkDenomination(plan, prices, options);
    throws(() => checkDenomination({ ...plan, denomination: least - 1n }, prices, options), {
      code: "invalid_amount",
    });
    deepEqual(warnings, []);
    const test = deployment("testnet", TESTNET_ID);
    checkDenomination({ ...plan, denomination: least - 1n }, prices, test.options);
    equal(test.warnings.length, 1);
    const jetton = { master: owner, decimals: 6 };
    checkDenomination({ ...plan, denomination: 1n, jetton }, prices, options);
  });
}

Deno.test("an endpoint that does not answer stops the deployment", async () => {
  const chain = {
    configParam: () => Promise.reject(new Problem("chain_unavailable")),
  } as unknown as DeployOptions["chain"];
  const { options } = deployment("mainnet", MAINNET_ID, { chain });
  await rejects(assertSafeToDeploy([native], [sound], options), { code: "chain_unavailable" });
});
