import { deepEqual } from "node:assert/strict";
import { Address } from "@ton/core";
import type { PoolEvent, RefusedEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { bookEvents, bookTransfer, createLedgerObserver } from "./ledger.ts";

const [us, other] = [1, 2].map((byte) => new Address(0, Buffer.alloc(32, byte)));
const native = { id: "0:aa", deployment: { asset: "native", denomination: 1_000n } };
const jetton = { id: "0:bb", deployment: { asset: "jet", denomination: 1_000n } };
const base = { tx: { lt: 7n, hash: "07" }, timestamp: 70, sender: us, queryId: 1n, messageHash: "" };
const paid = (more: Partial<WithdrawalEvent> = {}): WithdrawalEvent => ({
  ...base,
  kind: "withdrawal",
  nullifierHash: 1n,
  fee: 50n,
  refund: 6n,
  recipient: other,
  relayer: us,
  ...more,
});
const refused = (more: Partial<RefusedEvent> = {}): RefusedEvent => ({
  ...base,
  kind: "refused",
  op: "withdraw",
  exitCode: 202,
  cost: 9n,
  ...more,
});

/** A message of 100 with 20 of gas: the pool returned 74 and the fee, and paid the refund of 6. */
const cases: [what: string, pool: typeof native, event: PoolEvent, amounts: [bigint, bigint, bigint] | []][] =
  [
    ["our native withdrawal", native, paid({ cost: 100n - 74n - 50n }), [50n, 20n, 6n]],
    ["our jetton withdrawal", jetton, paid({ cost: 100n - 74n }), [50n, 20n, 6n]],
    ["a fee that another sender's message paid us", native, paid({ sender: other, cost: 26n }), [
      50n,
      0n,
      0n,
    ]],
    ["a withdrawal of other parties", native, paid({ sender: other, relayer: other }), []],
    [
      "our own note, which is not income",
      native,
      paid({ recipient: us, cost: 100n - 74n - 50n - (1_000n - 50n + 6n) }),
      [50n, 20n, 0n],
    ],
    ["our own note of jettons", jetton, paid({ recipient: us, cost: 100n - 74n - 6n }), [50n, 20n, 0n]],
    ["our message that the pool refused", native, refused(), [0n, 9n, 0n]],
    ["a refused message of another sender", native, refused({ sender: other }), []],
    ["our own refused deposit", native, refused({ op: "deposit" }), []],
    ["a deposit", native, { ...base, kind: "deposit", commitment: 1n, leafIndex: 0 }, []],
  ];
for (const [what, pool, event, amounts] of cases) {
  Deno.test(`the ledger books ${what}`, () => {
    const entries = bookEvents([event], pool, us);
    deepEqual(entries.flatMap(({ fee, gas, refund }) => [fee, gas, refund]), amounts);
    for (const { pool: id, txHash, lt, timestamp, kind } of entries) {
      deepEqual([id, txHash, lt, timestamp, kind], [pool.id, "07", 7n, 70, event.kind]);
    }
  });
}

Deno.test("the withdrawals of one message are one entry of the ledger", () => {
  const other = paid({ cost: -24n, fee: 40n, tx: { lt: 8n, hash: "08" } });
  const entries = bookEvents(
    [paid({ cost: -24n }), paid({ cost: -23n, nullifierHash: 2n }), other],
    native,
    us,
  );
  deepEqual(entries.map(({ lt, fee, gas, refund }) => [lt, fee, gas, refund]), [
    [7n, 100n, 41n, 12n],
    [8n, 40n, 10n, 6n],
  ]);
});

Deno.test("a transfer's fees are shared by its messages, to the nano, one entry for each pool", () => {
  const job = (pool: string) => ({ pool, nullifierHash: 1n, queryId: 1n });
  const transfer = { hash: "aa", jobs: [job("a"), job("b"), job("a")] };
  const book = (recipients: string[]) =>
    bookTransfer(transfer, { fees: 100n, timestamp: 70, recipients, topUps: [], txHash: "bb" })
      .map(({ pool, gas, lt }) => [pool, gas, lt]);
  deepEqual(book(["a", "b", "a"]), [["a", 67n, 0n], ["b", 33n, 0n]]);
  deepEqual(book(["a", "c"]), [["a", 50n, 0n], ["c", 50n, 0n]], "a settlement pays its share");
  deepEqual(book([]), [["a", 67n, 0n], ["b", 33n, 0n]], "no message was sent");
});

Deno.test("the observer counts each entry, and what a settlement earned, but not what a withdrawal returned", () => {
  const counted: string[] = [];
  const observe = createLedgerObserver(new Map([[native.id, { ...native, key: "native-10-v2" }]]), {
    recordEntry: (pool, asset, { gas }) => void counted.push(`${pool} ${asset} ${gas}`),
    recordSettlementEarnings: (pool, earned) => void counted.push(`${pool} earned ${earned}`),
  });
  const entry = { pool: native.id, txHash: "07", lt: 7n, timestamp: 70, fee: 0n, refund: 0n };
  observe([
    { ...entry, kind: "settlement", gas: -5n },
    { ...entry, kind: "settlement", gas: 4n },
    { ...entry, kind: "withdrawal", gas: -3n },
    { ...entry, kind: "settlement", gas: -2n, pool: jetton.id },
  ]);
  const [settled, dear, paid] = [-5n, 4n, -3n].map((gas) => `native-10-v2 native ${gas}`);
  deepEqual(counted, [settled, "native-10-v2 earned 5", dear, paid]);
});
