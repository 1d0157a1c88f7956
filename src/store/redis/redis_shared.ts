/**
 * {@link Shared} in Redis, so that replicas count together. A server that is down is asked no question: what would wait
 * for it fails at once, and the connection is made again behind the scenes. Keys expire by themselves.
 */
import { Redis } from "ioredis";
import { Problem } from "../../core/errors.ts";
import type { Log } from "../../telemetry/log.ts";
import { type Allowance, refusedFor, type Shared, type Taken } from "../shared.ts";

const PATIENCE_MS = 1_000;
const LONGEST_RECONNECT_MS = 2_000;

/** Unix milliseconds by the server's clock, which all replicas share. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Takes one out of a bucket, a hash of what was left and when. Answers 0, or the milliseconds until there is one.
 * Arguments: what it holds, milliseconds in which it fills.
 */
const TAKE = `${NOW}
local most, span = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = most
if kept[1] then left = math.min(most, kept[1] + math.max(0, now - kept[2]) * most / span) end
if left < 1 then return math.ceil((1 - left) * span / most) end
redis.call('HSET', KEYS[1], 'left', left - 1, 'at', now)
redis.call('PEXPIRE', KEYS[1], span)
return 0`;

/**
 * Adds a token to those that count, by the time when it came, unless the bound is reached. Answers 0, or the milliseconds
 * until there is room. Arguments: token, bound, milliseconds for which it counts.
 */
const HOLD = `${NOW}
local most, span = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - span)
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local held = redis.call('ZCARD', KEYS[1])
if held >= most then
  local next = redis.call('ZRANGE', KEYS[1], held - most, held - most, 'WITHSCORES')
  return math.max(1, next[2] + span - now)
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], span)
return 0`;

/**
 * Counts in the Redis server at `url`. A server that is not there yet is no error: it is tried again for ever.
 *
 * @param options.prefix of every key, so that several relayers may use one server
 */
export async function redisShared(
  url: string,
  options: { readonly prefix: string; readonly log: Log },
): Promise<Shared> {
  const { prefix, log } = options;
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, LONGEST_RECONNECT_MS),
  });
  let said: string | undefined; // once for each outage: the client tells of every attempt
  client.on("error", (error: Error) => {
    if (said === error.message) return;
    said = error.message;
    log.error("the cache does not answer: {error}", { error: error.message });
  });
  client.on("ready", () => {
    if (said !== undefined) log.info("the cache answers again");
    said = undefined;
  });
  await client.connect().catch(() => {});
  const keyOf = (kind: string, { name }: Allowance, key: string) => `${prefix}:${kind}:${name}:${key}`;
  const run = async (script: string, key: string, ...args: (string | number)[]): Promise<Taken> => {
    const left = await answered(client.eval(script, 1, key, ...args));
    return left === 0 ? { allowed: true } : refusedFor(Number(left));
  };
  return {
    async take(allowance, key) {
      const { times, seconds } = allowance;
      return await run(TAKE, keyOf("bucket", allowance, key), times, seconds * 1_000);
    },
    async hold(allowance, key, token) {
      const { times, seconds } = allowance;
      return await run(HOLD, keyOf("held", allowance, key), token, times, seconds * 1_000);
    },
    release: async (allowance, key, token) =>
      void await answered(client.zrem(keyOf("held", allowance, key), token)),
    ping: async () => void await answered(client.ping()),
    async close() {
      await client.quit().catch(() => {});
      client.disconnect();
    },
  };
}

/** @throws {Problem} `cache_unavailable` when `answer` fails */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new Problem("cache_unavailable", undefined, { cause });
  }
}
