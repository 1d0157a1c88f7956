// A fence is a number that grows when the lease changes hands. Every journal write locks the row and compares its
// fence, and the change of hands waits for these writes: so an earlier leader cannot write afterwards. Locks: a write
// takes a key share lock; a change of hands updates a key and conflicts with it; a renewal updates none, and does not
// wait (PostgreSQL manual, 13.3.2).
import { Problem } from "../../core/errors/problem.ts";
import type { Database, Query } from "./database.ts";

const LEASE_NAME = "leader";
/** A lease further in the future came from a wrong clock and is ignored. */
const MAX_LEASE_FACTOR = 2;

export class Lease {
  readonly #holder = crypto.randomUUID();
  #fence: string | undefined;

  /** Throws `store_unavailable` if the database or another schema keeps this replica from writing. */
  async acquire(database: Database, ms: number): Promise<boolean> {
    await database.assertWritable();
    if (this.#fence !== undefined) {
      const renewed = await database.query(
        `update lease set expires_at = clock_timestamp() + $4 * interval '1 millisecond'
         where name = $1 and holder = $2 and fence = $3 returning 1`,
        [LEASE_NAME, this.#holder, this.#fence, ms],
      );
      if (renewed.length > 0) return true;
      this.#fence = undefined;
    }
    // Read before locking: the lock below would briefly delay the leader's writes.
    const held = await database.query(
      `select 1 from lease where name = $1 and holder <> $2 and expires_at > clock_timestamp()
         and expires_at <= clock_timestamp() + $3 * interval '1 millisecond'`,
      [LEASE_NAME, this.#holder, MAX_LEASE_FACTOR * ms],
    );
    if (held.length > 0) return false;
    const [row] = await database.query(
      `update lease set
         holder = $2, fence = fence + 1, expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where name = $1 and (holder = $2 or expires_at <= clock_timestamp()
         or expires_at > clock_timestamp() + $4 * interval '1 millisecond')
       returning fence`,
      [LEASE_NAME, this.#holder, ms, MAX_LEASE_FACTOR * ms],
    );
    this.#fence = row?.fence as string | undefined;
    return row !== undefined;
  }

  async release(database: Database): Promise<void> {
    if (this.#fence === undefined) return;
    this.#fence = undefined;
    await database.query(
      "update lease set expires_at = clock_timestamp() where name = $1 and holder = $2",
      [LEASE_NAME, this.#holder],
    );
  }

  /** First in every journal transaction. Throws `not_leader` if another process has held the lease since. */
  async assertHeld(query: Query): Promise<void> {
    if (this.#fence === undefined) throw new Problem("not_leader");
    const rows = await query(
      "select 1 from lease where name = $1 and holder = $2 and fence = $3 for key share",
      [LEASE_NAME, this.#holder, this.#fence],
    );
    if (rows.length > 0) return;
    this.#fence = undefined;
    throw new Problem("not_leader");
  }
}
