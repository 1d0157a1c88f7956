import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, beginCell, TupleReader } from "@ton/core";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { internalMessage, transactionOf } from "../../../testkit/simulation/transactions.ts";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { v2OpCodes } from "../../core/protocol/v2/messages.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { normalizedMessageHash, type Wallet } from "../../ton/wallet/wallet.ts";
import { findIncludedTransfer } from "./transfer_lookup.ts";
import { WalletMonitor } from "./wallet_monitor.ts";

const OURS = 1_700_000_000;
const address = new Address(0, Buffer.alloc(32, 2));
const pool = new Address(0, Buffer.alloc(32, 7));

function monitor(apart: number, { seqno = 5, usesWallClock = true, confirmed }: {
  readonly seqno?: number;
  readonly usesWallClock?: boolean;
  readonly confirmed?: number;
} = {}) {
  const state = { seqno, now: OURS + apart };
  let now = OURS * 1000 + 999;
  const wallet = { address, state: () => Promise.resolve(state) } as unknown as Wallet;
  const chain = {
    runGetMethod: () => Promise.resolve(new TupleReader([int(confirmed!)])),
  } as unknown as Chain;
  const observer = new WalletMonitor({
    wallet,
    chain,
    usesWallClock,
    hasSecondEndpoint: confirmed !== undefined,
    clock: { now: () => now, sleep: () => Promise.resolve() },
  });
  return { observer, state, pass: (ms: number) => void (now += ms) };
}

Deno.test("time has certainly passed only if chain time and our clock agree, on a node that may be 30 s behind", async () => {
  for (const [apart, elapsed] of [[0, -30], [-29, -30], [-30, -30], [-31, -31], [-120, -120], [120, -30]]) {
    const { elapsedUntil, maxPlausibleTime } = await monitor(apart).observer.observe();
    deepEqual([elapsedUntil, maxPlausibleTime], [OURS + elapsed, OURS + apart + 240], `${apart} s apart`);
  }
});

for (const [apart, text] of [[121, "121 s ahead of"], [-121, "121 s behind"]] as const) {
  Deno.test(`an endpoint that is ${text} our clock is rejected, which is reported for a minute`, async () => {
    const { observer, pass, state } = monitor(apart);
    equal(observer.hasClockSkew, false);
    await rejects(observer.observe(), { code: "chain_inconsistent", message: new RegExp(text) });
    equal(observer.hasClockSkew, true);
    pass(60_000);
    equal(observer.hasClockSkew, true);
    pass(1);
    equal(observer.hasClockSkew, false);
    Object.assign(state, { now: OURS + 61 + apart });
    await rejects(observer.observe(), { code: "chain_inconsistent" });
    Object.assign(state, { now: OURS + 60 });
    await observer.observe();
    equal(observer.hasClockSkew, false, "the clocks agree again");
  });
}

Deno.test("a local network's time is accepted without a check", async () => {
  const seen = await monitor(99_999, { usesWallClock: false }).observer.observe();
  deepEqual([seen.elapsedUntil, seen.maxPlausibleTime], [OURS + 99_999, Infinity]);
});

const seqnos: [seqno: number, confirmed: number | undefined, expected: number][] = [
  [5, undefined, 5],
  [5, 5, 5],
  [6, 5, 5],
  [5, 6, 5],
  [0, 9, 0],
];
for (const [seqno, confirmed, expected] of seqnos) {
  Deno.test(`seqno ${seqno}, with ${confirmed ?? "none"} of a second endpoint, gives ${expected}`, async () => {
    for (const usesWallClock of [true, false]) {
      const options = { seqno, usesWallClock, ...confirmed !== undefined && { confirmed } };
      equal((await monitor(0, options).observer.observe()).seqno, expected);
    }
  });
}

const bodyOf = (n: number) => beginCell().storeUint(n, 32).endCell();

/** A wallet's history, oldest first: the body of each external message, its time, and the ops that it sent. */
function historyOf(
  ...transfers: readonly (readonly [n: number | undefined, at: number, ops: readonly number[]])[]
) {
  const history: ChainTransaction[] = [];
  for (const [i, [n, at, ops]] of transfers.entries()) {
    const lt = BigInt(1_000 * (i + 1));
    const message = { src: pool, dest: address, value: 1n, lt: lt - 1n, now: at };
    history.push(transactionOf({
      account: address,
      lt,
      now: at,
      exitCode: 0,
      fees: 40n,
      prev: history.at(-1)?.id ?? null,
      inMessage: n === undefined
        ? internalMessage({ ...message, body: bodyOf(0) })
        : { info: { type: "external-in", dest: address, importFee: 0n }, body: bodyOf(n) },
      outMessages: ops.map((op, k) => {
        const body = beginCell().storeUint(op, 32).storeUint(BigInt(100 + k), 64).endCell();
        return internalMessage({
          src: address,
          dest: pool,
          value: 9n,
          lt: lt + BigInt(k + 1),
          now: at,
          body,
        });
      }),
    }));
  }
  let pages = 0;
  const chain = {
    transactions: (_: Address, { from, limit }: { from: { hash: string }; limit: number }) => {
      pages++;
      const newest = history.toReversed();
      const start = newest.findIndex(({ id }) => id.hash === from.hash);
      return Promise.resolve(newest.slice(start, start + limit));
    },
  } as unknown as Chain;
  const hash = (n: number) => normalizedMessageHash(address, bodyOf(n));
  const find = (n: number, since = OURS) =>
    findIncludedTransfer(
      chain,
      address,
      { hash: hash(n), since },
      history.at(-1)?.id,
      new AbortController().signal,
    );
  return { find, pages: () => pages };
}

Deno.test("a transfer is found by its message, with the query ids of its withdrawals and its fees", async () => {
  const ops = [opCodes.withdraw, v2OpCodes.withdraw2, v2OpCodes.withdraw_many, v2OpCodes.settle];
  const { find } = historyOf([1, OURS, ops], [undefined, OURS + 1, []], [2, OURS + 2, []]);
  const found = (await find(1))!;
  deepEqual([[...found.queryIds], found.timestamp, found.fees], [[100n, 101n, 102n], OURS, 40n]);
  deepEqual(found.recipients, Array(4).fill(pool.toRawString()));
  deepEqual((await find(2))!.queryIds, new Set());
  equal(await find(3), undefined);
});

Deno.test("the search ends at transactions 15 s before the signing, and reads page by page until then", async () => {
  const many = Array.from({ length: 50 }, (_, i) => [undefined, OURS + 1 + i, []] as const);
  for (const [at, isFound] of [[OURS - 15, true], [OURS - 16, false]] as const) {
    const { find, pages } = historyOf([1, at, []], ...many);
    deepEqual([await find(1) !== undefined, pages()], [isFound, 3]);
  }
  equal(await historyOf().find(1), undefined);
});
