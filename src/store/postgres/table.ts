/** Declares how a type is stored in a table, once for writing and reading. */
import { Buffer } from "node:buffer";
import { bytesToBigint, fieldToBytes } from "../../core/crypto/field.ts";
import type { PoolId } from "../store.ts";
import type { Query, Row } from "./database.ts";

/** A member's column, and the conversions to and from the driver's values. */
export interface Column<V> {
  readonly name: string;
  readonly type: string;
  readonly encode: (value: V) => unknown;
  readonly decode: (stored: unknown) => V;
}

export const text = <V extends string>(name: string): Column<V> => ({
  name,
  type: "text",
  encode: (value) => value,
  decode: (stored) => stored as V,
});

export const integer = (name: string, type: "integer" | "bigint" = "integer"): Column<number> => ({
  name,
  type,
  encode: (value) => value,
  decode: Number,
});

export const numeric = (name: string): Column<bigint> => ({
  name,
  type: "numeric",
  encode: String,
  decode: (stored) => BigInt(stored as string),
});

export const fieldElement = (name: string): Column<bigint> => ({
  name,
  type: "bytea",
  encode: fieldToBytea,
  decode: (stored) => bytesToBigint(stored as Uint8Array),
});

export function fieldToBytea(x: bigint): Buffer {
  return Buffer.from(fieldToBytes(x));
}

/** Names are unqualified, so the connection's search path applies. */
export class Table<T extends object> {
  readonly #columns: [member: string, column: Column<unknown>][];

  /** @param onConflict clause of the inserts. Default: a conflict fails with `store_conflict` */
  constructor(
    readonly name: string,
    columns: { readonly [M in keyof T]-?: Column<NonNullable<T[M]>> },
    readonly onConflict = "",
  ) {
    this.#columns = Object.entries(columns);
  }

  get columnNames(): string[] {
    return this.#columns.map(([, { name }]) => `"${name}"`);
  }

  /** An absent member is a null column. */
  toValues(item: T): unknown[] {
    return this.#columns.map(([member, { encode }]) => {
      const value: unknown = item[member as keyof T];
      return value === undefined ? null : encode(value);
    });
  }

  parse(row: Row): T {
    const members = this.#columns.flatMap(([member, { name, decode }]) =>
      row[name] === null ? [] : [[member, decode(row[name])]]
    );
    return Object.fromEntries(members);
  }

  /** Inserts all in one statement. `pool` is for types that do not contain theirs. */
  async insert(query: Query, items: readonly T[], pool?: PoolId): Promise<void> {
    if (items.length === 0) return;
    const rows = items.map((item) => this.toValues(item));
    const arrays = this.#columns.map(([, { type }], i) => `$${i + 1}::${type}[]`);
    const [column, value] = pool === undefined ? ["", ""] : [", pool", `, $${arrays.length + 1}`];
    await query(
      `insert into ${this.name} (${this.columnNames}${column})
       select *${value} from unnest(${arrays}) ${this.onConflict}`,
      [...arrays.map((_, i) => rows.map((row) => row[i])), ...pool === undefined ? [] : [pool]],
    );
  }

  /** Returns the first row of `select * from <this table> <rest>`. */
  async find(query: Query, rest = "", values: readonly unknown[] = []): Promise<T | undefined> {
    const [row] = await query(`select * from ${this.name} ${rest}`, values);
    return row && this.parse(row);
  }

  /** Yields the rows by page. `rest` orders them; its parameters are `start` or the last key, then `fixed`. */
  async *read(
    query: Query,
    rest: string,
    { start, after, fixed = [] }: {
      readonly start: readonly unknown[];
      readonly after: (last: T) => readonly unknown[];
      readonly fixed?: readonly unknown[];
    },
  ): AsyncGenerator<T> {
    for (let key = start;;) {
      const rows = await query(`select * from ${this.name} ${rest} limit ${PAGE_SIZE}`, [...key, ...fixed]);
      const items = rows.map((row) => this.parse(row));
      yield* items;
      if (items.length < PAGE_SIZE) return;
      key = after(items[items.length - 1]);
    }
  }
}

const PAGE_SIZE = 5_000;
