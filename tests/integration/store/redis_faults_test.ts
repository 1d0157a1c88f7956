/** Redis servers that answer and cannot count: demoted, full, or without permission. Each is a real server. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { CacheHealth } from "../../../src/relay/monitoring/cache_health.ts";
import { systemClock } from "../../../src/core/time/clock.ts";
import { connectRedisRateLimitStore } from "../../../src/store/redis/redis_rate_limit_store.ts";
import type { RateLimitStore } from "../../../src/store/rate_limit_store.ts";
import { configureLog } from "../../../src/telemetry/log.ts";
import { findProgram, startRedis } from "../../../testkit/servers/local_servers.ts";
import { redisCommand } from "../../../testkit/servers/redis_command.ts";
import { startTcpProxy } from "../../../testkit/servers/tcp_proxy.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";

const ignore = await findProgram("redis-server") === undefined;
const TIMEOUT_MS = 60_000;
const limit = { name: "test", maxCount: 1_000, windowSeconds: 60 };
/** Permissions of an account, from docs/operating.md. */
const guide = await Deno.readTextFile(new URL("../../../docs/operating.md", import.meta.url));
const [, keys, listed] = guide.match(/needs the keys `(\S+)` and these commands: ([^.]+)\./)!;
const PERMISSIONS = `${keys} ${listed.match(/\w+/g)!.map((name) => `+${name}`).join(" ")}`;

const command = (url: string, words: string) => redisCommand(url, words.split(" "), TIMEOUT_MS);

interface Scene {
  readonly url: string;
  readonly shared: RateLimitStore;
  readonly log: readonly string[];
  /** What `/readyz` says about the cache. */
  health(): Promise<string>;
}

/** Starts a server, changes it, and connects to it, by default directly. */
async function withCache(
  act: (scene: Scene) => Promise<void>,
  urlOf: (server: string) => string | Promise<string> = (server) => server,
): Promise<void> {
  const url = (await startRedis())!;
  const log: string[] = [];
  const lines = configureLog({
    level: "info",
    format: "json",
    write: (line) => log.push(JSON.parse(line).message),
  });
  const shared = await connectRedisRateLimitStore(await urlOf(url), { prefix: "tonado:test", log: lines });
  const never = new AbortController().signal;
  try {
    await act({
      url,
      shared,
      log,
      health: async () => (await new CacheHealth(shared, systemClock, never).check()).state,
    });
  } finally {
    await shared.close();
  }
}

const count = async (shared: RateLimitStore) => {
  await shared.consume(limit, "a");
  await shared.acquire(limit, "a", crypto.randomUUID());
};

/** The service and the health check fail alike, and one line is logged. */
async function refuses({ shared, health, log }: Scene, reason: RegExp): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await rejects(count(shared), { code: "cache_unavailable" });
    equal(await health(), "degraded");
  }
  equal(log.length, 1, log.join("\n"));
  match(log[0], /^the cache does not work: /);
  match(log[0], reason);
}

async function recovers({ shared, health, log }: Scene): Promise<void> {
  await waitUntil("the cache counts again", () => count(shared).then(() => true, () => false));
  await waitUntil("the health check sees it", async () => await health() === "ok");
  deepEqual(log.slice(1), ["the cache works again"]);
}

Deno.test({
  name: "redis: a demoted server is not healthy, and the successor behind its name is used at once",
  ignore,
  async fn() {
    const successor = (await startRedis())!;
    await using stack = new AsyncDisposableStack();
    let proxy: ReturnType<typeof startTcpProxy>;
    await withCache(async (scene) => {
      await count(scene.shared);
      equal(await scene.health(), "ok");
      await command(scene.url, `REPLICAOF 127.0.0.1 ${new URL(successor).port}`);
      await waitUntil("it is a replica", async () => (await command(scene.url, "ROLE")).startsWith("*5"));
      await refuses(scene, /READONLY/);
      proxy.redirect(successor); // the open connection stays at the demoted server
      await recovers(scene);
    }, (server) => (proxy = stack.use(startTcpProxy(server, 6379))).url);
  },
});

Deno.test({
  name: "redis: a replica that lost its primary is not healthy",
  ignore,
  fn: () =>
    withCache(async (scene) => {
      await command(scene.url, "CONFIG SET replica-serve-stale-data no");
      await command(scene.url, "REPLICAOF 127.0.0.1 1");
      await refuses(scene, /MASTERDOWN/);
      await command(scene.url, "REPLICAOF NO ONE");
      await recovers(scene);
    }),
});

Deno.test({
  name: "redis: an account without scripts is not healthy until it may use them",
  ignore,
  fn: () =>
    withCache(async (scene) => {
      await refuses(scene, /NOPERM/);
      await command(scene.url, "ACL SETUSER relayer +@scripting");
      await recovers(scene);
    }, async (server) => {
      await command(server, "ACL SETUSER relayer on >secret ~tonado:* +@all -@scripting");
      return server.replace("//", "//relayer:secret@");
    }),
});

Deno.test({
  name: "redis: an account that may not change sorted sets is not healthy",
  ignore,
  fn: () =>
    withCache(
      (scene) => refuses(scene, /can't run this command|NOPERM/),
      async (server) => {
        await command(server, "ACL SETUSER relayer on >secret ~tonado:* +@all -zadd");
        return server.replace("//", "//relayer:secret@");
      },
    ),
});

Deno.test({
  name: "redis: an account with the documented commands suffices",
  ignore,
  fn: () =>
    withCache(async ({ shared, health, log }) => {
      await count(shared);
      await shared.release(limit, "a", "x");
      equal(await health(), "ok");
      deepEqual(log, []);
    }, async (server) => {
      await command(server, `ACL SETUSER relayer on >secret ${PERMISSIONS}`);
      return server.replace("//", "//relayer:secret@");
    }),
});

Deno.test({
  name: "redis: a full server is not healthy until it has room",
  ignore,
  fn: () =>
    withCache(async (scene) => {
      await command(scene.url, "CONFIG SET maxmemory-policy noeviction");
      await command(scene.url, "CONFIG SET maxmemory 1");
      await refuses(scene, /OOM/);
      await command(scene.url, "CONFIG SET maxmemory 0");
      await recovers(scene);
    }),
});
