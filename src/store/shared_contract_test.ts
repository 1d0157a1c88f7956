/** What every {@link Shared} must do: the same claims of memory and of a real Redis server. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { freshPrefix, redisServer } from "../../tests/support/services.ts";
import { rootLog } from "../telemetry/log.ts";
import { memoryShared } from "./memory/memory_shared.ts";
import { redisShared } from "./redis/redis_shared.ts";
import type { Allowance, Shared } from "./shared.ts";

const ignore = !await redisServer();

/** Opens two replicas of a relayer, and one of another; all keys are removed afterwards. */
async function withRedis(act: (replicas: readonly Shared[], stranger: Shared) => Promise<void>) {
  await using place = await freshPrefix();
  const open = (name: string) => redisShared(place.url, { prefix: place.prefix + name, log: rootLog() });
  const opened = [await open("ours"), await open("ours"), await open("stranger")];
  try {
    await act(opened.slice(0, 2), opened[2]);
  } finally {
    for (const shared of opened) await shared.close();
  }
}

type Act = (shared: Shared) => Promise<void>;
const adapters: [name: string, ignore: boolean, withOne: (act: Act) => Promise<void>][] = [
  ["memory", false, (act) => act(memoryShared())],
  ["redis", ignore, (act) => withRedis(([shared]) => act(shared))],
];
const allowance = (times: number, more: Partial<Allowance> = {}): Allowance => ({
  name: "test",
  times,
  seconds: 60,
  ...more,
});

for (const [name, ignore, withOne] of adapters) {
  const claim = (what: string, act: Act) =>
    Deno.test({ name: `shared (${name}): ${what}`, ignore, fn: () => withOne(act) });

  claim("allows as often as the bound says, then refuses and says how long", async (shared) => {
    for (let i = 0; i < 3; i++) deepEqual(await shared.take(allowance(3), "a"), { allowed: true });
    const refused = await shared.take(allowance(3), "a");
    ok(!refused.allowed && refused.retryAfter >= 1 && refused.retryAfter <= 60, JSON.stringify(refused));
  });

  claim("counts each key and each bound alone", async (shared) => {
    await shared.take(allowance(1), "a");
    equal((await shared.take(allowance(1), "b")).allowed, true);
    equal((await shared.take(allowance(1, { name: "other" }), "a")).allowed, true);
    equal((await shared.take(allowance(1), "a")).allowed, false);
  });

  claim("of many at once exactly as many get in as the bound allows", async (shared) => {
    const taken = await Promise.all(Array.from({ length: 200 }, () => shared.take(allowance(7), "a")));
    equal(taken.filter(({ allowed }) => allowed).length, 7);
  });

  claim("what is given back may be taken again, however often it was refused in between", async (shared) => {
    await shared.take(allowance(1), "a");
    for (let i = 0; i < 20; i++) await shared.take(allowance(1), "a");
    await shared.giveBack(allowance(1), "a");
    deepEqual([
      (await shared.take(allowance(1), "a")).allowed,
      (await shared.take(allowance(1), "a")).allowed,
    ], [true, false]);
  });

  claim("forgets when its time is over", async (shared) => {
    await shared.take(allowance(1, { seconds: 1 }), "a");
    equal((await shared.take(allowance(1, { seconds: 1 }), "a")).allowed, false);
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // the server's own clock decides
    equal((await shared.take(allowance(1, { seconds: 1 }), "a")).allowed, true);
  });

  claim("answers a ping", (shared) => shared.ping());
}

Deno.test({
  name: "shared (redis): replicas count together, relayers of another prefix apart",
  ignore,
  fn: () =>
    withRedis(async ([one, two], stranger) => {
      equal((await one.take(allowance(1), "a")).allowed, true);
      equal((await two.take(allowance(1), "a")).allowed, false);
      equal((await stranger.take(allowance(1), "a")).allowed, true);
    }),
});

Deno.test("shared (redis): a server that is not there fails soon, by name, and is no reason not to start", async () => {
  using nobody = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = nobody.addr;
  nobody.close();
  const shared = await redisShared(`redis://127.0.0.1:${port}`, { prefix: "x", log: rootLog() });
  await rejects(shared.take(allowance(1), "a"), { code: "cache_unavailable" });
  await rejects(shared.giveBack(allowance(1), "a"), { code: "cache_unavailable" });
  await rejects(shared.ping(), { code: "cache_unavailable" });
  await shared.close();
});

Deno.test("shared (redis): a server that accepts and never answers fails soon", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) held.push(connection);
  })();
  const shared = await redisShared(`redis://127.0.0.1:${silent.addr.port}`, { prefix: "x", log: rootLog() });
  await rejects(shared.take(allowance(1), "a"), { code: "cache_unavailable" });
  silent.close();
  await accepting;
  for (const connection of held) connection.close();
  await shared.close();
});
