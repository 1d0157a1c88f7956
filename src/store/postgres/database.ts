/**
 * Connections, transactions, and what a failing database is called. Every statement is sent without a name and every
 * setting is local to its transaction, so that a transaction pooler may stand between. Owns no table.
 */
// @ts-types="@types/pg"
import pg from "pg";
import { Problem } from "../../core/errors.ts";
import type { StoreHealth } from "../store.ts";

/** A row as the driver gives it: bytea as bytes, int8 and numeric as decimal text. */
export type Row = Record<string, unknown>;

/** Runs one statement. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** What connections are for: each use has its own, so that whoever asks a lot of the API cannot take the lead away. */
export interface Use {
  readonly connections: number;
  /** How long one may take to come, or to become free. */
  readonly connectMs: number;
  /** How long an answer may take: a network that swallows packets must not stop us for ever. */
  readonly answerMs: number;
  /** What it is called when all are taken: nobody's fault but of those who ask so much. */
  readonly full: "store_unavailable" | "overloaded";
}

/** The connections of one process. */
export const uses = {
  lead: { connections: 1, connectMs: 3_000, answerMs: 6_000, full: "store_unavailable" },
  journal: { connections: 5, connectMs: 5_000, answerMs: 20_000, full: "store_unavailable" },
  api: { connections: 10, connectMs: 3_000, answerMs: 3_000, full: "overloaded" },
} as const satisfies Record<string, Use>;

/** Within a transaction, which has begun and so had an answer: others that decide about the same are waited for. */
const TRANSACTION_MS = 20_000;
/** For a migration, an export, an import: some of their statements walk a whole table. */
const LONG_ANSWER_MS = 3_600_000;

/**
 * Opens a transaction. A process that is stopped within one holds its locks no longer than the first limit, so that
 * another may take over; nothing waits for a lock, or computes, without end; and what is committed is on disk, whatever
 * the server's default.
 */
const BEGIN = `begin isolation level read committed;
set local idle_in_transaction_session_timeout = 3000;
set local lock_timeout = 6000;
set local statement_timeout = 15000;
set local synchronous_commit = on`;

/**
 * Follows BEGIN in a transaction that writes. A migration takes the table in exclusive mode, so it waits for writes under
 * way, and a write that begins meanwhile waits for it and then reads the new version.
 */
const READ_SCHEMA =
  "lock table schema_version in row share mode; select max(version) as version from schema_version";

/** A consistent look at everything, for as long as it takes. */
const BEGIN_SNAPSHOT =
  "begin isolation level repeatable read read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";
/** Everything or nothing, for as long as it takes. */
const BEGIN_LONG =
  "begin isolation level read committed; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/** Classes of SQLSTATE that say nothing of the statement: the server goes, comes, is full or is a standby. */
const UNAVAILABLE = /^(08|53|57|58|25006|25P03|40|55P03|XX)/;
/** What only a change of settings helps against. */
const MISCONFIGURED = /^(28|3D|42501)/;
/** Another transaction won: the same one again may go through. */
const RETRY = /^(40001|40P01)$/;
const ATTEMPTS = 5;

