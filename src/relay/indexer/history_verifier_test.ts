import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { LedgerMessage } from "../../core/protocol/pool_ledger.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { type HistoryClaims, UnverifiedHistory } from "../../ton/pool/history/scan.ts";
import type { WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import type { Clock } from "../../core/time/clock.ts";
import { HistoryVerifier, type HistoryVerifierDeps } from "./history_verifier.ts";
import { PoolTree } from "./tree/pool_tree.ts";

const pool = new Address(0, Buffer.alloc(32, 7));
const wallet = new Address(0, Buffer.alloc(32, 8));
const stranger = new Address(0, Buffer.alloc(32, 9));
const id = (lt: bigint, hash = "aa"): TransactionId => ({ lt, hash: hash.repeat(32) });
const tip = id(1_000n);
const nothing: HistoryClaims = { messages: [], refusalCount: 0 };
const payment = (nullifierHash: bigint): LedgerMessage => ({ kind: "withdrawal", nullifierHash });
const payments = (count: number) => Array.from({ length: count }, (_, i) => payment(BigInt(i + 1)));
const LEAVES = 50;
const tree = new PoolTree();
await tree.append(Array.from({ length: LEAVES }, (_, i) => ({ commitment: BigInt(100 + i), timestamp: i })));

function verifierOf(last: TransactionId | undefined, isSpent = true, roots = [tree.root]) {
  const requests: string[] = [];
  const slots = Array.from({ length: ROOT_HISTORY_SIZE }, (_, i): TupleItem => ({
    type: "int",
    value: roots[i] ?? 0n,
  }));
  const chain = {
    runGetMethod(_address: Address, method: string) {
      requests.push(method);
      const answer: TupleItem = method === "get_root_history"
        ? { type: "tuple", items: slots }
        : { type: "int", value: isSpent ? -1n : 0n };
      return Promise.resolve(new TupleReader([answer]));
    },
    account: () => (requests.push("account"), Promise.resolve({ last })),
    transactions: () => Promise.resolve([{ id: tip }]),
  } as unknown as Chain;
  const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };
  const deps = { chain, clock, walletAddress: wallet, intervals: { minRetryMs: 1 } };
  const verifier = new HistoryVerifier(
    pool,
    tree,
    deps as unknown as HistoryVerifierDeps,
    new AbortController().signal,
  );
  const count = (method: string) => requests.filter((each) => each === method).length;
  return { verifier, count };
}

const claims: [what: string, HistoryClaims, asksAccount: boolean][] = [
  ["nothing", nothing, false],
  ["30 payments", { ...nothing, messages: payments(30) }, false],
  ["31 payments", { ...nothing, messages: payments(31) }, true],
  ["a refusal of ours", { ...nothing, refusalCount: 1 }, true],
];
for (const [what, claim, asksAccount] of claims) {
  const how = asksAccount
    ? "only if the account's state names its newest transaction"
    : "by the getters alone";
  Deno.test(`a history of ${what} is accepted ${how}`, async () => {
    const named = verifierOf(tip);
    equal(await named.verifier.verify(tip, claim), undefined);
    equal(named.count("account"), asksAccount ? 1 : 0);
    for (const last of [undefined, id(999n), id(1_000n, "bb")]) {
      const { verifier, count } = verifierOf(last);
      if (asksAccount) await rejects(verifier.verify(tip, claim), UnverifiedHistory);
      else equal(await verifier.verify(tip, claim), undefined);
      equal(count("account"), asksAccount ? 3 : 0, "three attempts");
    }
  });
}

Deno.test("an account that has advanced must be read up to its newest transaction", async () => {
  const { verifier } = verifierOf(id(1_001n));
  deepEqual(await verifier.verify(tip, { ...nothing, refusalCount: 1 }), id(1_001n));
});

Deno.test("a payment that the pool does not confirm, and a root that it does not have, are refused", async () => {
  const unspent = verifierOf(tip, false);
  await rejects(unspent.verifier.verify(tip, { ...nothing, messages: payments(1) }), UnverifiedHistory);
  equal(unspent.count("getIsSpent") + unspent.count("get_root_history"), 6, "three attempts");
  await rejects(verifierOf(tip, true, [5n]).verifier.verify(tip, nothing), UnverifiedHistory);
});

Deno.test("only the newest 30 payments are checked, each once", async () => {
  const { verifier, count } = verifierOf(tip);
  await verifier.verify(tip, { ...nothing, messages: payments(40) });
  await verifier.verify(tip, { ...nothing, messages: payments(40) });
  equal(count("getIsSpent"), 30);
});

Deno.test("only a refusal of our own message with a nullifier concerns us", () => {
  const { verifier } = verifierOf(tip);
  const refusal = { sender: wallet, nullifierHash: 1n } as Parameters<typeof verifier.isRelevantRefusal>[0];
  deepEqual(
    [refusal, { ...refusal, sender: stranger }, { ...refusal, nullifierHash: undefined }]
      .map((each) => verifier.isRelevantRefusal(each)),
    [true, false, false],
  );
});

Deno.test("a history that no pool has is refused before the getters are asked", async () => {
  const deposit = (leafIndex: number, commitment: bigint): LedgerMessage => ({
    kind: "deposit",
    leafIndex,
    commitment,
  });
  const cases: [messages: LedgerMessage[], message: RegExp][] = [
    [[deposit(LEAVES + 1, 5n)], /found leaf 51, expected leaf 50/],
    [[deposit(LEAVES, 5n), deposit(LEAVES + 2, 6n)], /found leaf 52, expected leaf 51/],
    [[deposit(LEAVES, 5n), deposit(LEAVES + 1, 5n)], /the commitment of leaf 51 is in the tree already/],
    [[deposit(LEAVES, 100n)], /the commitment of leaf 50 is in the tree already/],
    [[payment(1n), payment(1n)], /paid twice/],
    [payments(LEAVES + 1), /withdrawal 50 follows the withdrawals of all 50 leaves/],
  ];
  for (const [messages, message] of cases) {
    const { verifier, count } = verifierOf(tip);
    const verified = verifier.verify(tip, { ...nothing, messages });
    await rejects(verified, { code: "chain_inconsistent", message });
    equal(count("get_root_history"), 0);
  }
});

Deno.test("a payment that the tree has already is refused", async () => {
  const paid = new PoolTree();
  await paid.append([{ commitment: 5n, timestamp: 1 }, { commitment: 6n, timestamp: 2 }]);
  await paid.apply([{ kind: "withdrawal", nullifierHash: 7n } as WithdrawalEvent]);
  const deps = {} as HistoryVerifierDeps;
  const verifier = new HistoryVerifier(pool, paid, deps, new AbortController().signal);
  await rejects(verifier.verify(tip, { ...nothing, messages: [payment(7n)] }), /paid twice/);
});
