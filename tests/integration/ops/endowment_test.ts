/** Anyone can deploy a pool's first state. The deploy command then brings the pool's coins to the endowment. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import type { DeployOrder } from "../../../src/ops/deploy/options.ts";
import { planPool, type PoolSpec } from "../../../src/ops/deploy/pool_plan.ts";
import { withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const kinds: [
  name: string,
  spec: (master: NonNullable<PoolSpec["jetton"]>) => PoolSpec,
  endowment: string,
][] = [
  ["native", () => ({ asset: "native", amount: "5", owner: null }), "2.5"],
  ["native version 2", () => ({ asset: "native", amount: "5", owner: null, version: 2 }), "6.5"],
  ["jetton", (jetton) => ({ asset: "jet", amount: "2.5", owner: null, jetton }), "7.43"],
  [
    "jetton version 2",
    (jetton) => ({ asset: "jet", amount: "2.5", owner: null, jetton, version: 2 }),
    "6.76",
  ],
];
for (const [name, specOf, endowment] of kinds) {
  Deno.test(`a ${name} pool that a stranger deployed with few coins gets its endowment, once`, () =>
    withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
      const spec = specOf({ master: net.jetton.master, decimals: 6 });
      const plan = planPool(spec);
      const address = await deploy(plan.init, toNano("0.05"));
      assert.ok(address.equals(plan.address));
      const orders: DeployOrder[] = [];
      const options = {
        chain,
        wallet,
        network: "localnet",
        pollIntervalMs: 1,
        confirm: (order: DeployOrder) => Promise.resolve(void orders.push(order)),
      } as const;
      const deployment = await deployPool({ ...options, ...spec });
      assert.ok(deployment.address.equals(address));
      const { balance } = await chain.account(address);
      assert.ok(balance > toNano(endowment) - toNano("0.06"), `${balance}`);
      assert.ok(balance < toNano(endowment) + toNano("0.25"), `${balance}`);
      const [{ pools, topUps, value }] = orders;
      assert.deepEqual([orders.length, pools.length, topUps.length], [1, 0, 1]);
      assert.ok(topUps[0].address.equals(address) && value >= topUps[0].value);
      assert.ok(topUps[0].value > toNano(endowment) - toNano("0.1"), `${topUps[0].value}`);

      await deployPool({ ...options, ...spec });
      for (const order of orders.slice(1)) {
        assert.deepEqual(
          [order.topUps, order.movesUnit],
          [[], false],
          "only the least payout is tried again",
        );
      }
    }));
}
