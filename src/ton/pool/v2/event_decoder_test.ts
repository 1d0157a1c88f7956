import assert from "node:assert/strict";
import { Address, beginCell, type Cell, type Message, type Transaction } from "@ton/core";
import { FIELD_MODULUS } from "../../../core/crypto/field.ts";
import { opCodes } from "../../../core/protocol/messages/pool_messages.ts";
import {
  storeDepositComment,
  storeEnqueue,
  storeSettle,
  storeWithdraw2,
  storeWithdrawMany,
  v2OpCodes,
} from "../../../core/protocol/v2/messages.ts";
import { decodePoolEvents } from "../history/event_decoder.ts";

const pool = Address.parse("0:" + "11".repeat(32));
const sender = Address.parse("0:" + "22".repeat(32));
const proof = beginCell().endCell();
const request = (nullifierHash: bigint) => ({
  root: 1n,
  rootNumber: 4,
  nullifierHash,
  fee: 2n,
  refund: 0n,
  recipient: sender,
  relayer: null,
  proof,
  carried: null,
});
const batch = storeWithdrawMany([request(5n), request(6n), request(7n)], 9n);
const settle = storeSettle({ queryId: 3n, newRoot: 8n, end: 16, proof });
const settlementLog = beginCell().storeUint(v2OpCodes.settlement_log, 32).storeUint(2, 32).storeUint(8, 256)
  .storeUint(16, 32).storeUint(900, 32).endCell();
const withdrawalLog = (nullifierHash: bigint) =>
  beginCell().storeUint(opCodes.withdrawal_log, 32).storeUint(nullifierHash, 256).storeCoins(2).storeCoins(0)
    .storeRef(beginCell().storeAddress(sender).storeAddress(null)).endCell();
const skippedLog = beginCell().storeUint(v2OpCodes.skipped_log, 32).storeUint(7, 256).storeUint(202, 16)
  .endCell();

/** Decodes a message of 50 nano of which 19 return. */
function decode({ body, logs = [], exitCode = 0 }: { body: Cell; logs?: Cell[]; exitCode?: number }) {
  const outMessages = [
    ...logs.map((log) => ({ info: { type: "external-out", src: pool }, body: log }) as Message),
    { info: { type: "internal", dest: sender, value: { coins: 19n } } } as Message,
  ];
  const raw = {
    inMessage: { info: { type: "internal", src: sender, dest: pool, value: { coins: 50n } }, body },
    outMessages: { values: () => outMessages },
    description: {
      type: "generic",
      aborted: false,
      computePhase: { type: "vm", success: true, exitCode },
      actionPhase: { success: true, resultCode: 0 },
    },
    raw: beginCell().storeRef(beginCell().storeRef(beginCell().storeUint(1, 8))).endCell(),
  } as unknown as Transaction;
  return decodePoolEvents(pool, { id: { lt: 1n, hash: "00" }, prev: null, now: 1000, raw })
    .map(({ tx: _tx, sender: _sender, messageHash: _hash, timestamp: _timestamp, ...event }) => event);
}

Deno.test("a settlement's log is a settlement with its cost", () => {
  assert.deepEqual(decode({ body: settle, logs: [settlementLog] }), [
    { kind: "settlement", queryId: 3n, rootNumber: 2, newRoot: 8n, end: 16, cost: 31n },
  ]);
});

Deno.test("the withdrawals of a batch share its cost, and the one left out has its code", () => {
  const events = decode({ body: batch, logs: [withdrawalLog(5n), withdrawalLog(6n), skippedLog] });
  assert.deepEqual(
    events.map((event) => [event.kind, "nullifierHash" in event && event.nullifierHash]),
    [["withdrawal", 5n], ["withdrawal", 6n], ["skipped", 7n]],
  );
  assert.deepEqual(events.map((event) => "cost" in event ? event.cost : undefined), [15n, 16n, undefined]);
  const last = events[2];
  assert.ok(last.kind === "skipped" && last.code === 202);
  assert.ok(events.every(({ queryId }) => queryId === 9n));
});

Deno.test("a refused batch is a refusal of each withdrawal, and its cost is counted once", () => {
  assert.deepEqual(
    decode({ body: batch, exitCode: 201 }),
    [5n, 6n, 7n].map((nullifierHash, i) => (
      {
        kind: "refused",
        op: "withdraw_many",
        queryId: 9n,
        exitCode: 201,
        nullifierHash,
        cost: [10n, 10n, 11n][i],
      }
    )),
  );
  const cut = beginCell().storeUint(v2OpCodes.withdraw_many, 32).storeUint(9, 64).endCell();
  assert.deepEqual(decode({ body: cut, exitCode: 208 }), [
    { kind: "refused", op: "withdraw_many", queryId: 9n, exitCode: 208, cost: 31n },
  ]);
});

const splitComment = ({ bits }: Cell) =>
  beginCell().storeBits(bits.substring(0, 312))
    .storeRef(beginCell().storeBits(bits.substring(312, bits.length - 312))).endCell();
const refusals: [string, Cell, Record<string, unknown>][] = [
  ["a deposit", storeEnqueue({ queryId: 4n, commitment: 5n }), {
    op: "deposit",
    queryId: 4n,
    commitment: 5n,
  }],
  ["a deposit outside the field", storeEnqueue({ queryId: 0n, commitment: FIELD_MODULUS }), {
    op: "deposit",
  }],
  ["a deposit by comment", storeDepositComment(5n), { op: "deposit", commitment: 5n }],
  ["a deposit by comment in two cells", splitComment(storeDepositComment(5n)), {
    op: "deposit",
    commitment: 5n,
  }],
  ["a comment outside the field", storeDepositComment(FIELD_MODULUS), { op: "deposit" }],
  ["another comment", beginCell().storeUint(0, 32).storeUint(65, 8).endCell(), {
    op: "deposit",
  }],
  ["a settlement", settle, { op: "settle", queryId: 3n, cost: 31n }],
  ["a withdrawal", storeWithdraw2(request(6n), 2n), {
    op: "withdraw",
    queryId: 2n,
    nullifierHash: 6n,
    cost: 31n,
  }],
];
for (const [what, body, members] of refusals) {
  Deno.test(`a refusal of ${what} has its members`, () => {
    const [event, ...others] = decode({ body, exitCode: 101 });
    assert.deepEqual(others, []);
    assert.deepEqual(event, { kind: "refused", exitCode: 101, queryId: 0n, ...members });
  });
}

Deno.test("a message whose body is an exotic cell is no event", () => {
  const exotic = beginCell().storeUint(2, 8).storeBuffer(batch.hash()).endCell({ exotic: true });
  for (const exitCode of [0, 208]) assert.deepEqual(decode({ body: exotic, exitCode }), []);
});
