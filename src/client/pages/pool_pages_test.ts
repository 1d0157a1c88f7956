import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { writeFieldBytes } from "../../core/crypto/field.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { downloadPoolPages, type PageCache } from "./pool_pages.ts";
import { RelayerClient } from "../relayer/relayer_client.ts";

const PAGE = 10_000;
const address = Address.parse(`0:${"11".repeat(32)}`);

interface PoolData {
  readonly leaves: bigint[];
  readonly spent: bigint[];
  readonly pending?: bigint[];
}

function bytesOf(values: readonly bigint[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 32);
  for (const [i, value] of values.entries()) writeFieldBytes(value, bytes, i * 32);
  return bytes;
}

function serverOf(data: PoolData) {
  const requests: string[] = [];
  const relayer = new RelayerClient("https://relayer.example", {
    maxAttempts: 1,
    fetch: (input) => {
      const { pathname, searchParams } = new URL(String(input));
      const [from, limit] = ["from", "limit"].map((name) => Number(searchParams.get(name)));
      requests.push(`${pathname} ${from} ${limit}`);
      if (limit === 1) return Promise.resolve(pendingPage(data, from));
      const all = pathname === "/spent" ? data.spent : data.leaves;
      const headers = { "content-type": "application/octet-stream" };
      return Promise.resolve(new Response(bytesOf(all.slice(from, from + limit)), { headers }));
    },
  });
  const tree = new MerkleTree();
  const pool = {
    address,
    getTreeSize: () => Promise.resolve(data.leaves.length),
    getRootHistory() {
      tree.appendMany(data.leaves.slice(tree.size));
      return Promise.resolve([tree.root]);
    },
  } as unknown as AnyPool;
  return { relayer, pool, requests };
}

function pendingPage({ leaves, pending = [] }: PoolData, from: number): Response {
  const waiting = pending.map((commitment, i) => ({
    leafIndex: leaves.length + i,
    commitment: `0x${commitment.toString(16).padStart(64, "0")}`,
  }));
  return Response.json({ from, count: 0, nextFrom: null, commitments: [], pending: waiting });
}

function version2Of(pool: AnyPool, withdrawals: number): AnyPool {
  const getPoolInfo = () => Promise.resolve({ withdrawals });
  return Object.assign(Object.create(V2Pool.prototype), { ...pool, getPoolInfo }) as AnyPool;
}

function memoryCache(): PageCache & { readonly records: Map<string, Uint8Array> } {
  const records = new Map<string, Uint8Array>();
  return {
    records,
    read: (key) => Promise.resolve(records.get(key)),
    write: (key, bytes) => Promise.resolve(void records.set(key, bytes)),
  };
}

const numbers = (count: number, first: number) => Array.from({ length: count }, (_, i) => BigInt(first + i));

Deno.test("a second visit downloads only the last pages, whole and aligned", async () => {
  const data = { leaves: numbers(PAGE + 5, 1), spent: numbers(PAGE + 30, 1) };
  const { relayer, pool, requests } = serverOf(data);
  const cache = memoryCache();
  const first = await downloadPoolPages(relayer, pool, { cache });
  deepEqual(requests.splice(0), [
    ...[`/tree/commitments 0 ${PAGE}`, `/tree/commitments ${PAGE} ${PAGE}`],
    ...[`/spent 0 ${PAGE}`, `/spent ${PAGE} ${PAGE}`],
  ]);
  data.leaves.push(77n);
  data.spent.push(88n);
  const second = await downloadPoolPages(relayer, pool, { cache });
  deepEqual(requests, [`/tree/commitments ${PAGE} ${PAGE}`, `/spent ${PAGE} ${PAGE}`]);
  deepEqual([first.tree.size, second.tree.size], [PAGE + 5, PAGE + 6]);
  deepEqual(second.spent, bytesOf(data.spent));
  deepEqual(second.leaves, bytesOf(data.leaves));
});

Deno.test("a full page of spent notes is kept only when 30 more follow", async () => {
  const data = { leaves: [1n], spent: numbers(PAGE + 29, 1) };
  const { relayer, pool } = serverOf(data);
  const cache = memoryCache();
  await downloadPoolPages(relayer, pool, { cache });
  equal(cache.records.size, 0);
  data.spent.push(5n);
  await downloadPoolPages(relayer, pool, { cache });
  deepEqual([...cache.records.values()].map(({ length }) => length), [PAGE * 32]);
});

Deno.test("kept leaves of another history are dropped and downloaded again", async () => {
  const { relayer, pool } = serverOf({ leaves: numbers(3, 1), spent: [] });
  const cache = memoryCache();
  cache.records.set(`${address.toRawString()} leaves`, bytesOf(numbers(PAGE, 5)));
  const { tree } = await downloadPoolPages(relayer, pool, { cache });
  equal(tree.size, 3);
});

