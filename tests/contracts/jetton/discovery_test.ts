/** The discovery of a jetton pool's wallet: only its master can set it, once, and anyone may request it. */
import assert from "node:assert/strict";
import { Address, beginCell, type Builder, Cell, toNano } from "@ton/core";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { deployMinter, jettonMaster, JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { assertRejected, assertValueKept } from "../../support/contracts/pool_assertions.ts";

const answer = (wallet: Address | null, owner: Cell | null = null) =>
  beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64).storeAddress(wallet)
    .storeMaybeRef(owner).endCell();
const elsewhere = new Address(0, Buffer.alloc(32, 0xee));

Deno.test("anyone makes the pool ask its master, and its answer is what the master's getter says", async () => {
  for (const who of ["owner", "user", "relayer"] as const) {
    const jettons = await JettonSandbox.open({ discovered: false, owner: "burned" });
    const { pool } = jettons;
    assert.equal((await pool.getPoolInfo()).jettonWallet, null);
    const outcome = assertSucceeded(
      await pool.send(storeDiscoverJettonWallet(5n), toNano("0.2"), { from: pool[who].address }),
    );
    const { jettonWallet, jettonMaster, kind } = await pool.getPoolInfo();
    const { stackReader } = await pool.chain.runGetMethod(jettons.minter.address, "get_wallet_address", [
      { type: "slice", cell: beginCell().storeAddress(pool.address).endCell() },
    ]);
    assert.ok(jettonWallet?.equals(stackReader.readAddress()));
    assert.deepEqual([kind, jettonMaster?.toString()], [1, jettons.minter.address.toString()]);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, "the pool paid for it");
  }
});

Deno.test("the pool accepts deposits after its discovery and not before, when the jettons go back", async () => {
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  await assertJettonsReturned(jettons, "ERR_JETTON_WALLET_UNKNOWN", () => jettons.deposit());
  await assertJettonsReturned(
    jettons,
    "ERR_JETTON_WALLET_UNKNOWN",
    () => jettons.deposit({ amount: 1n, payload: null }),
  );
  assertSucceeded(await pool.send(storeDiscoverJettonWallet(), toNano("0.2")));
  assertSucceeded(await jettons.deposit());
});

Deno.test("an answer by another than the master is ERR_NOT_MASTER, before the discovery and after", async () => {
  for (const discovered of [false, true]) {
    const jettons = await JettonSandbox.open({ discovered });
    const { pool } = jettons;
    const counterfeit = jettonMaster("a counterfeit");
    await deployMinter(pool, counterfeit);
    for (const from of [pool.user.address, pool.owner.address, jettons.poolWallet, counterfeit.address]) {
      await assertRejected(pool, "ERR_NOT_MASTER", () => pool.send(answer(elsewhere), toNano(1), { from }));
    }
  }
});

Deno.test("the master's second answer is ERR_NOT_MASTER, and the first one stands", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  const from = jettons.minter.address;
  for (const wallet of [elsewhere, poolWallet]) {
    await assertRejected(pool, "ERR_NOT_MASTER", () => pool.send(answer(wallet), toNano(1), { from }));
  }
  assert.ok((await pool.getPoolInfo()).jettonWallet?.equals(poolWallet));
  await assertRejected(pool, "ERR_NOT_MASTER", () => pool.send(storeDiscoverJettonWallet(), toNano(1)));
});

Deno.test("a master that has no wallet to give leaves the pool undiscovered", async () => {
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  const from = jettons.minter.address;
  const head = beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64).endCell();
  for (const body of [answer(null), head]) {
    await assertRejected(pool, "ERR_MALFORMED", () => pool.send(body, toNano(1), { from }));
  }
  const owner = beginCell().storeAddress(pool.address).endCell();
  assertSucceeded(await pool.send(answer(jettons.poolWallet, owner), toNano(1), { from }));
  assert.ok((await pool.getPoolInfo()).jettonWallet?.equals(jettons.poolWallet));
});

Deno.test("asking with too little for the master is no harm: it is asked again", async () => {
  const { pool } = await JettonSandbox.open({ discovered: false });
  const outcome = await pool.send(storeDiscoverJettonWallet(), toNano("0.005"));
  assert.ok(outcome.balanceAfter > outcome.balanceBefore, "the master did not give the value back");
  assert.equal((await pool.getPoolInfo()).jettonWallet, null);
  assertSucceeded(await pool.send(storeDiscoverJettonWallet(), toNano("0.2")));
  assert.ok((await pool.getPoolInfo()).jettonWallet);
});

Deno.test("a malformed request to discover bounces; a bounced one, short ones and unknown ops are kept", async () => {
  const { pool } = await JettonSandbox.open({ discovered: false });
  const body = storeDiscoverJettonWallet();
  const padded = (extra: (builder: Builder) => Builder) =>
    extra(beginCell().storeSlice(body.beginParse())).endCell();
  for (const longer of [padded((b) => b.storeBit(1)), padded((b) => b.storeRef(Cell.EMPTY))]) {
    await assertRejected(pool, "ERR_MALFORMED", () => pool.send(longer, toNano(1)));
  }
  const bounced = beginCell().storeUint(0xffffffff, 32).storeUint(opCodes.provide_wallet_address, 32)
    .endCell();
  await assertValueKept(pool, () => pool.send(bounced, toNano(1), { bounced: true, bounce: false }));
  for (const op of [opCodes.excesses, 0xabcdef01]) {
    await assertValueKept(pool, () => pool.send(beginCell().storeUint(op, 32).endCell(), toNano(1)));
  }
  await assertValueKept(pool, () => pool.send(beginCell().storeUint(1, 31).endCell(), toNano(1)));
});
