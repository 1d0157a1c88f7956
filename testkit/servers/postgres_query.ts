// @ts-types="@types/pg"
import pg from "pg";

/**
 * Runs a statement on a new connection to a PostgreSQL server and returns its rows. Fails if connecting takes
 * `timeoutMs`.
 */
export async function postgresQuery(
  url: string,
  statement: string,
  timeoutMs = 5_000,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
  client.on("error", () => {}); // the statement reports the error
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
