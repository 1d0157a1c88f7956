import { equal, ok, rejects } from "node:assert/strict";
import { postgresQuery } from "./postgres_query.ts";
import { findProgram, startPostgres, startRedis } from "./local_servers.ts";
import { redisCommand } from "./redis_command.ts";
import { freshDatabase, freshRedisNamespace, postgresServer, redisServer } from "./services.ts";

const noPostgres = !await postgresServer();
const noRedis = !await redisServer();
const noPrivate = !await findProgram("initdb") || !await findProgram("redis-server");

Deno.test({
  name: "services: a fresh database exists, and is dropped when it is disposed",
  ignore: noPostgres,
  async fn() {
    let url: string;
    {
      await using database = await freshDatabase();
      url = database.url;
      await postgresQuery(url, "create table t (i int)");
    }
    await rejects(postgresQuery(url, "select 1"), /does not exist/);
  },
});

Deno.test({
  name: "services: keys under a prefix are removed, and no others",
  ignore: noRedis,
  async fn() {
    await using other = await freshRedisNamespace();
    await redisCommand(other.url, ["SET", `${other.prefix}kept`, "1"], 5_000);
    let prefix: string;
    {
      await using mine = await freshRedisNamespace();
      prefix = mine.prefix;
      await redisCommand(mine.url, ["SET", `${prefix}a key`, "1"], 5_000);
    }
    equal(await redisCommand(other.url, ["EXISTS", `${prefix}a key`], 5_000), ":0");
    equal(await redisCommand(other.url, ["EXISTS", `${other.prefix}kept`], 5_000), ":1");
  },
});

Deno.test({
  name: "services: private servers start from the binaries on PATH",
  ignore: noPrivate,
  sanitizeOps: false, // they run until the process ends
  sanitizeResources: false,
  async fn() {
    const postgres = await startPostgres();
    await postgresQuery(postgres!, "create database mine");
    const redis = await startRedis();
    ok(await redisCommand(redis!, ["PING"], 5_000));
  },
});
