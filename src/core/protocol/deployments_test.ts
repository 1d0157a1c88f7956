import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments, parseDeployments, poolKey } from "./deployments.ts";
import { Problem } from "../errors/problem.ts";

const registry = {
  network: "testnet",
  pools: {
    "native-10": {
      address: "0:" + "11".repeat(32),
      asset: "native",
      amount: "10",
      denomination: "10000000000",
      deployedSeqno: 7,
      codeHash: "ab".repeat(32),
      vkeyHash: "cd".repeat(32),
      owner: null,
      maxRefund: "100000000",
    },
  },
};

const pool = registry.pools["native-10"];

Deno.test("a registry survives being written and read", () => {
  const parsed = parseDeployments(registry);
  const again = parseDeployments(JSON.parse(formatDeployments(parsed)));
  assert.equal(formatDeployments(again), formatDeployments(parsed));
  assert.ok(again.pools.get("native-10")?.address.equals(Address.parse(pool.address)));
  assert.equal(again.pools.get("native-10")?.denomination, 10_000_000_000n);
  assert.equal(again.pools.get("native-10")?.owner, null);
});

Deno.test("a pool is retired by a boolean, and the registry keeps it", () => {
  const retired = (value: unknown) => ({ ...registry, pools: { "native-10": { ...pool, retired: value } } });
  const parsed = parseDeployments(JSON.parse(formatDeployments(parseDeployments(retired(true)))));
  assert.equal(parsed.pools.get("native-10")?.retired, true);
  assert.throws(() => parseDeployments(retired("true")), { code: "invalid_registry" });
});

const jetton = {
  ...pool,
  asset: "usdt",
  amount: "2.5",
  denomination: "2500000",
  decimals: 6,
  jettonMaster: "0:" + "22".repeat(32),
  jettonWallet: "0:" + "33".repeat(32),
};
const jettons = (change: object) => ({
  ...registry,
  pools: { "usdt-2.5": { ...jetton, ...change } },
});

Deno.test("a jetton pool is read with its master, its wallet and its decimals", () => {
  const read = parseDeployments(jettons({})).pools.get("usdt-2.5");
  assert.deepEqual([read?.denomination, read?.decimals], [2_500_000n, 6]);
  assert.ok(read?.jettonMaster?.equals(Address.parse(jetton.jettonMaster)));
});

Deno.test("a successor is listed beside the first pool, under a key with its generation", () => {
  const successor = { ...pool, address: "0:" + "44".repeat(32), generation: 1 };
  const both = parseDeployments({
    ...registry,
    pools: { "native-10": pool, "native-10-g1": successor },
  });
  assert.deepEqual([...both.pools].map(([key, { generation }]) => [key, generation]), [
    ["native-10", undefined],
    ["native-10-g1", 1],
  ]);
  assert.deepEqual([...both.pools.values()].map(poolKey), [...both.pools.keys()]);
  assert.equal(JSON.parse(formatDeployments(both)).pools["native-10-g1"].generation, 1);
});

Deno.test("a version 2 pool is listed beside the version 1 pool of its denomination", () => {
  const entries = {
    "native-10": pool,
    "native-10-v2": { ...pool, address: "0:" + "44".repeat(32), version: 2 },
    "native-10-v2-g1": { ...pool, address: "0:" + "45".repeat(32), version: 2, generation: 1 },
  };
  const read = parseDeployments({ ...registry, pools: entries });
  assert.deepEqual([...read.pools.values()].map(({ version }) => version), [undefined, 2, 2]);
  assert.deepEqual([...read.pools.values()].map(poolKey), [...read.pools.keys()]);
  assert.equal(JSON.parse(formatDeployments(read)).pools["native-10-v2"].version, 2);
});

Deno.test("a version 2 jetton pool is listed beside the version 1 pool of its denomination", () => {
  const version2 = { ...jetton, address: "0:" + "46".repeat(32), version: 2 };
  const read = parseDeployments({ ...registry, pools: { "usdt-2.5": jetton, "usdt-2.5-v2": version2 } });
  assert.deepEqual([...read.pools.values()].map(({ version }) => version), [undefined, 2]);
});

const successors = (key: string, generation: unknown) => ({
  ...registry,
  pools: { [key]: { ...pool, generation } },
});
const wrong: [string, unknown, string][] = [
  ["another network", { ...registry, network: "moon" }, "/network"],
  ["a denomination that is not its amount", {
    ...registry,
    pools: { "native-10": { ...pool, denomination: "1" } },
  }, "denomination"],
  ["a key that is not its pool's", { ...registry, pools: { "native-1": pool } }, "/pools/native-1"],
  ["an address that is none", { ...registry, pools: { "native-10": { ...pool, address: "EQ" } } }, "address"],
  [
    "a numeric denomination",
    { ...registry, pools: { "native-10": { ...pool, denomination: 10 } } },
    "denomination",
  ],
  ["a jetton pool without its master", jettons({ jettonMaster: undefined }), "/pools/usdt-2.5/jettonMaster"],
  ["a jetton pool without its wallet", jettons({ jettonWallet: undefined }), "/pools/usdt-2.5/jettonWallet"],
  ["a jetton pool without decimals", jettons({ decimals: undefined }), "/pools/usdt-2.5/decimals"],
  ["a jetton's denomination in other decimals", jettons({ decimals: 9 }), "/pools/usdt-2.5/denomination"],
  ["an amount with more places than the jetton has", jettons({ decimals: 0 }), "denomination"],
  ["a successor under the first pool's key", successors("native-10", 1), "/pools/native-10"],
  ["a generation that is not its key's", successors("native-10-g1", 2), "/pools/native-10-g1"],
  ["a generation of 0 written out", successors("native-10", 0), "generation"],
  ["a generation above the highest", successors("native-10-g256", 256), "generation"],
  ["a version 2 pool under a key of version 1", {
    ...registry,
    pools: { "native-10": { ...pool, version: 2 } },
  }, "/pools/native-10"],
  ["a version that does not exist", {
    ...registry,
    pools: { "native-10-v3": { ...pool, version: 3 } },
  }, "version"],
  ["a missing owner", { ...registry, pools: { "native-10": { ...pool, owner: undefined } } }, "owner"],
];
for (const [name, value, where] of wrong) {
  Deno.test(`a registry with ${name} is refused, and the place named`, () => {
    assert.throws(
      () => parseDeployments(value),
      (error) =>
        error instanceof Problem && error.code === "invalid_registry" && error.message.includes(where),
    );
  });
}
