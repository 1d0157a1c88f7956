/** While the server is down, calls fail at once and the client reconnects in the background. */
import { Redis } from "ioredis";
import { Problem } from "../../core/errors/problem.ts";
import { backoffMs } from "../../core/time.ts";
import type { Log } from "../../telemetry/log.ts";
import {
  type RateLimit,
  type RateLimitResult,
  type RateLimitStore,
  rejectForMs,
} from "../rate_limit_store.ts";

const REDIS_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

/** Uses the server's clock, which all replicas share. */
const NOW_LUA = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Returns 0, or the milliseconds until a token is available. Arguments: capacity, milliseconds to refill. */
const CONSUME_SCRIPT = `${NOW_LUA}
local capacity, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = capacity
if kept[1] then left = math.min(capacity, kept[1] + math.max(0, now - kept[2]) * capacity / window) end
if left < 1 then return math.ceil((1 - left) * window / capacity) end
redis.call('HSET', KEYS[1], 'left', left - 1, 'at', now)
redis.call('PEXPIRE', KEYS[1], window)
return 0`;

/** Returns 0, or the milliseconds until there is room. Arguments: token, limit, window in milliseconds. */
const ACQUIRE_SCRIPT = `${NOW_LUA}
local limit, window = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local held = redis.call('ZCARD', KEYS[1])
if held >= limit then
  local next = redis.call('ZRANGE', KEYS[1], held - limit, held - limit, 'WITHSCORES')
  return math.max(1, next[2] + window - now)
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], window)
return 0`;

/** Connects to Redis, which may start later. `prefix` separates relayers that share a server. */
export async function connectRedisRateLimitStore(
  url: string,
  options: { readonly prefix: string; readonly log: Log },
): Promise<RateLimitStore> {
  const { prefix, log } = options;
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: REDIS_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    retryStrategy: (attempt) => backoffMs(attempt, { initialMs: 100, maxMs: MAX_RECONNECT_DELAY_MS }),
  });
  let loggedMessage: string | undefined; // once per outage: the client reports every attempt
  client.on("error", (error: Error) => {
    if (loggedMessage === error.message) return;
    loggedMessage = error.message;
    log.error("the cache does not respond: {error}", { error: error.message });
  });
  client.on("ready", () => {
    if (loggedMessage !== undefined) log.info("the cache responds again");
    loggedMessage = undefined;
  });
  await client.connect().catch(() => {});
  const keyOf = (kind: string, { name }: RateLimit, key: string) => `${prefix}:${kind}:${name}:${key}`;
  const run = async (script: string, key: string, ...args: (string | number)[]): Promise<RateLimitResult> => {
    const left = await withCacheProblem(client.eval(script, 1, key, ...args));
    return left === 0 ? { allowed: true } : rejectForMs(Number(left));
  };
  return {
    async consume(limit, key) {
      const { maxCount, windowSeconds } = limit;
      return await run(CONSUME_SCRIPT, keyOf("bucket", limit, key), maxCount, windowSeconds * 1_000);
    },
    async acquire(limit, key, token) {
      const { maxCount, windowSeconds } = limit;
      return await run(ACQUIRE_SCRIPT, keyOf("held", limit, key), token, maxCount, windowSeconds * 1_000);
    },
    release: async (limit, key, token) =>
      void await withCacheProblem(client.zrem(keyOf("held", limit, key), token)),
    ping: async () => void await withCacheProblem(client.ping()),
    async close() {
      await client.quit().catch(() => {});
      client.disconnect();
    },
  };
}

async function withCacheProblem<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new Problem("cache_unavailable", undefined, { cause });
  }
}
