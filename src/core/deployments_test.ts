import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { formatDeployments, parseDeployments } from "./deployments.ts";
import { Problem } from "./errors.ts";

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
