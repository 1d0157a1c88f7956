/** The servers that other suites rely on: private ones work like given ones, and end with the tests. */
import { equal, ok, rejects } from "node:assert/strict";
import { postgresCommand } from "./postgres_command.ts";
import { find, privatePostgres, privateRedis } from "./private_servers.ts";
import { redisCommand } from "./redis_command.ts";
import { freshDatabase, freshPrefix, postgresServer, redisServer } from "./services.ts";

const noPostgres = !await postgresServer();
const noRedis = !await redisServer();
const noPrivate = !await find("initdb") || !await find("redis-server");

Deno.test({
  name: "services: a database of one's own is there, and gone afterwards",
  ignore: noPostgres,
  async fn() {
    let url: string;
    {
      await using database = await freshDatabase();
      url = database.url;
      await postgresCommand(url, "create table t (i int)");
    }
    await rejects(postgresCommand(url, "select 1"), /does not exist/);
  },
});

Deno.test({
  name: "services: keys under a prefix are removed, and no others",
  ignore: noRedis,
  async fn() {
    await using other = await freshPrefix();
    await redisCommand(other.url, ["SET", `${other.prefix}kept`, "1"], 5_000);
    let prefix: string;
    {
      await using mine = await freshPrefix();
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
    const postgres = await privatePostgres();
    await postgresCommand(postgres!, "create database mine");
    const redis = await privateRedis();
    ok(await redisCommand(redis!, ["PING"], 5_000));
  },
});
