/** Statements are unnamed and settings local to transactions, so that a transaction pooler works. */
// @ts-types="@types/pg"
import pg from "pg";
import { Problem } from "../../core/errors/problem.ts";
import type { StoreHealth } from "../store.ts";

/** bytea as bytes, int8 and numeric as decimal text. */
export type Row = Record<string, unknown>;

export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Separate connection pools, so that API load cannot exhaust the connections that renew the lease. */
interface ConnectionProfile {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number; // for networks that drop packets silently
  readonly exhaustedCode: "store_unavailable" | "overloaded";
}

export const connectionProfiles = {
  lead: {
    maxConnections: 1,
    connectTimeoutMs: 3_000,
    queryTimeoutMs: 6_000,
    exhaustedCode: "store_unavailable",
  },
  journal: {
    maxConnections: 5,
    connectTimeoutMs: 5_000,
    queryTimeoutMs: 20_000,
    exhaustedCode: "store_unavailable",
  },
  api: { maxConnections: 10, connectTimeoutMs: 3_000, queryTimeoutMs: 3_000, exhaustedCode: "overloaded" },
} as const satisfies Record<string, ConnectionProfile>;

/** Longer within a transaction, which may wait for others on the same rows. */
const TRANSACTION_QUERY_TIMEOUT_MS = 20_000;
const LONG_QUERY_TIMEOUT_MS = 3_600_000;

/** The first timeout bounds how long a hung process holds its locks. Commits are durable in any case. */
const BEGIN_SQL = `begin isolation level read committed;
set local idle_in_transaction_session_timeout = 3000;
set local lock_timeout = 6000;
set local statement_timeout = 15000;
set local synchronous_commit = on`;

/** A migration locks this table exclusively: it waits for writes, and later writes see the new version. */
const READ_SCHEMA_VERSION_SQL =
  "lock table schema_version in row share mode; select max(version) as version from schema_version";

const BEGIN_SNAPSHOT_SQL =
  "begin isolation level repeatable read read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";
const BEGIN_LONG_SQL =
  "begin isolation level read committed; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/** Shutting down, starting, full, or a standby. */
const UNAVAILABLE_SQLSTATE = /^(08|53|57|58|25006|25P03|40|55P03|XX)/;
/** The server is a standby, or set to refuse writes. */
const READ_ONLY_SQLSTATE = "25006";
/** Changes no row. A server that refuses writes refuses it. */
const WRITE_PROBE_SQL = "update lease set fence = fence where false";
/** Errors that a change of settings fixes. */
const MISCONFIGURED_SQLSTATE = /^(28|3D|42501)/;
/** Conflicts with another transaction. */
const RETRYABLE_SQLSTATE = /^(40001|40P01)$/;
const MAX_TRANSACTION_ATTEMPTS = 5;

