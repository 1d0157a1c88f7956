import assert from "node:assert/strict";
import {
  Address,
  beginCell,
  type Cell,
  type Message,
  type Transaction,
  type TransactionDescription,
} from "@ton/core";
import { FIELD_MODULUS } from "../../../core/crypto/field.ts";
import {
  loadDeposit,
  loadWithdraw,
  opCodes,
  storeDeposit,
  storeWithdraw,
} from "../../../core/protocol/messages/pool_messages.ts";
import type { ChainTransaction } from "../../chain.ts";
import { decodePoolEvents } from "./event_decoder.ts";

const pool = Address.parse("0:" + "11".repeat(32));
const stranger = Address.parse("0:" + "22".repeat(32));
const owner = Address.parse("0:" + "33".repeat(32));
const proof = beginCell().endCell();
const parties = beginCell().storeAddress(stranger).storeAddress(null).endCell();
const deposit = storeDeposit({ queryId: 7n, commitment: 5n, newRoot: 6n, leafIndex: 3, proof });
const withdraw = storeWithdraw({
  queryId: 8n,
  root: 1n,
  nullifierHash: 9n,
  fee: 2n,
  refund: 3n,
  recipient: stranger,
  relayer: null,
  proof,
});
/** A body that storeWithdraw and storeDeposit would not write, but anyone can send. */
const outside = (op: number) => {
  const body = beginCell().storeUint(op, 32).storeUint(8, 64).storeUint(1, 256).storeUint(FIELD_MODULUS, 256);
  return op === opCodes.withdraw
    ? body.storeCoins(2).storeCoins(3).storeRef(parties).storeRef(proof).endCell()
    : beginCell().storeUint(op, 32).storeUint(7, 64).storeUint(FIELD_MODULUS, 256).storeUint(6, 256)
      .storeUint(3, 32).storeRef(proof).endCell();
};
const notification = (payload: Cell | null) =>
  beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(4, 64).storeCoins(1000)
    .storeAddress(owner).storeMaybeRef(payload).endCell();
const depositLog = beginCell().storeUint(opCodes.deposit_log, 32).storeUint(5, 256).storeUint(3, 32)
  .storeUint(1000, 32).endCell();
const withdrawalLog = beginCell().storeUint(opCodes.withdrawal_log, 32).storeUint(9, 256).storeCoins(2)
  .storeCoins(3).storeRef(parties).endCell();
const junk = beginCell().storeUint(opCodes.deposit_log, 32).storeUint(1, 8).endCell();

interface Case {
  body?: Cell;
  logs?: [src: Address, body: Cell][];
  exitCode?: number;
  actionCode?: number;
  committed?: boolean;
  skipped?: boolean;
  bounced?: boolean;
  external?: boolean;
}

function transaction(
  { body = deposit, logs = [], exitCode = 0, actionCode = 0, committed, skipped, bounced = false, external }:
    Case,
): ChainTransaction {
  const inMessage = {
    info: external ? { type: "external-in", dest: pool, importFee: 0n } : {
      type: "internal",
      src: stranger,
      dest: pool,
      bounced,
      value: { coins: 50n },
      createdLt: 1n,
      createdAt: 1000,
    },
    body,
  } as Message;
  const payouts = [[stranger, 20n], [owner, 9n], [stranger, 1n]] as const;
  const outMessages = [
    ...logs.map(([src, log]) => ({ info: { type: "external-out", src }, body: log }) as Message),
    ...payouts.map(([dest, coins]) => ({ info: { type: "internal", dest, value: { coins } } }) as Message),
  ];
  const description = {
    type: "generic",
    aborted: skipped || exitCode !== 0 && !committed || actionCode !== 0,
    computePhase: skipped
      ? { type: "skipped" }
      : { type: "vm", success: exitCode === 0 || committed === true, exitCode },
    actionPhase: exitCode === 0 || committed ? { success: actionCode === 0, resultCode: actionCode } : null,
  } as TransactionDescription;
  const raw = {
    inMessage,
    outMessages: { values: () => outMessages },
    description,
    raw: beginCell().storeRef(beginCell().storeRef(beginCell().storeUint(1, 8))).endCell(),
  } as unknown as Transaction;
  return { id: { lt: 1n, hash: "00" }, prev: null, now: 1000, raw };
}

