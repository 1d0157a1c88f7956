/** An export restores a store of any kind exactly. A changed file is refused. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { Buffer } from "node:buffer";
import { generateRows, samplePools, sortedRows } from "../../support/relayer/store_rows.ts";
import type { ArchivedStore, ArchiveRow } from "../../../src/store/archive.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { checkStore } from "../../../src/ops/store/consistency_check.ts";
import { exportStore, importStore, verifyExport } from "../../../src/ops/store/export.ts";

const quiet = () => {};
const noPostgres = !await postgresServer();

/** Opens a store for one test. */
async function withStore(
  kind: "kv" | "postgres",
  act: (store: ArchivedStore) => Promise<void>,
): Promise<void> {
  if (kind === "postgres") {
    await using database = await freshDatabase();
    const store = await openPostgresStore(database.url);
    return await act(store).finally(() => store.close());
  }
  const directory = await Deno.makeTempDir({ prefix: "tonado-export-" });
  const store = await openKvStore(directory);
  await act(store).finally(() => store.close());
  await Deno.remove(directory, { recursive: true });
}

async function exported(store: ArchivedStore): Promise<Uint8Array[]> {
  return await Array.fromAsync(
    exportStore(store, { exportedAt: new Date(0), onProgress: quiet, done: quiet }),
  );
}

const opener = (file: Uint8Array[]) => () => Promise.resolve(ReadableStream.from(file));

/** Splits a file into small pieces, so that lines and characters are cut at any position. */
function* pieces(file: Uint8Array[], size: number): Generator<Uint8Array> {
  for (const chunk of file) for (let i = 0; i < chunk.length; i += size) yield chunk.subarray(i, i + size);
}

async function* generated(rows: Iterable<ArchiveRow>): AsyncGenerator<ArchiveRow> {
  yield* rows;
}

const moves: ["kv" | "postgres", "kv" | "postgres"][] = [["kv", "postgres"], ["postgres", "kv"], [
  "kv",
  "kv",
]];
for (const [from, to] of moves) {
  Deno.test({
    name: `export: ${from} to ${to} loses nothing of thousands of rows of every kind`,
    ignore: noPostgres && (from === "postgres" || to === "postgres"),
    fn: () =>
      withStore(from, (source) =>
        withStore(to, async (target) => {
          await source.restore(generated(generateRows({ deposits: 3_000, jobs: 500 })));
          const file = await exported(source);
          const summary = await importStore(target, opener(file), quiet);
          deepEqual(summary.counts, {
            identity: 1,
            cursor: 2,
            deposit: 6_000,
            withdrawal: 1_532,
            job: 1_000,
            transfer: 1,
            ledger: 6,
            log: 1_534,
          });
          const [before, after] = [await sortedRows(source), await sortedRows(target)];
          equal(before.length, summary.rows);
          deepEqual(after, before);
          equal((await target.liveJobs()).length, 336);
          equal((await readLeaves(target, samplePools[1], 2_990)).length, 10);
          deepEqual((await checkStore(target, quiet)).filter(({ passed: holds }) => !holds), []);
        })),
  });
}

Deno.test("a truncated, changed, reordered or invented file is refused, and none of its rows are written", () =>
  withStore("kv", (source) =>
    withStore("kv", async (target) => {
      await source.restore(generated(generateRows({ deposits: 20, jobs: 10 })));
      const file = Buffer.concat(await exported(source));
      const text = file.toString();
      const lines = text.split("\n");
      const broken: [string, string][] = [
        ["empty", ""],
        ["the end missing", text.slice(0, -200)],
        ["the last line missing", lines.slice(0, -2).join("\n") + "\n"],
        ["the last end of line missing", text.slice(0, -1)],
        ["a row missing", lines.toSpliced(5, 1).join("\n")],
        ["two rows exchanged", lines.toSpliced(30, 2, lines[31], lines[30]).join("\n")],
        ["a digit changed", text.replace('"leafIndex":7', '"leafIndex":9')],
        ["a line that is no row", lines.toSpliced(3, 0, '{"kind":"joke"}').join("\n")],
        ["an unknown member", text.replace('"kind":"cursor"', '"kind":"cursor","note":1')],
        ["another format", text.replace("tonado-store", "tonado-storm")],
        ["a newer version", text.replace('"version":1', '"version":2')],
        ["a line without end", "x".repeat(2_000_000)],
        ["bytes that are no text", "\uFFFD".repeat(10)],
      ];
      for (const [what, content] of broken) {
        const bytes = what === "bytes that are no text"
          ? Uint8Array.of(0xff, 0x0a, 0xff, 0x0a)
          : Buffer.from(content);
        await rejects(importStore(target, opener([bytes]), quiet), { code: "invalid_export" }, what);
        deepEqual(await sortedRows(target), [], what);
      }
      const cut = ReadableStream.from(pieces([file], 7));
      equal((await verifyExport(cut, quiet)).rows, lines.length - 3);
    })));

for (const kind of ["kv", "postgres"] as const) {
  Deno.test({
    name: `export: only an empty ${kind} store accepts an import`,
    ignore: noPostgres && kind === "postgres",
    fn: () =>
      withStore(kind, async (store) => {
        await store.restore(
          generated([{ kind: "cursor", pool: samplePools[0], cursor: { lt: 1n, hash: "aa" } }]),
        );
        const file = await exported(store);
        await rejects(importStore(store, opener(file), quiet), { code: "store_not_empty" });
      }),
  });
}

for (const kind of ["kv", "postgres"] as const) {
  Deno.test({
    name: `export: a ${kind} store gets the logs of version 1 pools that an earlier release lacked`,
    ignore: noPostgres && kind === "postgres",
    fn: () =>
      withStore(kind, async (store) => {
        const all = [...generateRows({ deposits: 1_000, jobs: 5 })];
        const isNew = (row: ArchiveRow) => row.kind === "log" && row.pool === samplePools[0];
        await store.restore(generated(all.filter((row) => !isNew(row))));
        const log = await Array.fromAsync(store.poolLog(samplePools[0], 0), ({ value }) => value);
        deepEqual(log, all.flatMap((row) => isNew(row) && row.kind === "log" ? [row.entry.value] : []));
        deepEqual((await checkStore(store, quiet)).filter(({ passed }) => !passed), []);
      }),
  });
}

Deno.test("after an interrupted import, no relayer starts on the embedded store", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-export-" });
  const store = await openKvStore(directory);
  async function* cut(): AsyncGenerator<ArchiveRow> {
    yield* generateRows({ deposits: 200, jobs: 5 });
    throw new Error("pulled the plug");
  }
  await rejects(store.restore(cut()), /pulled the plug/);
  await store.close();
  await rejects(openKvStore(directory), { code: "store_corrupted" });
  await Deno.remove(directory, { recursive: true });
});

Deno.test({
  name: "export: an import that is cut off leaves a database empty",
  ignore: noPostgres,
  fn: () =>
    withStore("postgres", async (store) => {
      async function* cut(): AsyncGenerator<ArchiveRow> {
        yield* generateRows({ deposits: 6_000, jobs: 5 });
        throw new Error("pulled the plug");
      }
      await rejects(store.restore(cut()), /pulled the plug/);
      deepEqual(await sortedRows(store), []);
    }),
});
