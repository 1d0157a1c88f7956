/** One statement to a PostgreSQL server on a connection of its own. */
// @ts-types="@types/pg"
import pg from "pg";

/** Runs `statement` and returns its rows. Gives up connecting after `patienceMs`. */
export async function postgresCommand(
  url: string,
  statement: string,
  patienceMs = 5_000,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  client.on("error", () => {}); // the statement tells of it
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
