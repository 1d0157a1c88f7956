import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, beginCell, type Message } from "@ton/core";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import type { LedgerEntry, Store } from "../../store/store.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { ReturnedCoins } from "./returned_coins.ts";

const [wallet, jettonPool, nativePool, jettonWallet] = [1, 2, 3, 4].map((byte) =>
  new Address(0, Buffer.alloc(32, byte))
);
const pools = new Set([jettonPool.toRawString()]);

const message = (src: Address, dest: Address, coins: bigint, op: number, queryId: bigint) =>
  ({
    info: { type: "internal", src, dest, value: { coins } },
    body: beginCell().storeUint(op, 32).storeUint(queryId, 64).endCell(),
  }) as unknown as Message;

function chainOf(history: { received?: Message; sent?: Message[] }[]) {
  const transactions = history.map(({ received, sent = [] }, i): ChainTransaction => ({
    id: { lt: BigInt(i + 1), hash: `hash${i + 1}` },
    prev: i === 0 ? null : { lt: BigInt(i), hash: `hash${i}` },
    now: 100 + i,
    raw: {
      inMessage: received ?? { info: { type: "external-in" } },
      outMessages: { values: () => sent },
      totalFees: { coins: 3n },
    } as unknown as ChainTransaction["raw"],
  }));
  const chain = {
    reads: 0,
    account: () => Promise.resolve({ last: transactions.at(-1)?.id }),
    transactions: (_: Address, { limit, from }: { limit: number; from?: { lt: bigint } }) => {
      chain.reads++;
      return Promise.resolve(
        transactions.filter(({ id }) => id.lt <= from!.lt).reverse().slice(0, limit),
      );
    },
  };
  return chain;
}

const cursor = { lt: 9n, hash: "cursor" };

async function openStore() {
  const store = memoryStore({ now: () => 0, shared: false })();
  await store.apply(
    { pool: jettonPool.toRawString(), events: [], from: undefined, to: cursor },
    () => undefined,
  );
  const ledger = () => Array.fromAsync(store.ledger(0, Number.MAX_SAFE_INTEGER));
  return { store, ledger };
}

const open = (chain: unknown, store: Store) =>
  new ReturnedCoins(pools, { chain: chain as Chain, store, wallet: { address: wallet } });

const { signal } = new AbortController();
const withdrawal = (queryId: bigint, pool = jettonPool) =>
  message(wallet, pool, 500n, opCodes.withdraw, queryId);
const excess = (queryId: bigint, coins: bigint) =>
  message(jettonWallet, wallet, coins, opCodes.excesses, queryId);

Deno.test("coins that return after a withdrawal of jettons are booked to its pool, less the fee of receiving them", async () => {
  const { store, ledger } = await openStore();
  const chain = chainOf([
    { sent: [withdrawal(7n), withdrawal(8n, nativePool)] },
    { received: excess(7n, 90n) },
    { received: excess(8n, 91n) }, // of a native pool
    { received: excess(9n, 92n) }, // a query id that we did not send
    { received: message(jettonWallet, wallet, 93n, opCodes.transfer_notification, 7n) },
    { received: excess(7n, 60n) },
  ]);
  const returned = open(chain, store);
  await returned.step(signal);
  const entry = { pool: jettonPool.toRawString(), kind: "transfer", lt: 0n, fee: 0n, refund: 0n } as const;
  const expected: LedgerEntry[] = [
    { ...entry, txHash: "hash2", timestamp: 101, gas: 3n - 90n },
    { ...entry, txHash: "hash6", timestamp: 105, gas: 3n - 60n },
  ];
  const byHash = (a: LedgerEntry, b: LedgerEntry) => a.txHash < b.txHash ? -1 : 1;
  deepEqual((await ledger()).sort(byHash), expected);
  deepEqual(await store.cursor(jettonPool.toRawString()), cursor);
  // Nothing new: the history is not read again. After a restart it is, and nothing is booked twice.
  const { reads } = chain;
  await returned.step(signal);
  equal(chain.reads, reads);
  await open(chain, store).step(signal);
  deepEqual((await ledger()).sort(byHash), expected);
});

Deno.test("coins that return in a later step belong to the withdrawal of an earlier one", async () => {
  const { store, ledger } = await openStore();
  const history = [
    { sent: [withdrawal(7n)] },
    ...Array.from({ length: 90 }, () => ({ received: excess(1n, 1n) })),
  ];
  const chains = [chainOf(history), chainOf([...history, { received: excess(7n, 50n) }])];
  let current = 0;
  const chain = {
    account: () => chains[current].account(),
    transactions: (...args: Parameters<typeof chains[0]["transactions"]>) =>
      chains[current].transactions(...args),
  };
  const returned = open(chain, store);
  await returned.step(signal);
  deepEqual(await ledger(), []);
  current = 1;
  await returned.step(signal);
  deepEqual((await ledger()).map(({ gas, txHash }) => [gas, txHash]), [[3n - 50n, "hash92"]]);
  equal(chains[1].reads, 1, "only the new transactions were read");
});

Deno.test("a step whose entries could not be written is repeated as a whole", async () => {
  const { store, ledger } = await openStore();
  const chain = chainOf([{ sent: [withdrawal(7n)] }, { received: excess(7n, 90n) }]);
  let fails = true;
  const unsteady = {
    cursor: (pool: string) => store.cursor(pool),
    apply: (...args: Parameters<typeof store.apply>) =>
      fails ? Promise.reject(new Error("the cursor moved")) : store.apply(...args),
  };
  const returned = new ReturnedCoins(pools, {
    chain: chain as unknown as Chain,
    store: unsteady,
    wallet: { address: wallet },
  });
  await rejects(returned.step(signal), /the cursor moved/);
  deepEqual(await ledger(), []);
  fails = false;
  await returned.step(signal);
  equal((await ledger()).length, 1);
});
