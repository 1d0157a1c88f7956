import { deepEqual, equal, rejects } from "node:assert/strict";
import { generateRows, samplePools, sortedRows } from "../../tests/support/relayer/store_rows.ts";
import type { ArchivedStore, ArchiveRow } from "./archive.ts";
import { archiveRows as kvRows, restoreRows as restoreKv } from "./kv/archive.ts";
import { encodeValue, storeKeys } from "./kv/codec.ts";
import { archiveRows as postgresRows, restoreRows as restorePostgres } from "./postgres/archive.ts";
import type { Database, Query, Row } from "./postgres/database.ts";
import { fieldToBytea } from "./postgres/table.ts";

async function* streamed(rows: Iterable<ArchiveRow>): AsyncIterable<ArchiveRow> {
  for (const row of rows) yield await Promise.resolve(row);
}
const sorted = (rows: () => AsyncIterable<ArchiveRow>) => sortedRows({ rows } as unknown as ArchivedStore);

Deno.test("kv: an archive contains all rows of a store, small tables first", async () => {
  const rows = () => generateRows({ deposits: 250, jobs: 20 });
  using kv = await Deno.openKv(":memory:");
  await restoreKv(kv, streamed(rows()));
  deepEqual(await sorted(() => kvRows(kv)), await sorted(() => streamed(rows())));
  const kinds = (await Array.fromAsync(kvRows(kv))).map(({ kind }) => kind);
  const order = ["identity", "cursor", "job", "transfer", "ledger", "deposit", "withdrawal", "log"];
  deepEqual([...new Set(kinds)], order);
  equal((await kv.get(storeKeys.restoring)).value, null);
});

Deno.test("kv: the archive of an empty store has no rows", async () => {
  using kv = await Deno.openKv(":memory:");
  deepEqual(await Array.fromAsync(kvRows(kv)), []);
});

Deno.test("kv: an export of a release without logs of version 1 pools gets them with its import", async () => {
  const [pool] = samplePools;
  const earlier = [...generateRows({ deposits: 1_000, jobs: 1 })].filter((row) =>
    row.kind !== "log" || row.pool !== pool
  );
  using kv = await Deno.openKv(":memory:");
  await restoreKv(kv, streamed(earlier));
  const log = (await Array.fromAsync(kvRows(kv))).flatMap((row) =>
    row.kind === "log" && row.pool === pool ? [row.entry.value] : []
  );
  const payments = earlier.flatMap((row) =>
    row.kind === "withdrawal" && row.pool === pool ? [row.withdrawal.nullifierHash] : []
  );
  equal(payments.length > 100, true);
  deepEqual(log, payments);
});

Deno.test("kv: an import needs an empty store, and an interrupted one leaves a marker", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(storeKeys.version, encodeValue(1));
  async function* cut(): AsyncIterable<ArchiveRow> {
    yield* streamed(generateRows({ deposits: 2, jobs: 1 }));
    throw new Error("cut off");
  }
  await rejects(restoreKv(kv, cut()), /cut off/);
  equal((await kv.get(storeKeys.restoring)).value !== null, true);
  await rejects(restoreKv(kv, streamed([])), { code: "store_not_empty" });
});

const POOL = "0:aa";
const PAGE_SIZE = 5_000;
const hashes = (count: number) => Array.from({ length: count }, (_, i) => fieldToBytea(BigInt(i + 1)));

function databaseWith(count: number, identity: Row[] = []) {
  const keys = hashes(count);
  const requests: unknown[] = [];
  const query: Query = (text, values = []) => {
    if (text.includes("from identity")) return Promise.resolve(identity);
    if (/distinct pool from (deposits|withdrawals)/.test(text)) return Promise.resolve([{ pool: POOL }]);
    if (text.includes("from deposits")) {
      const [from] = values as [number];
      requests.push(from);
      return Promise.resolve(
        keys.slice(from, from + PAGE_SIZE).map((commitment, i) => ({
          leaf_index: from + i,
          commitment,
          timestamp: "7",
          tx_hash: "aa",
        })),
      );
    }
    if (text.includes("from withdrawals")) {
      const [after] = values as [Uint8Array | string];
      const start = after === "" ? 0 : keys.findIndex((key) => key.equals(after as Uint8Array)) + 1;
      const page = keys.slice(start, start + PAGE_SIZE);
      return Promise.resolve(page.map((nullifier_hash) => ({
        nullifier_hash,
        fee: "1",
        refund: "2",
        timestamp: "3",
        tx_hash: "bb",
      })));
    }
    return Promise.resolve([]);
  };
  const database = {
    snapshot: (work: (query: Query) => Promise<void>) => work(query),
  } as unknown as Database;
  return { database, requests };
}

