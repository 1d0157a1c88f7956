/** A store belongs to one relayer: it rejects another wallet or network at the start. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { ArchivedStore } from "../../../src/store/archive.ts";
import { assertStoreOwner, type StoreIdentity } from "../../../src/store/identity.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";

const own: StoreIdentity = { network: "testnet", wallet: `0:${"ab".repeat(32)}` };
const others: StoreIdentity[] = [
  { network: "testnet", wallet: `0:${"cd".repeat(32)}` },
  { network: "mainnet", wallet: own.wallet },
];

interface Opening {
  open(): Promise<ArchivedStore>;
  remove(): Promise<void>;
}

const stores: [name: string, ignore: boolean, prepare: () => Promise<Opening>][] = [
  ["kv", false, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-identity-" });
    return { open: () => openKvStore(directory), remove: () => Deno.remove(directory, { recursive: true }) };
  }],
  ["postgres", !await postgresServer(), async () => {
    const database = await freshDatabase();
    return {
      open: () => openPostgresStore(database.url),
      remove: async () => await database[Symbol.asyncDispose](),
    };
  }],
];

for (const [name, ignore, prepare] of stores) {
  Deno.test({
    name: `${name} store: it belongs to its first relayer, and no other starts on it`,
    ignore,
    async fn() {
      const { open, remove } = await prepare();
      let store = await open();
      equal(await store.identity(), undefined);
      await assertStoreOwner(store, own, "SETTING");
      await store.close();
      store = await open();
      deepEqual(await store.identity(), own);
      await assertStoreOwner(store, own, "SETTING");
      for (const other of others) {
        await rejects(assertStoreOwner(store, other, "SETTING"), (error) => {
          ok(error instanceof Problem);
          equal(error.code, "invalid_config");
          const [{ pointer, detail }] = error.errors;
          equal(pointer, "SETTING");
          for (const { network, wallet } of [own, other]) {
            ok(detail.includes(wallet) && detail.includes(network), detail);
          }
          match(detail, /choose another store/);
          return true;
        });
        deepEqual(await store.identity(), own);
      }
      await store.close();
      await remove();
    },
  });

  Deno.test({
    name: `${name} store: of two relayers that start at once, one gets it`,
    ignore,
    async fn() {
      const { open, remove } = await prepare();
      const store = await open();
      const claims = [own, ...others, own];
      const found = await Promise.all(claims.map((identity) => store.claimIdentity(identity)));
      for (const one of found) deepEqual(one, await store.identity());
      await store.close();
      await remove();
    },
  });
}

Deno.test({
  name: "postgres store: a database without an identity takes that of the first relayer",
  ignore: !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    await (await openPostgresStore(database.url)).close();
    await postgresQuery(database.url, "drop table identity");
    await postgresQuery(database.url, "alter table jobs drop column cap_token"); // a later migration adds it
    await postgresQuery(database.url, "drop table ledger"); // so does another one
    await postgresQuery(database.url, "drop table pool_log"); // and another one, with the constraint
    await postgresQuery(database.url, "alter table deposits add unique (pool, commitment)");
    await postgresQuery(database.url, "delete from schema_version where version >= 2");
    const store = await openPostgresStore(database.url);
    await assertStoreOwner(store, own, "DATABASE_URL");
    deepEqual(await store.identity(), own);
    await rejects(assertStoreOwner(store, others[0], "DATABASE_URL"), { code: "invalid_config" });
    await store.close();
  },
});
