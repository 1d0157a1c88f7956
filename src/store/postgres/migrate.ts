/** Brings a database to this version's schema, once, whoever comes first. */
import { Problem } from "../../core/errors.ts";
import type { Database, Query } from "./database.ts";
import { migrations, OLDEST_SERVER } from "./schema.ts";

/** Any two numbers that nobody else uses: the name of the lock, of the kind that ends with its transaction. */
const LOCK = [0x746f6e61, 0x646f];

/** Version of the schema that this build works with. */
export const SCHEMA_VERSION = migrations.length;

/**
 * Runs the steps that are missing, in one transaction. Several processes may start at once: they come one after another.
 * Replicas of an older release finish the writes that are under way, and then refuse to write (`Database.requireSchema`).
 *
 * @param steps what this build knows; a test passes one more to be the next release
 * @returns the versions that were found and that are there now
 * @throws {Problem} `invalid_config` for a server that is too old or a schema that is newer than this build
 */
export async function migrate(
  database: Database,
  steps: readonly string[] = migrations,
): Promise<{ found: number; now: number }> {
  const now = steps.length;
  return await database.longTransaction(async (query) => {
    const [server] = await query("select current_setting('server_version_num')::int as number");
    if (Number(server.number) < OLDEST_SERVER) throw wrong("PostgreSQL 14 or newer is needed");
    await query("select pg_advisory_xact_lock($1, $2)", LOCK);
    const found = await versionIn(query);
    if (found > now) {
      throw wrong(
        `its schema has version ${found}, this release works with version ${now}: use a newer release`,
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

/**
 * Changes nothing.
 *
 * @throws {Problem} `unknown_store` where there are no tables, `invalid_config` where they are of another version
 */
export async function assertUpToDate(database: Database): Promise<{ found: number }> {
  const found = await database.longTransaction(versionIn);
  if (found === 0) throw new Problem("unknown_store", "there is no store in the database");
  if (found === SCHEMA_VERSION) return { found };
  throw new Problem("invalid_config", `its tables are of version ${found}, not ${SCHEMA_VERSION}`, {
    todo:
      "`tonado store migrate` of this release brings older ones up to date; newer ones need a newer release.",
  });
}

/** Version of the schema; 0 where there is none. */
export async function versionIn(query: Query): Promise<number> {
  const [there] = await query("select to_regclass('schema_version') is not null as there");
  if (!there.there) return 0;
  const [{ version }] = await query("select coalesce(max(version), 0) as version from schema_version");
  return Number(version);
}

function wrong(detail: string): Problem {
  return new Problem("invalid_config", `the database cannot be used: ${detail}`, {
    errors: [{ pointer: "DATABASE_URL", detail }],
  });
}