for (const count of [0, 4_999, 5_000, 10_001]) {
  Deno.test(`postgres: an archive has each of ${count} deposits and withdrawals once, in order, and ends`, async () => {
    const { database, requests } = databaseWith(count);
    const rows = await Array.fromAsync(postgresRows(database));
    const leaves = rows.flatMap((row) => row.kind === "deposit" ? [row.deposit] : []);
    const paid = rows.flatMap((row) => row.kind === "withdrawal" ? [row.withdrawal.nullifierHash] : []);
    deepEqual(leaves.map(({ leafIndex }) => leafIndex), Array.from({ length: count }, (_, i) => i));
    deepEqual(paid, Array.from({ length: count }, (_, i) => BigInt(i + 1)));
    equal(rows.length, 2 * count);
    deepEqual(requests, Array.from({ length: Math.floor(count / 5_000) + 1 }, (_, i) => 5_000 * i));
  });
}

Deno.test("postgres: the identity comes first, if the store has one", async () => {
  const { database } = databaseWith(1, [{ network: "testnet", wallet: "0:bb" }]);
  const [first] = await Array.fromAsync(postgresRows(database));
  deepEqual(first, { kind: "identity", identity: { network: "testnet", wallet: "0:bb" } });
});

Deno.test("postgres: a database that fails ends the archive with its error, and a reader may stop early", async () => {
  const failing = { snapshot: () => Promise.reject(new Error("connection lost")) } as unknown as Database;
  await rejects(Array.fromAsync(postgresRows(failing)), /connection lost/);
  for await (const row of postgresRows(databaseWith(10_001).database)) {
    equal(row.kind, "deposit");
    break;
  }
});

async function restoreInto(
  rows: Iterable<ArchiveRow>,
  { filled, leads = false }: { filled?: string; leads?: boolean } = {},
) {
  const writes: string[] = [];
  const query: Query = (text) => {
    if (/^\s*insert/.test(text)) writes.push(/insert into (\w+)/.exec(text)![1]);
    const isFound = text.includes("from lease")
      ? leads
      : filled !== undefined && text.includes(`from ${filled} `);
    return Promise.resolve(isFound ? [{}] : []);
  };
  const database = {
    longTransaction: (work: (query: Query) => Promise<void>) => work(query),
  } as unknown as Database;
  await restorePostgres(database, streamed(rows));
  return writes;
}

Deno.test("postgres: an import writes each kind of row, and the large ones by pool in pages of 5,000", async () => {
  const counts = new Map<string, number>();
  for (const table of await restoreInto(generateRows({ deposits: 5_001, jobs: 3 }))) {
    counts.set(table, (counts.get(table) ?? 0) + 1);
  }
  deepEqual(Object.fromEntries(counts), {
    identity: 1,
    sync_cursor: 2,
    jobs: 6,
    transfers: 1,
    ledger: 1,
    deposits: 4,
    withdrawals: 2,
    pool_log: 2,
  });
});

for (
  const filled of [
    "deposits",
    "withdrawals",
    "sync_cursor",
    "jobs",
    "transfers",
    "identity",
    "ledger",
    "pool_log",
  ]
) {
  Deno.test(`postgres: nothing is imported into a database with rows in ${filled}`, async () => {
    await rejects(restoreInto(generateRows({ deposits: 1, jobs: 1 }), { filled }), {
      code: "store_not_empty",
    });
  });
}

Deno.test("postgres: nothing is imported while a relayer runs on the database", async () => {
  const rows = generateRows({ deposits: 1, jobs: 1 });
  await rejects(restoreInto(rows, { leads: true }), { code: "store_not_empty", message: /a relayer runs/ });
});
