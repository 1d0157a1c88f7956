import { deepEqual, equal } from "node:assert/strict";
import { generateDepositRows } from "../../../testkit/relayer/deposit_rows.ts";
import { readLeaves } from "../../../testkit/relayer/leaf_batches.ts";
import type { DepositEvent } from "../../ton/pool/history/pool_events.ts";
import { storeKeys } from "./codec.ts";
import { openKvStore } from "./kv_store.ts";
import { PAGE_LEAVES } from "./leaf_pages.ts";
import { Address } from "@ton/core";

const COUNT = 4 * PAGE_LEAVES + 7;
const wallet = `0:${"01".repeat(32)}`;
const pool = `0:${"ab".repeat(32)}`;
const cursor = { lt: 1n, hash: "aa" };
const leaf = (i: number) => ({
  leafIndex: i,
  commitment: 10n ** 70n + BigInt(i),
  timestamp: 1_700_000_000 + i,
});
const leaves = Array.from({ length: COUNT }, (_, i) => leaf(i));

async function withStoredLeaves(act: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-pages-" });
  try {
    const store = await openKvStore(directory);
    const commitments = leaves.map(({ commitment }) => commitment);
    await store.restore(generateDepositRows({ pool, wallet, commitments, cursor }));
    await store.close();
    await act(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function withKv<T>(directory: string, act: (kv: Deno.Kv) => Promise<T>): Promise<T> {
  const kv = await Deno.openKv(`${directory}/tonado.kv`);
  return await act(kv).finally(() => kv.close());
}

const pagesOf = (directory: string) =>
  withKv(
    directory,
    (kv) => Array.fromAsync(kv.list<Uint8Array>({ prefix: ["page"] }), ({ key, value }) => [key[2], value]),
  );

async function read(directory: string, from = 0) {
  const store = await openKvStore(directory);
  return await readLeaves(store, pool, from).finally(() => store.close());
}

for (const missing of [[], [0], [2], [0, 1, 2, 3]]) {
  Deno.test(`leaves without pages [${missing}] come from the rows, and the pages are built again`, () =>
    withStoredLeaves(async (directory) => {
      const pages = await pagesOf(directory);
      deepEqual(pages.map(([number]) => number), [0, 1, 2, 3]);
      const drop = () =>
        withKv(directory, async (kv) => {
          for (const page of missing) await kv.delete(storeKeys.page(pool, page));
        });
      for (const from of [0, 1, PAGE_LEAVES, 3 * PAGE_LEAVES - 1, COUNT - 1, COUNT]) {
        await drop();
        deepEqual(await read(directory, from), leaves.slice(from), `from ${from}`);
      }
      await read(directory);
      deepEqual(await pagesOf(directory), pages);
    }));
}

Deno.test("a page is read, not its rows", () =>
  withStoredLeaves(async (directory) => {
    await withKv(directory, async (kv) => {
      for (let i = 0; i < PAGE_LEAVES; i++) await kv.delete(storeKeys.deposit(pool, i));
    });
    deepEqual(await read(directory), leaves);
  }));

Deno.test("the deposit that fills a page writes it, in whatever batch it comes", () =>
  withStoredLeaves(async (directory) => {
    const store = await openKvStore(directory);
    const event = (i: number): DepositEvent => ({
      kind: "deposit",
      ...leaf(i),
      tx: { lt: BigInt(i), hash: "bb" },
      sender: Address.parse(pool),
      queryId: 0n,
      messageHash: "",
    });
    let from = cursor;
    for (let i = COUNT; i < 5 * PAGE_LEAVES + 3; i += 80) {
      const to = { lt: BigInt(i), hash: "bb" };
      const events = Array.from({ length: 80 }, (_, k) => event(i + k));
      await store.apply({ pool, events, from, to }, () => undefined);
      from = to;
    }
    await store.close();
    const pages = await pagesOf(directory);
    equal(pages.length, 5);
    await withKv(directory, (kv) => kv.delete(storeKeys.page(pool, 4)));
    await read(directory);
    deepEqual(await pagesOf(directory), pages);
  }));
