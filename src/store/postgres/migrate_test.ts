import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Database, Query } from "./database.ts";
import { assertSchemaCurrent, migrate, SCHEMA_VERSION } from "./migrate.ts";

function databaseAt(version: number, server = 150_000) {
  const statements: string[] = [];
  const query: Query = (text, values = []) => {
    statements.push(values.length > 0 ? `${text} ${values}` : text);
    if (text.includes("server_version_num")) return Promise.resolve([{ number: server }]);
    if (text.includes("to_regclass")) return Promise.resolve([{ there: version > 0 }]);
    if (text.includes("max(version)")) return Promise.resolve([{ version }]);
    return Promise.resolve([]);
  };
  const database = {
    longTransaction: (work: (query: Query) => unknown) => work(query),
  } as unknown as Database;
  const changes = () => statements.filter((text) => /^(create|insert|lock|step)/.test(text));
  return { database, changes };
}

const steps = ["step 1", "step 2", "step 3"];
const insert = (version: number) => `insert into schema_version (version) values ($1) ${version}`;
const lock = "lock table schema_version in exclusive mode";

Deno.test("a database without a schema gets all steps, each with its version", async () => {
  const { database, changes } = databaseAt(0);
  deepEqual(await migrate(database, steps), { found: 0, now: 3 });
  const [create, ...rest] = changes();
  equal(create.startsWith("create table schema_version"), true);
  deepEqual(rest, ["step 1", insert(1), "step 2", insert(2), "step 3", insert(3)]);
});

Deno.test("an older schema gets the steps that it lacks, while writers of the older release wait", async () => {
  const { database, changes } = databaseAt(1);
  deepEqual(await migrate(database, steps), { found: 1, now: 3 });
  deepEqual(changes(), [lock, "step 2", insert(2), "step 3", insert(3)]);
});

Deno.test("a current schema is left as it is, and a newer one is refused", async () => {
  const current = databaseAt(3);
  deepEqual(await migrate(current.database, steps), { found: 3, now: 3 });
  deepEqual(current.changes(), []);
  const newer = databaseAt(4);
  await rejects(migrate(newer.database, steps), {
    code: "invalid_config",
    message: /has version 4, .* version 3/,
  });
  deepEqual(newer.changes(), []);
});

Deno.test("PostgreSQL before version 14 is refused", async () => {
  await rejects(migrate(databaseAt(3, 139_999).database, steps), {
    code: "invalid_config",
    message: /PostgreSQL 14/,
  });
  deepEqual(await migrate(databaseAt(3, 140_000).database, steps), { found: 3, now: 3 });
});

Deno.test("a store that is not to be created must be there, with the schema of this release", async () => {
  const open = (version: number) => assertSchemaCurrent(databaseAt(version).database);
  deepEqual(await open(SCHEMA_VERSION), { found: SCHEMA_VERSION });
  await rejects(open(0), { code: "unknown_store" });
  for (const version of [1, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1]) {
    await rejects(open(version), {
      code: "invalid_config",
      message: `its schema has version ${version}, not ${SCHEMA_VERSION}`,
    });
  }
});