Deno.test("leaves whose root the pool does not have are refused", async () => {
  const { relayer, pool } = serverOf({ leaves: numbers(3, 1), spent: [] });
  const other = { ...pool, address, getRootHistory: () => Promise.resolve([5n]) } as unknown as AnyPool;
  await rejects(downloadPoolPages(relayer, other), { code: "relayer_unavailable" });
});

Deno.test("a deposit that is settled between two requests is found once", async () => {
  for (const settlesIn of ["getTreeSize", "getRootHistory"] as const) {
    const data = { leaves: numbers(2, 1), spent: [], pending: [3n, 4n] };
    const { relayer, pool } = serverOf(data);
    const settle = () => void data.leaves.push(...data.pending.splice(0, 1));
    const settling = {
      ...pool,
      async [settlesIn]() {
        if (settlesIn === "getTreeSize") settle();
        const answer = await pool[settlesIn]();
        if (settlesIn === "getRootHistory") settle();
        return answer;
      },
    } as unknown as AnyPool;
    const { tree, pending } = await downloadPoolPages(relayer, version2Of(settling, 0));
    deepEqual(
      { settlesIn, size: tree.size, pending },
      settlesIn === "getTreeSize"
        ? { settlesIn, size: 3, pending: [4n] }
        : { settlesIn, size: 2, pending: [3n, 4n] },
    );
  }
});

Deno.test("a relayer that is behind the pool's withdrawals gets some time, and is then refused", async () => {
  const data = { leaves: numbers(3, 1), spent: numbers(1, 50) };
  const { relayer, pool } = serverOf(data);
  let now = 0;
  const sleep = (ms: number) => Promise.resolve(void (now += ms));
  const clock = {
    now: () => now,
    sleep: (ms: number) => {
      if (now >= 3_000 && data.spent.length < 2) data.spent.push(51n);
      return sleep(ms);
    },
  };
  const { spent } = await downloadPoolPages(relayer, version2Of(pool, 2), { clock });
  deepEqual(spent, bytesOf([50n, 51n]));
  await rejects(downloadPoolPages(relayer, version2Of(pool, 3), { clock: { now: clock.now, sleep } }), {
    code: "relayer_unavailable",
    message: /2 of the pool's 3 withdrawals/,
  });
});

Deno.test("a relayer whose full pages never end is refused", async () => {
  const page = bytesOf(numbers(PAGE, 1));
  let requests = 0;
  const relayer = new RelayerClient("https://relayer.example", {
    maxAttempts: 1,
    fetch: () => {
      requests++;
      return Promise.resolve(new Response(page, { headers: { "content-type": "application/octet-stream" } }));
    },
  });
  const { pool } = serverOf({ leaves: [], spent: [] });
  await rejects(downloadPoolPages(relayer, pool), { code: "relayer_unavailable", message: /more than the/ });
  equal(requests, 14, "131,072 deposits fit into 14 pages");
});

Deno.test("a tree is reported page by page, also when it grows", async () => {
  const data = { leaves: numbers(2 * PAGE + 5, 1), spent: [] };
  const { relayer, pool } = serverOf(data);
  const reported: number[] = [];
  const onTreeProgress = ({ leafCount }: { readonly leafCount: number }) => reported.push(leafCount);
  const { tree } = await downloadPoolPages(relayer, pool, { onTreeProgress });
  deepEqual(reported, [PAGE, 2 * PAGE, 2 * PAGE + 5]);
  data.leaves.push(...numbers(PAGE, 3 * PAGE));
  equal((await downloadPoolPages(relayer, pool, { onTreeProgress, tree })).tree.size, 3 * PAGE + 5);
  deepEqual(reported.slice(3), [3 * PAGE + 5]);
  deepEqual([tree.leaf(2 * PAGE + 4), tree.leaf(2 * PAGE + 5)], [BigInt(2 * PAGE + 5), BigInt(3 * PAGE)]);
});

Deno.test("a page with a leaf that is not below r is refused", async () => {
  const relayer = new RelayerClient("https://relayer.example", {
    maxAttempts: 1,
    fetch: () =>
      Promise.resolve(
        new Response(new Uint8Array(64).fill(0xff, 32), {
          headers: { "content-type": "application/octet-stream" },
        }),
      ),
  });
  const { pool } = serverOf({ leaves: [1n, 2n], spent: [] });
  await rejects(downloadPoolPages(relayer, pool), { code: "relayer_unavailable", message: /not below r/ });
});
