/**
 * Real PostgreSQL and Redis servers for tests: a given URL (TONADO_TEST_POSTGRES_URL, TONADO_TEST_REDIS_URL),
 * otherwise the local server at its usual port, otherwise a private one from the binaries on PATH. The result is
 * undefined if there is none: pass that as `ignore`, so that the suite is reported as skipped (a failure with
 * TONADO_REQUIRE_ALL=1).
 *
 * Each suite has a database or key prefix of its own and removes it, so suites may run at the same time.
 */
import { postgresQuery } from "./postgres_query.ts";
import { startPostgres, startRedis } from "./local_servers.ts";
import { redisCommand } from "./redis_command.ts";

const LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres";
const LOCAL_REDIS = "redis://127.0.0.1:6379";
const TIMEOUT_MS = 60_000;

/** A database that belongs to one suite. */
interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A Redis server and the prefix of all keys of a suite. */
interface RedisNamespace extends TestDatabase {
  readonly prefix: string;
}

/** Returns the URL of a PostgreSQL server on which tests may create databases; undefined if there is none. */
export const postgresServer: () => Promise<string | undefined> = memoize(() =>
  findServer(
    Deno.env.get("TONADO_TEST_POSTGRES_URL"),
    LOCAL_POSTGRES,
    (url) => postgresQuery(url, "select 1", TIMEOUT_MS),
    startPostgres,
  )
);

/** Returns the URL of a Redis server for tests; undefined if there is none. */
export const redisServer: () => Promise<string | undefined> = memoize(() =>
  findServer(
    Deno.env.get("TONADO_TEST_REDIS_URL"),
    LOCAL_REDIS,
    (url) => redisCommand(url, ["PING"], TIMEOUT_MS),
    startRedis,
  )
);

/** Creates an empty database. Disposing it drops it, even with open connections. */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = await postgresServer();
  if (server === undefined) {
    throw new Error("there is no PostgreSQL here: pass `ignore: !await postgresServer()`");
  }
  const name = `tonado_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await postgresQuery(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await postgresQuery(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** Creates a key prefix. Disposing it removes all keys with the prefix. */
export async function freshRedisNamespace(): Promise<RedisNamespace> {
  const url = await redisServer();
  if (url === undefined) throw new Error("there is no Redis here: pass `ignore: !await redisServer()`");
  const prefix = `tonado-test:${crypto.randomUUID()}:`;
  return {
    url,
    prefix,
    async [Symbol.asyncDispose]() {
      const script = "for _, k in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', k) end";
      await redisCommand(url, ["EVAL", script, "0", `${prefix}*`], TIMEOUT_MS);
    },
  };
}

/**
 * Finds a server. A server with a given URL must answer: a wrong URL is an error, and no other server
 * replaces it.
 */
async function findServer(
  given: string | undefined,
  local: string,
  ask: (url: string) => Promise<unknown>,
  start: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (given) {
    await ask(given);
    return given;
  }
  try {
    await ask(local);
    return local;
  } catch {
    return await start();
  }
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}
