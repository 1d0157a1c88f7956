/** The indexer on a localnet, with wrong pools, an endpoint with false roots, and a restart. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address, TupleReader } from "@ton/core";
import type { Deployment } from "../../src/core/protocol/deployments.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { MERKLE_TREE_HEIGHT } from "../../src/core/tree/merkle_tree.ts";
import { PoolTree } from "../../src/relay/indexer/tree/pool_tree.ts";
import { encodeSnapshot } from "../../src/tree/snapshot_codec.ts";
import { readLeaves } from "../../testkit/relayer/leaf_batches.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const OTHER = "native-10";
const nobody = Address.parse(`0:${"77".repeat(32)}`);

const wrong: [
  what: string,
  says: RegExp,
  change: (pool: Deployment, other: Deployment) => Partial<Deployment>,
][] = [
  ["code", /its code is/, () => ({ codeHash: "0".repeat(64) })],
  ["verification keys", /other verification keys/, () => ({ vkeyHash: "0".repeat(64) })],
  [
    "denomination",
    /its denomination is 10000000000, not 1000000000/,
    (_, other) => ({ address: other.address }),
  ],
  ["address", /its account is uninitialized/, () => ({ address: nobody })],
];

Deno.test("a pool that differs from the registry is refused by name and not offered", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  const [pool, other] = [net.pool(KEY), net.pool(OTHER)];
  for (const [what, says, change] of wrong) {
    await t.step(`another ${what}`, async () => {
      const different = { ...pool, ...change(pool, other) };
      const pools = new Map([[KEY, different], ["native-0.1", net.pool("native-0.1")]]);
      await net.startRelayer({ deployments: { network: "localnet", pools } });
      await waitUntil("the good pool is ready", () => net.relayer.readiness().pools["native-0.1"].ready);
      await waitUntil("the wrong one is refused", async () => !(KEY in (await net.get("/pools")).body.pools));
      match((await net.get("/readyz")).body.pools[KEY].reason, says);
      match((await net.get("/readyz")).body.pools[KEY].reason, /native-1 is refused/);
      const query = `pool=${encodeURIComponent(different.address.toString())}`;
      equal((await net.get(`/tree/root?${query}`)).body.code, "unknown_pool");
      await net.relayer.close();
    });
  }
});

Deno.test("a root that is not on chain makes only that pool not ready, until it is", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  let lying = true;
  await net.startRelayer({
    chain: (chain) =>
      withMethods(chain, {
        runGetMethod: (address, method, args, options) =>
          lying && method === "get_root_history" && address.equals(net.pool(KEY).address)
            ? Promise.resolve(new TupleReader([{ type: "tuple", items: liesOf(5n) }]))
            : chain.runGetMethod(address, method, args, options),
      }),
  });
  const root = (key: string) =>
    net.get(`/tree/root?pool=${encodeURIComponent(net.pool(key).address.toString())}`);
  await waitUntil("the other pool is ready", async () => (await root(OTHER)).status === 200);
  await waitUntil(
    "the mismatch is noticed",
    async () => /is not on chain/.test((await net.get("/readyz")).body.pools[KEY].reason ?? ""),
  );
  deepEqual([(await root(KEY)).status, (await root(KEY)).body.code], [503, "not_ready"]);
  equal((await root(OTHER)).status, 200);
  lying = false;
  await waitUntil("the pool is ready again", async () => (await root(KEY)).status === 200);
});

Deno.test("a restart continues from the cursor, and reads nothing again", async () => {
  await using net = await RelayerHarness.start();
  const notes = [await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const cursor = await net.store.cursor(net.pool(KEY).address.toRawString());
  await net.relayer.close();
  const largest: number[] = [];
  await net.startRelayer({
    chain: (chain) =>
      withMethods(chain, {
        transactions(address, options) {
          if (address.equals(net.pool(KEY).address)) largest.push(options.limit);
          return chain.transactions(address, options);
        },
      }),
  });
  await net.untilIndexed(KEY);
  deepEqual(await net.store.cursor(net.pool(KEY).address.toRawString()), cursor);
  deepEqual([...new Set(largest)], [1]);
  const { body } = await net.get(
    `/tree/commitments?pool=${encodeURIComponent(net.pool(KEY).address.toString())}`,
  );
  deepEqual(
    body.commitments.map(({ commitment }: { commitment: string }) => commitment),
    notes.map(({ commitment }) => fieldToHex(commitment)),
  );
});

Deno.test("a cold start over a failing endpoint resumes where it stopped, and reports its progress", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  for (let i = 0; i < 3; i++) await net.deposit(KEY);
  const pool = net.pool(KEY).address;
  const pages: string[] = [];
  let calls = 0;
  const looked = Promise.withResolvers<void>();
  await net.startRelayer({
    chain: (chain) =>
      withMethods(chain, {
        async transactions(address, options) {
          if (!address.equals(pool) || options.limit === 1) return await chain.transactions(address, options);
          if (++calls === 4) await looked.promise;
          if (calls % 3 === 2) throw new Problem("chain_unavailable");
          pages.push(options.from!.hash);
          return await chain.transactions(address, { ...options, limit: 1 });
        },
      }),
  });
  try {
    await waitUntil(
      "the scan reports its progress in both attempts",
      async () => /: 2 transactions seen/.test((await net.get("/readyz")).body.pools[KEY].reason ?? ""),
    );
  } finally {
    looked.resolve();
  }
  await net.untilIndexed(KEY);
  deepEqual(pages, [...new Set(pages)]);
});

/** Returns a history with a root that no pool has had. */
function liesOf(root: bigint) {
  return Array.from({ length: 30 }, (_, i) => ({ type: "int" as const, value: i === 0 ? root : 0n }));
}

Deno.test("a sealed snapshot of these leaves with another root is ignored, and the rows are used", async () => {
  await using net = await RelayerHarness.start();
  await net.deposit(KEY);
  await net.deposit(KEY);
  await net.untilIndexed(KEY);
  const pool = net.pool(KEY).address.toRawString();
  const forged = new PoolTree();
  await forged.append(await readLeaves(net.store, pool));
  await net.relayer.close();
  const levels = forged.levels.map((nodes) => nodes.slice());
  levels[MERKLE_TREE_HEIGHT][31] ^= 1;
  let read = 0;
  const key = new Uint8Array(32);
  const bytes = await encodeSnapshot({ pool, size: 2, levels, timestamps: forged.times }, key);
  await net.startRelayer({
    snapshots: {
      sealKey: key,
      load: (id) => Promise.resolve(id === pool && ++read ? bytes : undefined),
      save: () => Promise.resolve(),
    },
  });
  await net.untilIndexed(KEY);
  equal(read, 1);
  const query = `pool=${encodeURIComponent(net.pool(KEY).address.toString())}`;
  equal((await net.get(`/tree/root?${query}`)).body.root, fieldToHex(net.tree(KEY).root));
});