export class Database {
  readonly #pool: pg.Pool;
  readonly #profile: ConnectionProfile;
  readonly #status: {
    reason?: string | undefined;
    /** The server answers reads and refuses writes. */
    readOnly?: string | undefined;
    schema?: number;
    mismatch?: Problem | undefined;
  };

  /** Connects at the first statement. A `sibling` uses the same database and shares its state. */
  constructor(url: string, use: ConnectionProfile = connectionProfiles.journal, sibling?: Database) {
    this.#profile = use;
    this.#status = sibling === undefined ? {} : sibling.#status;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: use.maxConnections,
      connectionTimeoutMillis: use.connectTimeoutMs,
      query_timeout: use.queryTimeoutMs,
      keepAlive: true,
      application_name: "tonado",
    });
    this.#pool.on("error", () => {}); // an idle connection failed: the next statement opens a new one or fails
  }

  /** The state after the last response or failure. */
  get health(): StoreHealth {
    const { mismatch, readOnly } = this.#status;
    const reason = mismatch?.message ?? readOnly ?? this.#status.reason;
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  /** Makes writes fail while the schema has another version; also for siblings. */
  requireSchema(version: number): void {
    this.#status.schema = version;
  }

  /** Throws `store_unavailable` while the server refuses writes, or the schema lacks the required version. */
  async assertWritable(): Promise<void> {
    await this.query(WRITE_PROBE_SQL);
    this.#status.readOnly = undefined;
    if (this.#status.schema === undefined) return;
    this.#assertSchemaVersion(await this.query("select max(version) as version from schema_version"));
  }

  /** Runs one statement. Throws `store_unavailable`, `store_conflict` or `overloaded`. */
  readonly query: Query = async (text, values) =>
    (await this.#translateErrors(this.#pool.query(text, values as unknown[]))).rows;

  /** Retries after conflicts. After `store_unavailable`, the outcome of the commit may be unknown. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#runOnce(this.#withSchemaRead(BEGIN_SQL), TRANSACTION_QUERY_TIMEOUT_MS, work);
      } catch (error) {
        const lost = error instanceof Problem && RETRYABLE_SQLSTATE.test(sqlState(error.cause));
        if (!lost || attempt === MAX_TRANSACTION_ATTEMPTS) throw error;
      }
    }
  }

  async snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#runOnce(BEGIN_SNAPSHOT_SQL, LONG_QUERY_TIMEOUT_MS, work);
  }

  async longTransaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#runOnce(this.#withSchemaRead(BEGIN_LONG_SQL), LONG_QUERY_TIMEOUT_MS, work);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #withSchemaRead(begin: string): string {
    return this.#status.schema === undefined ? begin : `${begin}; ${READ_SCHEMA_VERSION_SQL}`;
  }

  #assertSchemaVersion([{ version }]: Row[]): void {
    const { schema } = this.#status;
    const found = Number(version);
    this.#status.mismatch = found === schema ? undefined : schemaMismatchProblem(found, schema!);
    if (this.#status.mismatch) throw this.#status.mismatch;
  }

  async #runOnce<T>(begin: string, timeoutMs: number, work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#translateErrors(this.#pool.connect());
    // A failure between two statements is emitted as an event, which would end the process if unhandled.
    const failed = () => {};
    client.on("error", failed);
    let broken: Error | undefined;
    try {
      const begun = await this.#translateErrors(client.query(begin));
      if (begin.endsWith(READ_SCHEMA_VERSION_SQL)) {
        this.#assertSchemaVersion((begun as unknown as pg.QueryResult[]).at(-1)!.rows);
      }
      const result = await work(async (text, values) => {
        const statement = { text, values: values as unknown[], query_timeout: timeoutMs };
        return (await this.#translateErrors(client.query(statement))).rows;
      });
      await this.#translateErrors(
        client.query({ text: "commit", query_timeout: timeoutMs } as pg.QueryConfig),
      );
      return result;
    } catch (error) {
      // A connection that timed out is closed without a ROLLBACK, which would also time out.
      // One to a read-only server is closed, because a new one may reach its successor.
      const isUnusable = error instanceof Problem && (isQueryTimeout(error.cause) || isReadOnly(error.cause));
      if (isUnusable) broken = error;
      else await client.query("rollback").catch((cause) => broken = cause);
      throw error;
    } finally {
      client.off("error", failed);
      client.release(broken);
    }
  }

  async #translateErrors<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#status.reason = undefined;
      return value;
    } catch (error) {
      throw this.#toProblem(error);
    }
  }

  /** The driver's message may name the server, so it becomes the cause and is not shown. */
  #toProblem(error: unknown): unknown {
    if (isConnectionTimeout(error) && this.#profile.exhaustedCode === "overloaded") {
      return new Problem("overloaded", undefined, { cause: error });
    }
    const state = sqlState(error);
    if (state.startsWith("23")) return new Problem("store_conflict", undefined, { cause: error });
    const known = UNAVAILABLE_SQLSTATE.test(state) || MISCONFIGURED_SQLSTATE.test(state);
    if (isServerError(error) && !known) return error; // an invalid statement: our bug
    const isRefusal = isReadOnly(error);
    const fault = isRefusal ? "refuses writes" : "does not respond";
    const problem = new Problem("store_unavailable", `the database ${fault} (${formatFailure(error)})`, {
      cause: error,
    });
    this.#status.reason = problem.message;
    if (isRefusal) this.#status.readOnly = problem.message;
    return problem;
  }
}

function schemaMismatchProblem(found: number, schema: number): Problem {
  const cause = found > schema
    ? "a newer release has upgraded the database"
    : "an older backup of the database has been restored";
  const hint = found > schema ? "start the newer release here" : "start this process again";
  return new Problem(
    "store_unavailable",
    `${cause}: its schema has version ${found}, but this process supports version ${schema} and has stopped writing; ${hint}`,
  );
}

function isMisconfigured(problem: Problem): boolean {
  return MISCONFIGURED_SQLSTATE.test(sqlState(problem.cause));
}

/** No connection became free in time, as opposed to a failed connect. */
function isConnectionTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.message) && !isServerError(error);
}

function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY_SQLSTATE;
}

function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

function sqlState(error: unknown): string {
  return isServerError(error) ? error.code ?? "" : "";
}

/** The code does not reveal the host. */
function formatFailure(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return code;
  const message = error instanceof Error ? error.message : "";
  if (/certificate/i.test(message)) return "its certificate is not trusted";
  return /timeout/i.test(message) ? "no response in time" : "connection lost";
}

export async function connectDatabase<T>(
  url: string,
  prepare: (database: Database) => Promise<T>,
): Promise<{ database: Database } & T> {
  const database = new Database(url);
  try {
    return { database, ...await prepare(database) };
  } catch (error) {
    await database.close();
    if (!(error instanceof Problem) || !isMisconfigured(error)) throw error;
    const detail = "the server rejects this user, password or database";
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "DATABASE_URL", detail }],
      cause: error.cause,
    });
  }
}
