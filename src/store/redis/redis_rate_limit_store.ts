/** While the server is down, calls fail at once and the client reconnects in the background. */
import { Redis } from "ioredis";
import { Problem } from "../../core/errors/problem.ts";
import { backoffMs } from "../../core/time/backoff.ts";
import { monotonicClock } from "../../core/time/clock.ts";
import type { Log } from "../../telemetry/log.ts";
import {
  type RateLimit,
  type RateLimitResult,
  type RateLimitStore,
  rejectForMs,
} from "../rate_limit_store.ts";

const REDIS_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 2_000;
/** The server became a replica. The name may lead to its successor, which only a new connection finds. */
const DEMOTED = /\b(READONLY|MASTERDOWN)\b/;

/** Never reached: a ping tests that the server can count. */
const PING_LIMIT: RateLimit = { name: "ping", maxCount: 1_000_000, windowSeconds: 60 };

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
  let mayReconnectAt = 0;
  const client = new Redis(url, {
    reconnectOnError(error) {
      const now = monotonicClock.now();
      if (!DEMOTED.test(error.message) || now < mayReconnectAt) return false;
      mayReconnectAt = now + MAX_RECONNECT_DELAY_MS;
      return true;
    },
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: REDIS_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    retryStrategy: (attempt) => backoffMs(attempt, { initialMs: 100, maxMs: MAX_RECONNECT_DELAY_MS }),
  });
  const outage = outageLog(log);
  client.on("error", (error: Error) => outage.report(error.message));
  await client.connect().catch(() => {});
  const keyOf = (kind: string, { name }: RateLimit, key: string) => `${prefix}:${kind}:${name}:${key}`;
  const translate = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (cause) {
      const reason = refusalOf(cause);
      if (reason !== undefined) outage.report(reason);
      throw new Problem("cache_unavailable", undefined, { cause });
    }
  };
  const run = async (script: string, key: string, ...args: (string | number)[]): Promise<RateLimitResult> => {
    const left = await translate(client.eval(script, 1, key, ...args));
    return left === 0 ? { allowed: true } : rejectForMs(Number(left));
  };
  const store: RateLimitStore = {
    async consume(limit, key) {
      const { maxCount, windowSeconds } = limit;
      return await run(CONSUME_SCRIPT, keyOf("bucket", limit, key), maxCount, windowSeconds * 1_000);
    },
    async acquire(limit, key, token) {
      const { maxCount, windowSeconds } = limit;
      return await run(ACQUIRE_SCRIPT, keyOf("held", limit, key), token, maxCount, windowSeconds * 1_000);
    },
    release: async (limit, key, token) => void await translate(client.zrem(keyOf("held", limit, key), token)),
    async ping() {
      const token = crypto.randomUUID();
      await store.consume(PING_LIMIT, "all");
      await store.acquire(PING_LIMIT, "all", token);
      await store.release(PING_LIMIT, "all", token);
      outage.end();
    },
    async close() {
      await client.quit().catch(() => {});
      client.disconnect();
    },
  };
  client.on("ready", () => void store.ping().catch(() => {})); // logs whether the outage is over
  return store;
}

/** Logs each reason of an outage once, because the client reports every attempt. */
function outageLog(log: Log): { report(reason: string): void; end(): void } {
  const reported = new Set<string>();
  return {
    report(reason) {
      if (reported.has(reason)) return;
      reported.add(reason);
      log.error("the cache does not work: {reason}", { reason });
    },
    end() {
      if (reported.size > 0) log.info("the cache works again");
      reported.clear();
    },
  };
}

/** Returns why the server did not run a command; undefined without a connection, whose error is an event. */
function refusalOf(error: unknown): string | undefined {
  const { name, message } = error as Error;
  if (name !== "ReplyError" && message !== "Command timed out") return undefined;
  return message.replace(/,? script: .*/s, "");
}
