import assert from "node:assert/strict";
import { type Address, toNano } from "@ton/core";
import { Problem, type ProblemCode } from "../../../core/errors/problem.ts";
import { startLocalnet } from "../../../localnet/localnet.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../chain.ts";
import { ScanCheckpoint, type ScanOptions, scanPoolTransactions } from "./scan.ts";
import { connect } from "../../endpoint/toncenter.ts";
import { openWallet } from "../../wallet/wallet.ts";

async function history(): Promise<{ account: Address; transactions: ChainTransaction[] }> {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  try {
    const chain = connect({ endpoint: net.url });
    const [{ mnemonic, version }, { address }] = net.wallets;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    for (let i = 0; i < 9; i++) await wallet.send([{ to: address, value: toNano("1"), bounce: false }]);
    return { account: address, transactions: await chain.transactions(address, { limit: 100 }) };
  } finally {
    await net.close();
  }
}

const { account, transactions } = await history();
const oldestFirst = transactions.toReversed().map(({ id }) => id);

function endpoint(known: readonly ChainTransaction[], largest = 100) {
  const requests: { from?: TransactionId; limit: number }[] = [];
  const chain = {
    account: () => Promise.resolve({ state: "active", balance: 0n, syncUtime: 0, last: known[0]?.id }),
    transactions(_address, { from, limit }) {
      requests.push({ from, limit });
      const start = known.findIndex(({ id }) => id.hash === from?.hash);
      if (start < 0) return Promise.reject(new Problem("chain_inconsistent", "endpoint does not know it"));
      return Promise.resolve(known.slice(start, start + Math.min(limit, largest)));
    },
  } as Partial<Chain> as Chain;
  return { chain, requests };
}

const scan = (chain: Chain, options?: ScanOptions) =>
  Array.fromAsync(scanPoolTransactions(chain, account, options));

async function refuses(chain: Chain, code: ProblemCode, options?: ScanOptions) {
  await assert.rejects(
    scan(chain, options),
    (error: unknown) => error instanceof Problem && error.code === code,
  );
}

Deno.test("the history has what these tests need", () => assert.equal(transactions.length, 10));

for (const pageSize of [1, 3, 4, 10, 100]) {
  for (const pagesHeld of [1, 2, 100]) {
    Deno.test(`a scan in pages of ${pageSize}, ${pagesHeld} in memory, covers each transaction once, oldest first`, async () => {
      const batches = await scan(endpoint(transactions).chain, { pageSize, maxPagesInMemory: pagesHeld });
      assert.equal(batches.reduce((sum, { transactionCount: count }) => sum + count, 0), transactions.length);
      assert.deepEqual(batches.at(-1)!.cursor, transactions[0].id);
      const lts = batches.map(({ cursor }) => cursor.lt);
      assert.deepEqual(lts, lts.toSorted((a, b) => a < b ? -1 : 1));
    });
  }
}

for (const [index, after] of oldestFirst.entries()) {
  Deno.test(`from cursor ${index} the scan covers only newer transactions`, async () => {
    const batches = await scan(endpoint(transactions).chain, { after, pageSize: 4 });
    assert.equal(
      batches.reduce((sum, { transactionCount: count }) => sum + count, 0),
      transactions.length - 1 - index,
    );
  });
}

Deno.test("memory is bounded: only pages that were dropped are read again", async () => {
  const { chain, requests } = endpoint(transactions);
  await scan(chain, { pageSize: 2, maxPagesInMemory: 2 });
  const back = requests.slice(0, 5).map(({ from }) => from!.lt);
  const again = requests.slice(5).map(({ from }) => from!.lt);
  assert.deepEqual(again, back.slice(0, 3).toReversed());
});

Deno.test("an endpoint that returns shorter pages the second time is read until the end of the page", async () => {
  const { chain } = endpoint(transactions, 4);
  const small = endpoint(transactions, 1).chain;
  let calls = 0;
  const shrinking = {
    ...chain,
    transactions: (...args) => (++calls > 3 ? small : chain).transactions(...args),
  } as Chain;
  const batches = await scan(shrinking, { pageSize: 4, maxPagesInMemory: 1 });
  assert.equal(batches.reduce((sum, { transactionCount: count }) => sum + count, 0), transactions.length);
  assert.ok(calls > 6);
});

Deno.test("nothing new: no batch, no transaction asked for", async () => {
  const { chain, requests } = endpoint(transactions);
  assert.deepEqual(await scan(chain, { after: transactions[0].id }), []);
  assert.deepEqual(requests, []);
});

Deno.test("an account without history: no batch", async () => {
  assert.deepEqual(await scan(endpoint([]).chain), []);
});

Deno.test("progress reports how far the scan has read back", async () => {
  const seen: number[] = [];
  await scan(endpoint(transactions).chain, { pageSize: 4, onProgress: (count) => seen.push(count) });
  assert.deepEqual(seen, [4, 8, 10]);
});

function failing(chain: Chain, fails: (call: number) => boolean): Chain {
  let calls = 0;
  return {
    ...chain,
    transactions: (...args) =>
      fails(++calls) ? Promise.reject(new Problem("chain_unavailable")) : chain.transactions(...args),
  };
}

