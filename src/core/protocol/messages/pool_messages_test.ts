import assert from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../../../testkit/chain/admin_messages.ts";
import {
  loadDeposit,
  loadPoolLog,
  loadWithdraw,
  opCodes,
  storeDeposit,
  storeDiscoverJettonWallet,
  storeRetryPayout,
  storeWithdraw,
} from "./pool_messages.ts";

const at = (byte: number) => new Address(0, Buffer.alloc(32, byte));
const proof = beginCell().storeUint(7, 8).endCell();
const deposit = { queryId: 1n, commitment: 2n, newRoot: 3n, leafIndex: 4, proof };
const withdrawal = {
  queryId: 1n,
  root: 2n,
  nullifierHash: 3n,
  fee: 4n,
  refund: 5n,
  proof,
  recipient: at(1),
  relayer: at(2),
};
const head = (op: number) => beginCell().storeUint(op, 32);
const parties = (cell = beginCell()) => cell.storeAddress(at(1)).storeAddress(null);

function spoilt(body: Cell): Cell[] {
  const cut = beginCell().storeBits(body.bits.substring(0, body.bits.length - 1));
  const another = beginCell().storeUint(1, 32).storeBits(body.bits.substring(32, body.bits.length - 32));
  for (const ref of body.refs) [cut, another].forEach((builder) => builder.storeRef(ref));
  return [
    beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell(),
    cut.endCell(),
    another.endCell(),
  ];
}

Deno.test("the body of a deposit is read as it was stored, and any other is refused", () => {
  assert.deepEqual(loadDeposit(storeDeposit(deposit)), deposit);
  const expected = head(0x7c790d27).storeUint(1, 64).storeUint(2, 256).storeUint(3, 256).storeUint(4, 32)
    .storeRef(proof).endCell();
  assert.ok(storeDeposit(deposit).equals(expected));
  for (const body of [...spoilt(expected), Cell.EMPTY]) {
    assert.throws(() => loadDeposit(body), { code: "invalid_request", message: /not a deposit body/ });
  }
});

Deno.test("the body of a withdrawal is read as it was stored, and any other is refused", () => {
  for (const relayer of [at(2), null]) {
    const loaded = loadWithdraw(storeWithdraw({ ...withdrawal, relayer }));
    assert.deepEqual([loaded.queryId, loaded.root, loaded.nullifierHash], [1n, 2n, 3n]);
    assert.deepEqual([loaded.fee, loaded.refund], [4n, 5n]);
    assert.ok(loaded.recipient.equals(at(1)) && loaded.proof.equals(proof));
    assert.equal(loaded.relayer?.toString(), relayer?.toString());
  }
  const body = storeWithdraw(withdrawal);
  for (const each of [...spoilt(body), Cell.EMPTY]) {
    assert.throws(() => loadWithdraw(each), { code: "invalid_request", message: /not a withdraw body/ });
  }
  const longParties = beginCell().storeBits(body.bits).storeRef(parties().storeBit(0).endCell()).storeRef(
    proof,
  );
  assert.throws(() => loadWithdraw(longParties.endCell()), { code: "invalid_request" });
});

const logs = {
  deposit: head(opCodes.deposit_log).storeUint(5, 256).storeUint(6, 32).storeUint(7, 32).endCell(),
  withdrawal: head(opCodes.withdrawal_log).storeUint(5, 256).storeCoins(6).storeCoins(7)
    .storeRef(parties().endCell()).endCell(),
  payout_claimed: head(opCodes.payout_claimed).storeUint(5, 64).storeCoins(6).storeAddress(at(1)).endCell(),
  payout_lost: head(opCodes.payout_lost).storeUint(5, 64).storeCoins(6).storeAddress(at(1)).endCell(),
};

Deno.test("each log is read by its op, any other op is ignored, and a malformed log is refused", () => {
  const deposited = loadPoolLog(logs.deposit);
  assert.deepEqual(deposited, { kind: "deposit", commitment: 5n, leafIndex: 6, timestamp: 7 });
  const withdrawn = loadPoolLog(logs.withdrawal);
  assert.ok(
    withdrawn?.kind === "withdrawal" && withdrawn.recipient.equals(at(1)) && withdrawn.relayer === null,
  );
  assert.deepEqual([withdrawn.nullifierHash, withdrawn.fee, withdrawn.refund], [5n, 6n, 7n]);
  for (const kind of ["payout_claimed", "payout_lost"] as const) {
    const refused = loadPoolLog(logs[kind]);
    assert.ok(refused?.kind === kind && refused.destination.equals(at(1)));
    assert.deepEqual([refused.claimId, refused.amount], [5n, 6n]);
  }
  for (const log of Object.values(logs)) {
    const [longer, withRef, cut] = spoilt(log);
    for (const body of [longer, withRef, cut]) {
      assert.throws(() => loadPoolLog(body), { code: "invalid_request" });
    }
  }
  for (const body of [Cell.EMPTY, head(1).endCell(), beginCell().storeUint(0, 31).endCell()]) {
    assert.equal(loadPoolLog(body), undefined);
  }
});

Deno.test("messages of owners and of retries have their op, query id and fields", () => {
  const cases: [Cell, Cell][] = [
    [storeAdmin("admin_pause", 3n), head(0x05a5864e).storeUint(3, 64).endCell()],
    [storeAdmin("admin_unpause"), head(0x7a7030b7).storeUint(0, 64).endCell()],
    [storeDiscoverJettonWallet(), head(0x12f942cc).storeUint(0, 64).endCell()],
    [storeRetryPayout(9n), head(0x5a262dc5).storeUint(0, 64).storeUint(9, 64).endCell()],
    [
      storeRecoverStuck(8n, at(4)),
      head(0x05a1f155).storeUint(0, 64).storeCoins(8).storeAddress(at(4)).endCell(),
    ],
  ];
  for (const [stored, expected] of cases) assert.ok(stored.equals(expected), stored.toString());
});
