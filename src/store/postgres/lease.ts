/**
 * Who leads: one row with a holder, an end by the server's clock, and a fence that grows with every change of hands.
 * A write of the journal takes a key share of that row for the length of its transaction and compares the fence, so a
 * change of hands, which changes a key, waits for writes under way, and no write of an earlier leader can come after
 * it. Renewing changes no key: it waits for nobody, however much is written (PostgreSQL manual, 13.3.2).
 */
import { Problem } from "../../core/errors.ts";
import type { Database, Query } from "./database.ts";

const NAME = "leader";
/** A lease dated further ahead than so many times its length was written by a clock that was wrong: nobody waits for it. */
const BELIEVED = 2;

/** This process's part in the lease. */
export class Lease {
  readonly #holder = crypto.randomUUID();
  #fence: string | undefined;

  /**
   * Takes or keeps it for `ms`; false when another holds it.
   *
   * @throws {Problem} `store_unavailable` when the schema is of another version: a replica that cannot write must not
   * keep the lease from one that can
   */
  async take(database: Database, ms: number): Promise<boolean> {
    await database.assertSchema();
    if (this.#fence !== undefined) {
      const kept = await database.query(
        `update lease set expires_at = clock_timestamp() + $4 * interval '1 millisecond'
         where name = $1 and holder = $2 and fence = $3 returning 1`,
        [NAME, this.#holder, this.#fence, ms],
      );
      if (kept.length > 0) return true;
      this.#fence = undefined;
    }
    // Looked at before it is touched: what follows would hold up the leader's writes, if only for a moment.
    const held = await database.query(
      `select 1 from lease where name = $1 and holder <> $2 and expires_at > clock_timestamp()
         and expires_at <= clock_timestamp() + $3 * interval '1 millisecond'`,
      [NAME, this.#holder, BELIEVED * ms],
    );
    if (held.length > 0) return false;
    const [row] = await database.query(
      `update lease set
         holder = $2, fence = fence + 1, expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where name = $1 and (holder = $2 or expires_at <= clock_timestamp()
         or expires_at > clock_timestamp() + $4 * interval '1 millisecond')
       returning fence`,
      [NAME, this.#holder, ms, BELIEVED * ms],
    );
    this.#fence = row?.fence as string | undefined;
    return row !== undefined;
  }

  /** Lets it end now, if it is ours. */
  async release(database: Database): Promise<void> {
    if (this.#fence === undefined) return;
    this.#fence = undefined;
    await database.query(
      "update lease set expires_at = clock_timestamp() where name = $1 and holder = $2",
      [NAME, this.#holder],
    );
  }

  /**
   * The first statement of every transaction that writes the journal.
   *
   * @throws {Problem} `not_leader` when another has it, or has had it since
   */
  async guard(query: Query): Promise<void> {
    if (this.#fence === undefined) throw new Problem("not_leader");
    const rows = await query(
      "select 1 from lease where name = $1 and holder = $2 and fence = $3 for key share",
      [NAME, this.#holder, this.#fence],
    );
    if (rows.length > 0) return;
    this.#fence = undefined;
    throw new Problem("not_leader");
  }
}
