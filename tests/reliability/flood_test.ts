/** Floods of requests: equal concurrent withdrawals, and invalid proofs. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { HourlyCaps } from "../../src/relay/withdrawals/hourly_caps.ts";
import { createMemoryRateLimitStore } from "../../src/store/memory/memory_rate_limit_store.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import { connectRedisRateLimitStore } from "../../src/store/redis/redis_rate_limit_store.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import type { CallOptions, Chain } from "../../src/ton/chain.ts";
import {
  freshDatabase,
  freshRedisNamespace,
  postgresServer,
  redisServer,
} from "../../testkit/servers/services.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);

/** Counts the chain calls that API requests cause. */
function counted(calls: string[]) {
  const count = (call: string, options?: CallOptions) => void (options?.lowPriority && calls.push(call));
  return (chain: Chain): Chain =>
    withMethods(chain, {
      account: (address, options) => (count("account", options), chain.account(address, options)),
      runGetMethod: (address, method, args, options) => (
        count(method, options), chain.runGetMethod(address, method, args, options)
      ),
      configParam: (id, options) => (count(`config ${id}`, options), chain.configParam(id, options)),
    });
}

/** Returns the maximum number of reads by the monitor of the pools' funds: one per pool every two seconds. */
function monitorReads(pools: number, elapsedMs: number): number {
  return pools * (1 + Math.floor(elapsedMs / 2_000));
}

type Sent = Awaited<ReturnType<RelayerHarness["withdrawal"]>>;

/** Sends 200 equal withdrawals at once: one is accepted, 199 get 409 with its state. */
async function flood(net: RelayerHarness, body: Sent): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 200 }, () => net.post("/withdraw", body)));
  const statuses = answers.map(({ status }) => status);
  equal(statuses.filter((status) => status === 200 || status === 202).length, 1, String(statuses));
  const refused = answers.filter(({ status }) => status === 409);
  equal(refused.length, 199, String(statuses));
  for (const { body } of refused) {
    equal(body.code, "nullifier_already_used");
    ok(["accepted", "broadcast", "confirmed"].includes(body.withdrawal.state), JSON.stringify(body));
  }
}

Deno.test("floods of withdrawals", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  // The cap admits exactly the two honest withdrawals of this test.
  const calls: string[] = [];
  await net.startRelayer({
    caps: new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 2, hourlyPerPool: 2 }),
    chain: counted(calls),
  });
  const [first, second, third] = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const bodyOf = (note: typeof first) => net.withdrawal(KEY, note, { recipient });
  const [one, two, three] = [await bodyOf(first), await bodyOf(second), await bodyOf(third)];

  let elapsedMs = 0;
  await t.step("of 200 equal requests at once one is accepted, and 199 get 409 with its state", async () => {
    calls.length = 0;
    const began = Date.now();
    await flood(net, one);
    elapsedMs = Date.now() - began;
  });

  await t.step("they query the endpoint as often as a single one: each getter once", () => {
    ok(calls.includes("getIsSpent") && calls.includes("get_pool_info"), String(calls));
    const monitored = monitorReads(net.localnet.deployments.pools.size, elapsedMs);
    for (const method of new Set(calls)) {
      const times = calls.filter((each) => each === method).length;
      const isMonitored = method === "get_pool_info" || method === "account";
      ok(times <= 1 + (isMonitored ? monitored : 0), `${method}: ${times} in ${elapsedMs} ms: ${calls}`);
    }
  });

  await t.step(
    "invalid proofs add no row, use up no cap, and at most fill the verifier's queue",
    async () => {
      const { pi_a, pi_c } = two.proof;
      const garbage = Array.from({ length: 200 }, (_, i) => ({
        ...two,
        proof: { ...two.proof, pi_a: pi_c, pi_c: pi_a },
        publicSignals: two.publicSignals.with(1, String(1_000 + i)),
      }));
      const before = await net.store.liveJobs();
      const answers = await Promise.all(garbage.map((body) => net.post("/withdraw", body)));
      const codes = new Set(answers.map(({ body }) => body.code));
      deepEqual([...codes].sort(), ["proof_invalid", "verification_busy"]);
      for (const { status, headers } of answers) {
        if (status === 503) equal(headers.get("retry-after"), "1");
        else equal(status, 422);
      }
      ok((await net.store.liveJobs()).length <= before.length);
      for (const { publicSignals } of garbage.slice(0, 20)) {
        const nullifierHash = BigInt(publicSignals[1]);
        equal(await net.store.job({ pool: net.pool(KEY).address.toRawString(), nullifierHash }), undefined);
      }
    },
  );

  await t.step("a valid withdrawal after the floods is accepted under the caps", async () => {
    const { status, body } = await net.post("/withdraw", two);
    ok(status === 200 || status === 202, JSON.stringify(body));
  });

  await t.step("the next one exceeds the cap: 429 with the seconds until the hour ends", async () => {
    const { status, body, headers } = await net.post("/withdraw", three);
    deepEqual([status, body.code], [429, "hourly_cap_reached"]);
    const seconds = Number(headers.get("retry-after"));
    ok(seconds > 3_000 && seconds <= 3_600, String(seconds));
  });
});