async function persist(chain: Chain, options: ScanOptions, limit: number, kept = new ScanCheckpoint()) {
  const cursors: TransactionId[] = [];
  let count = 0;
  for (let tries = 1; tries <= limit; tries++) {
    try {
      for await (
        const batch of scanPoolTransactions(chain, account, {
          ...options,
          after: cursors.at(-1),
          checkpoint: kept,
        })
      ) {
        cursors.push(batch.cursor);
        count += batch.transactionCount;
      }
      return { cursors, count, tries };
    } catch (error) {
      if (!(error instanceof Problem && error.code === "chain_unavailable")) throw error;
    }
  }
  throw new Error(`not done after ${limit} tries`);
}

for (const every of [2, 3, 4, 7]) {
  for (const pagesHeld of [1, 3, 100]) {
    Deno.test(`an endpoint that fails at one call of ${every}, ${pagesHeld} pages in memory, costs no page twice`, async () => {
      const { chain, requests } = endpoint(transactions);
      const options = { pageSize: 1, maxPagesInMemory: pagesHeld };
      const { cursors, count } = await persist(failing(chain, (n) => n % every === 0), options, 30);
      assert.deepEqual(cursors, oldestFirst);
      assert.equal(count, transactions.length);
      assert.equal(requests.length, transactions.length + Math.max(0, transactions.length - pagesHeld));
    });
  }
}

Deno.test("a resumed scan reports the progress of the whole scan", async () => {
  const seen: number[] = [];
  const chain = failing(endpoint(transactions).chain, (call) => call === 2);
  await persist(chain, { pageSize: 4, onProgress: (count) => seen.push(count) }, 2);
  assert.deepEqual(seen, [4, 8, 10]);
});

Deno.test("a checkpoint is valid only for its cursor: a scan from another one starts over", async () => {
  const kept = new ScanCheckpoint();
  const { chain, requests } = endpoint(transactions);
  await refuses(failing(chain, (call) => call > 2), "chain_unavailable", { pageSize: 2, checkpoint: kept });
  const batches = await scan(chain, { pageSize: 2, checkpoint: kept, after: oldestFirst[1] });
  assert.equal(batches.reduce((sum, { transactionCount: count }) => sum + count, 0), transactions.length - 2);
  assert.equal(requests.filter(({ from }) => from!.hash === transactions[0].id.hash).length, 2);
});

Deno.test("a checkpoint whose next page is never returned is dropped: its newest transaction may be invented", async () => {
  const kept = new ScanCheckpoint();
  const { chain } = endpoint(transactions);
  const newest = { lt: transactions[0].id.lt + 1n, hash: "22".repeat(32) };
  const lost = { ...chain, transactions: () => Promise.reject(new Problem("chain_unavailable")) } as Chain;
  for (let i = 0; i < 10; i++) await refuses(lost, "chain_unavailable", { newest, checkpoint: kept });
  assert.equal((await scan(chain, { checkpoint: kept })).at(-1)!.cursor.hash, transactions[0].id.hash);
});

Deno.test("a checkpoint of a false history is dropped", async () => {
  const kept = new ScanCheckpoint();
  const after = fork(transactions[4].id);
  const { chain } = endpoint(transactions);
  await refuses(failing(chain, (call) => call > 1), "chain_unavailable", {
    after,
    pageSize: 2,
    checkpoint: kept,
  });
  await refuses(chain, "chain_inconsistent", { after, pageSize: 2, checkpoint: kept });
  const { chain: again, requests } = endpoint(transactions);
  await refuses(again, "chain_inconsistent", { after, pageSize: 2, checkpoint: kept });
  assert.equal(requests[0].from!.hash, transactions[0].id.hash);
});

const fork = (id: TransactionId) => ({ lt: id.lt, hash: "00".repeat(32) });
const lies: [string, readonly ChainTransaction[], TransactionId | undefined][] = [
  ["lags behind the cursor", transactions.slice(3), transactions[1].id],
  ["has lost the whole history", [], transactions[1].id],
  ["has another transaction at the cursor's time", transactions, fork(transactions[4].id)],
  ["has another newest transaction at the cursor's time", transactions, fork(transactions[0].id)],
  ["has no transaction at the cursor's time", transactions, {
    ...transactions[4].id,
    lt: transactions[4].id.lt + 1n,
  }],
  ["has a history that begins after the cursor", transactions, { lt: 1n, hash: "11".repeat(32) }],
  ["has a gap", [...transactions.slice(0, 4), ...transactions.slice(5)], undefined],
];
for (const [what, known, after] of lies) {
  Deno.test(`an endpoint that ${what} is chain_inconsistent, and no event is yielded`, async () => {
    await refuses(endpoint(known).chain, "chain_inconsistent", { after, pageSize: 4 });
  });
}

Deno.test("an abort ends the scan", async () => {
  const net = connect({ endpoint: "http://127.0.0.1:1" });
  await refuses(net, "cancelled", { signal: AbortSignal.abort() });
});
