/** Migrates the PostgreSQL schema to this release's version. */
import { Problem } from "../../core/errors/problem.ts";
import type { Database, Query } from "./database.ts";
import { migrations, MIN_SERVER_VERSION } from "./schema.ts";

const MIGRATION_LOCK = [0x746f6e61, 0x646f]; // arbitrary key of the advisory lock

export const SCHEMA_VERSION = migrations.length;

/** Replicas of an older release stop writing. Throws `invalid_config` for a wrong server or schema. */
export async function migrate(
  database: Database,
  steps: readonly string[] = migrations,
): Promise<{ found: number; now: number }> {
  const now = steps.length;
  return await database.longTransaction(async (query) => {
    const [server] = await query("select current_setting('server_version_num')::int as number");
    if (Number(server.number) < MIN_SERVER_VERSION) {
      throw databaseConfigProblem("PostgreSQL 14 or newer is needed");
    }
    await query("select pg_advisory_xact_lock($1, $2)", MIGRATION_LOCK);
    const found = await readSchemaVersion(query);
    if (found > now) {
      throw databaseConfigProblem(
        `its schema has version ${found}, but this release supports version ${now}: use a newer release`,
      );
    }
    if (found === 0) {
      await query(
        "create table schema_version (version integer primary key, applied_at timestamptz not null default now())",
      );
    } else if (found < now) await query("lock table schema_version in exclusive mode");
    for (let version = found + 1; version <= now; version++) {
      await query(steps[version - 1]);
      await query("insert into schema_version (version) values ($1)", [version]);
    }
    return { found, now };
  });
}

/** Throws `unknown_store` without tables, `invalid_config` for another version. */
export async function assertSchemaCurrent(database: Database): Promise<{ found: number }> {
  const found = await database.longTransaction(readSchemaVersion);
  if (found === 0) throw new Problem("unknown_store", "there is no store in the database");
  if (found === SCHEMA_VERSION) return { found };
  throw new Problem("invalid_config", `its schema has version ${found}, not ${SCHEMA_VERSION}`, {
    hint:
      "For an older schema run `tonado store migrate` of this release; a newer one needs a newer release.",
  });
}

async function readSchemaVersion(query: Query): Promise<number> {
  const [there] = await query("select to_regclass('schema_version') is not null as there");
  if (!there.there) return 0;
  const [{ version }] = await query("select coalesce(max(version), 0) as version from schema_version");
  return Number(version);
}

function databaseConfigProblem(detail: string): Problem {
  return new Problem("invalid_config", `the database cannot be used: ${detail}`, {
    errors: [{ pointer: "DATABASE_URL", detail }],
  });
}