Deno.test("a fee below the cost is refused without querying the endpoint each time", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const { network, pools } = net.localnet.deployments;
  const calls: string[] = [];
  await net.startRelayer({
    chain: counted(calls),
    deployments: { network, pools: new Map([[KEY, { ...pools.get(KEY)!, feeMin: 1n }]]) },
  });
  const note = await net.deposit(KEY);
  await net.untilIndexed(KEY);
  // Above the floor of half a percent and below what the chain takes. The fees differ, so no two requests are
  // equal.
  const bodies = [];
  for (let i = 0n; i < 4n; i++) {
    bodies.push(await net.withdrawal(KEY, note, { recipient, fee: 5_000_000n + i }));
  }
  const startup = calls.splice(0);
  const began = Date.now();
  for (const body of [...bodies, ...bodies, ...bodies]) {
    const answer = await net.post("/withdraw", body);
    deepEqual([answer.status, answer.body.code], [503, "fee_below_cost"]);
  }
  const elapsedMs = Date.now() - began;
  const isPrice = (call: string) => call.startsWith("config ");
  deepEqual(
    [...startup, ...calls].filter(isPrice).toSorted(),
    ["config 18", "config 21", "config 24", "config 25"],
    "each price is read once",
  );
  const windows = 1 + Math.floor(elapsedMs / 5_000); // the cache keeps answers for this time
  const monitored = monitorReads(pools.size, elapsedMs);
  const most = { getIsSpent: windows, get_withdraw_value: windows, get_pool_info: windows + monitored };
  for (const [method, limit] of Object.entries(most)) {
    const times = calls.filter((call) => call === method).length;
    ok(times <= limit, `${method} ${times} times in ${elapsedMs} ms: ${calls}`);
  }
});

Deno.test({
  name: "floods: 200 equal withdrawals at once, on PostgreSQL and with caps in Redis, get no 503",
  ignore: !await postgresServer() || !await redisServer(),
  async fn() {
    await using database = await freshDatabase();
    await using place = await freshRedisNamespace();
    const shared = await connectRedisRateLimitStore(place.url, { prefix: place.prefix, log: rootLog() });
    try {
      await using net = await RelayerHarness.start({ relayer: false });
      await net.startRelayer({
        openStore: () => openPostgresStore(database.url),
        caps: new HourlyCaps(shared, { hourly: 1_000, hourlyPerPool: 500 }),
      });
      const note = await net.deposit(KEY);
      await net.untilIndexed(KEY);
      await flood(net, await net.withdrawal(KEY, note, { recipient }));
    } finally {
      await shared.close();
    }
  },
});