const decoded: [string, Case, Record<string, unknown>][] = [
  ["a deposit's log is a deposit", { logs: [[pool, depositLog]] }, {
    kind: "deposit",
    commitment: 5n,
    leafIndex: 3,
    queryId: 7n,
    timestamp: 1000,
  }],
  ["a withdrawal's log is a withdrawal", { body: withdraw, logs: [[pool, withdrawalLog]] }, {
    kind: "withdrawal",
    nullifierHash: 9n,
    fee: 2n,
    refund: 3n,
    relayer: null,
    queryId: 8n,
    cost: 29n,
  }],
  ["a jetton deposit's log is a deposit of whoever its wallet names", {
    body: notification(deposit),
    logs: [[pool, depositLog]],
  }, { kind: "deposit", commitment: 5n, leafIndex: 3, queryId: 4n, depositor: owner }],
  ["a jetton deposit that was given back, which counts as a success on chain, is a refusal", {
    body: notification(deposit),
    exitCode: 103,
    committed: true,
  }, { kind: "refused", op: "deposit", exitCode: 103, commitment: 5n, leafIndex: 3, depositor: owner }],
  ["jettons with a deposit outside the field name no commitment", {
    body: notification(outside(opCodes.deposit)),
    exitCode: 206,
    committed: true,
  }, { kind: "refused", op: "deposit", exitCode: 206, commitment: undefined }],
  ["jettons with anything else that were given back are a refusal without a commitment", {
    body: notification(null),
    exitCode: 208,
    committed: true,
  }, { kind: "refused", op: "deposit", exitCode: 208, commitment: undefined, depositor: owner }],
  ["a comment's text is no query id", {
    body: beginCell().storeUint(0, 32).storeStringTail("a comment").endCell(),
    logs: [[pool, depositLog]],
  }, { kind: "deposit", commitment: 5n, queryId: 0n }],
  ["an exit code is a refusal", { exitCode: 103 }, {
    kind: "refused",
    op: "deposit",
    exitCode: 103,
    commitment: 5n,
    leafIndex: 3,
  }],
  ["a withdrawal's refusal names its nullifier", { body: withdraw, exitCode: 202 }, {
    kind: "refused",
    op: "withdraw",
    exitCode: 202,
    nullifierHash: 9n,
    queryId: 8n,
    cost: 29n,
  }],
  ["an action that fails is a refusal, whatever was logged", {
    body: withdraw,
    actionCode: 37,
    logs: [[pool, withdrawalLog]],
  }, { kind: "refused", exitCode: 37 }],
  ["a message without gas is a refusal without exit code", { skipped: true }, {
    kind: "refused",
    exitCode: undefined,
  }],
  ["a body that cannot be read is refused without its members", {
    body: beginCell().storeUint(opCodes.deposit, 32).endCell(),
    exitCode: 208,
  }, { kind: "refused", queryId: 0n, commitment: undefined }],
];
for (const op of ["withdraw", "deposit"] as const) {
  const member = op === "withdraw" ? "nullifierHash" : "commitment";
  decoded.push([
    `a ${op} with a ${member} outside the field, which would stop an indexer for good, names none`,
    {
      body: outside(opCodes[op]),
      exitCode: 206,
    },
    { kind: "refused", op, exitCode: 206, [member]: undefined },
  ]);
}
Deno.test("the bodies with members outside the field are well-formed otherwise", () => {
  assert.equal(loadWithdraw(outside(opCodes.withdraw)).nullifierHash, FIELD_MODULUS);
  assert.equal(loadDeposit(outside(opCodes.deposit)).commitment, FIELD_MODULUS);
});
for (const [claim, given, expected] of decoded) {
  Deno.test(`one event: ${claim}`, () => {
    const events = decodePoolEvents(pool, transaction(given));
    assert.equal(events.length, 1);
    const seen = events[0] as unknown as Record<string, unknown>;
    for (const [name, value] of Object.entries(expected)) {
      if (value instanceof Address) assert.ok(value.equals(seen[name] as Address), name);
      else assert.deepEqual(seen[name], value, name);
    }
    assert.ok(events[0].sender.equals(stranger));
  });
}

const silent: [string, Case][] = [
  ["a deposit log in a transaction that failed", {
    body: beginCell().endCell(),
    exitCode: 65_535,
    logs: [[pool, depositLog]],
  }],
  ["a log of another contract", { logs: [[stranger, depositLog]] }],
  ["a log that is cut short", { logs: [[pool, junk]] }],
  ["a log of an unknown op", { logs: [[pool, beginCell().storeUint(1, 32).endCell()]] }],
  ["a log without an op", { logs: [[pool, beginCell().endCell()]] }],
  ["an accepted message without a log", {}],
  ["a bounced message, whatever it was", { bounced: true, logs: [[pool, depositLog]] }],
  ["an external message", { external: true, logs: [[pool, depositLog]] }],
  ["a refused message of another op", { body: beginCell().storeUint(1, 32).endCell(), exitCode: 9 }],
];
for (const [what, given] of silent) {
  Deno.test(`no event: ${what}`, () => assert.deepEqual(decodePoolEvents(pool, transaction(given)), []));
}
