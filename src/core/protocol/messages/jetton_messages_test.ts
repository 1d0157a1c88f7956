import assert from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { exitCodes } from "../../errors/problem.ts";
import { loadDepositRefusal, loadTransferNotification, storeJettonTransfer } from "./jetton_messages.ts";
import { opCodes } from "./pool_messages.ts";

const somebody = new Address(0, Buffer.alloc(32, 7));
const refusal = (code: number) => beginCell().storeUint(opCodes.deposit_refused, 32).storeUint(code, 16);

Deno.test("a rejection is read as the exit code's name; any other payload or an unknown code is not", () => {
  for (const [name, code] of Object.entries(exitCodes)) {
    assert.equal(loadDepositRefusal(refusal(code).endCell()), name);
  }
  const others = [
    Cell.EMPTY,
    refusal(1).endCell(),
    refusal(101).storeBit(0).endCell(),
    refusal(101).storeRef(Cell.EMPTY).endCell(),
    beginCell().storeUint(opCodes.deposit, 32).storeUint(101, 16).endCell(),
  ];
  for (const payload of others) assert.throws(() => loadDepositRefusal(payload), { code: "invalid_request" });
});

Deno.test("a notification is read whether its payload is in a reference or beside it", () => {
  const head = () =>
    beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(5, 64).storeCoins(77).storeAddress(
      somebody,
    );
  const payload = refusal(101).storeRef(Cell.EMPTY).endCell();
  const inRef = loadTransferNotification(head().storeBit(1).storeRef(payload).endCell());
  const beside = loadTransferNotification(head().storeBit(0).storeSlice(payload.beginParse()).endCell());
  for (const { queryId, amount, sender, forwardPayload } of [inRef, beside]) {
    assert.deepEqual([queryId, amount, sender?.toString()], [5n, 77n, somebody.toString()]);
    assert.ok(forwardPayload.equals(payload));
  }
  const minted = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(1)
    .storeAddress(null).storeBit(0).endCell();
  assert.equal(loadTransferNotification(minted).sender, null);
  const longer = head().storeBit(1).storeRef(payload).storeBit(0).endCell();
  assert.throws(() => loadTransferNotification(longer), { code: "invalid_request" });
});

Deno.test("a transfer is laid out as TEP-74 says", () => {
  const payload = refusal(1).endCell();
  const slice = storeJettonTransfer({
    queryId: 3n,
    amount: 10n,
    destination: somebody,
    responseDestination: somebody,
    forwardAmount: 4n,
    forwardPayload: payload,
  }).beginParse();
  assert.deepEqual([slice.loadUint(32), slice.loadUint(64), slice.loadCoins()], [0x0f8a7ea5, 3, 10n]);
  assert.ok(slice.loadAddress().equals(somebody) && slice.loadAddress().equals(somebody));
  assert.deepEqual([slice.loadBit(), slice.loadCoins(), slice.loadBit()], [false, 4n, true]);
  assert.ok(slice.loadRef().equals(payload));
  slice.endParse();
});
