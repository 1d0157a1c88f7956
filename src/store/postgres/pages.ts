import type { Query, Row } from "./database.ts";

const PAGE_SIZE = 5_000;

/**
 * Yields all rows of an ordered query, page by page.
 * @param select without a limit; its first parameters are `start`, or the key after the page's last row
 * @param fixed its other parameters
 */
export async function* readPages(
  query: Query,
  select: string,
  { start, after, fixed = [] }: {
    readonly start: readonly unknown[];
    readonly after: (last: Row) => readonly unknown[];
    readonly fixed?: readonly unknown[];
  },
): AsyncGenerator<Row> {
  for (let key = start;;) {
    const rows = await query(`${select} limit ${PAGE_SIZE}`, [...key, ...fixed]);
    yield* rows;
    if (rows.length < PAGE_SIZE) return;
    key = after(rows[rows.length - 1]);
  }
}
