/**
 * {@link Shared} in Redis, so that replicas count together. A server that is down is asked no question: what would wait
 * for it fails at once, and the connection is made again behind the scenes. Keys expire by themselves.
 */
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import type { Log } from "../../telemetry/log.ts";
import { answered, overLimiters, refused } from "../limiters.ts";
import type { Allowance, Shared } from "../shared.ts";

const PATIENCE_MS = 1_000;
const LONGEST_RECONNECT_MS = 2_000;

/**
 * Adds a token to the set of those that count, unless it is full; the set ends so long after its first one. Answers 0, or
 * the milliseconds that are left. Arguments: token, bound, milliseconds.
 */
const HOLD = `
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 0 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return math.max(redis.call('PTTL', KEYS[1]), 1) end
redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
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
  const limiters = overLimiters(({ name, times, seconds }) =>
    new RateLimiterRedis({
      storeClient: client,
      keyPrefix: `${prefix}:${name}`,
      points: times,
      duration: seconds,
      rejectIfRedisNotReady: true,
    })
  );
  const setOf = ({ name }: Allowance, key: string) => `${prefix}:held:${name}:${key}`;
  return {
    ...limiters,
    async hold(allowance, key, token) {
      const { times, seconds } = allowance;
      const left = await answered(
        client.eval(HOLD, 1, setOf(allowance, key), token, times, seconds * 1_000),
      );
      return left === 0 ? { allowed: true } : refused(Number(left));
    },
    release: async (allowance, key, token) => void await answered(client.srem(setOf(allowance, key), token)),
    ping: async () => void await answered(client.ping()),
    async close() {
      await client.quit().catch(() => {});
      client.disconnect();
    },
  };
}
