/**
 * Real PostgreSQL and Redis for tests, never a pretended one: the server of a given URL (TONADO_TEST_POSTGRES_URL,
 * TONADO_TEST_REDIS_URL), else the local one at its usual port, else a private one that is started from the binaries on
 * PATH and ends with the tests. Where none can be had the answer is undefined: pass it on as `ignore`, so that the suite
 * is reported as skipped by name, which TONADO_REQUIRE_ALL=1 makes a failure.
 *
 * Each suite works in a database, or under a key prefix, of its own and removes it, so suites may run at once.
 */
import { postgresCommand } from "./postgres_command.ts";
import { privatePostgres, privateRedis } from "./private_servers.ts";
import { redisCommand } from "./redis_command.ts";

const LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres";
const LOCAL_REDIS = "redis://127.0.0.1:6379";
const PATIENCE_MS = 5_000;

/** A place of one's own on a server. */
export interface Place extends AsyncDisposable {
  readonly url: string;
}

/** A Redis server, and the prefix that every key of a suite must have. */
export interface RedisPlace extends Place {
  readonly prefix: string;
}

/** The PostgreSQL server that tests may make databases on, as a URL; undefined where none can be had. */
export const postgresServer: () => Promise<string | undefined> = once(() =>
  choose(
    Deno.env.get("TONADO_TEST_POSTGRES_URL"),
    LOCAL_POSTGRES,
    (url) => postgresCommand(url, "select 1", PATIENCE_MS),
    privatePostgres,
  )
);

/** The Redis server that tests may use, as a URL; undefined where none can be had. */
export const redisServer: () => Promise<string | undefined> = once(() =>
  choose(
    Deno.env.get("TONADO_TEST_REDIS_URL"),
    LOCAL_REDIS,
    (url) => redisCommand(url, ["PING"], PATIENCE_MS),
    privateRedis,
  )
);

/** A fresh, empty database; disposing of it drops it, whoever is still connected. */
export async function freshDatabase(): Promise<Place> {
  const server = await postgresServer();
  if (server === undefined) {
    throw new Error("there is no PostgreSQL here: pass `ignore: !await postgresServer()`");
  }
  const name = `tonado_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await postgresCommand(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await postgresCommand(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** A fresh key prefix; disposing of it removes every key that has it. */
export async function freshPrefix(): Promise<RedisPlace> {
  const url = await redisServer();
  if (url === undefined) throw new Error("there is no Redis here: pass `ignore: !await redisServer()`");
  const prefix = `tonado-test:${crypto.randomUUID()}:`;
  return {
    url,
    prefix,
    async [Symbol.asyncDispose]() {
      const script = "for _, k in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', k) end";
      await redisCommand(url, ["EVAL", script, "0", `${prefix}*`], PATIENCE_MS);
    },
  };
}

/** A given server must answer: a wrong URL is an error, not a reason to test something else. */
async function choose(
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

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}