/** One database. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #use: Use;
  readonly #said: { reason?: string | undefined; schema?: number; mismatch?: Problem | undefined };

  /** Connects at the first statement. @param sibling another use of the same database: they share what is known of it */
  constructor(url: string, use: Use = uses.journal, sibling?: Database) {
    this.#use = use;
    this.#said = sibling === undefined ? {} : sibling.#said;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: use.connections,
      connectionTimeoutMillis: use.connectMs,
      query_timeout: use.answerMs,
      keepAlive: true,
      application_name: "tonado",
    });
    this.#pool.on("error", () => {}); // of an idle connection: the next statement gets another one, or says what is wrong
  }

  /** As of the last answer, or of its absence. */
  get health(): StoreHealth {
    const reason = this.#said.mismatch?.message ?? this.#said.reason;
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  /** From now on, transactions that write fail while the schema is of another version. Siblings follow. */
  requireSchema(version: number): void {
    this.#said.schema = version;
  }

  /** @throws {Problem} `store_unavailable` while the schema is not of the required version */
  async assertSchema(): Promise<void> {
    if (this.#said.schema === undefined) return;
    this.#compareSchema(await this.query("select max(version) as version from schema_version"));
  }

  /**
   * Runs one statement by itself.
   *
   * @throws {Problem} `store_unavailable`, `store_conflict`, `overloaded`
   */
  readonly query: Query = async (text, values) =>
    (await this.#asked(this.#pool.query(text, values as unknown[]))).rows;

  /**
   * Runs `work` in one transaction, again when another one won. What `work` throws rolls it back.
   *
   * @throws {Problem} `store_unavailable`, also when it is not known whether the commit arrived; `store_conflict`
   */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#once(this.#writing(BEGIN), TRANSACTION_MS, work);
      } catch (error) {
        const lost = error instanceof Problem && RETRY.test(sqlState(error.cause));
        if (!lost || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Runs `work` on one consistent state of everything. */
  async snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#once(BEGIN_SNAPSHOT, LONG_ANSWER_MS, work);
  }

  /** A transaction that may take long. */
  async longTransaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#once(this.#writing(BEGIN_LONG), LONG_ANSWER_MS, work);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #writing(begin: string): string {
    return this.#said.schema === undefined ? begin : `${begin}; ${READ_SCHEMA}`;
  }

  #compareSchema([{ version }]: Row[]): void {
    const { schema } = this.#said;
    const found = Number(version);
    this.#said.mismatch = found === schema ? undefined : schemaMismatch(found, schema!);
    if (this.#said.mismatch) throw this.#said.mismatch;
  }

  async #once<T>(begin: string, patience: number, work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#asked(this.#pool.connect());
    // One that fails between two statements says so with an event, which must not end the process.
    const failed = () => {};
    client.on("error", failed);
    let broken: Error | undefined;
    try {
      const begun = await this.#asked(client.query(begin));
      if (begin.endsWith(READ_SCHEMA)) {
        this.#compareSchema((begun as unknown as pg.QueryResult[]).at(-1)!.rows);
      }
      const result = await work(async (text, values) => {
        const statement = { text, values: values as unknown[], query_timeout: patience };
        return (await this.#asked(client.query(statement))).rows;
      });
      await this.#asked(client.query({ text: "commit", query_timeout: patience } as pg.QueryConfig));
      return result;
    } catch (error) {
      // One that does not answer is of no use, and would not answer to this either.
      if (error instanceof Problem && isLate(error.cause)) broken = error;
      else await client.query("rollback").catch((cause) => broken = cause);
      throw error;
    } finally {
      client.off("error", failed);
      client.release(broken);
    }
  }

  /** What the driver answers; its errors as ours, and nobody else's. */
  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#said.reason = undefined;
      return value;
    } catch (error) {
      throw this.#problem(error);
    }
  }

  /** What the driver throws, as ours. Its message may name the server: it is the cause, and not shown. */
  #problem(error: unknown): unknown {
    if (isFull(error) && this.#use.full === "overloaded") {
      return new Problem("overloaded", undefined, { cause: error });
    }
    const state = sqlState(error);
    if (state.startsWith("23")) return new Problem("store_conflict", undefined, { cause: error });
    const known = UNAVAILABLE.test(state) || MISCONFIGURED.test(state);
    if (isServerError(error) && !known) return error; // a statement that is wrong: a fault of ours
    const problem = new Problem("store_unavailable", `the database does not answer (${reasonOf(error)})`, {
      cause: error,
    });
    this.#said.reason = problem.message;
    return problem;
  }
}

function schemaMismatch(found: number, schema: number): Problem {
  const cause = found > schema
    ? "a newer release has upgraded the database"
    : "an older backup of the database has been restored";
  const hint = found > schema ? "start the newer release here" : "start this process again";
  return new Problem(
    "store_unavailable",
    `${cause}: its schema has version ${found}, this process works with version ${schema} and has stopped writing; ${hint}`,
  );
}

/** Whether only a change of settings helps. */
export function isMisconfigured(problem: Problem): boolean {
  return MISCONFIGURED.test(sqlState(problem.cause));
}

/** What the driver says when no connection became free in time; one that is not established is told otherwise. */
function isFull(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function isLate(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.message) && !isServerError(error);
}

function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

function sqlState(error: unknown): string {
  return isServerError(error) ? error.code ?? "" : "";
}

/** A code of the server or of the network: what happened, and never where. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return code;
  const message = error instanceof Error ? error.message : "";
  if (/certificate/i.test(message)) return "its certificate is not trusted";
  return /timeout/i.test(message) ? "no answer in time" : "connection lost";
}
