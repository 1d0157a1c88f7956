/** A refused deposit returns with either bounce flag, and never costs the pool a nano. */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, Dictionary, type Message, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../src/core/protocol/messages/jetton_messages.ts";
import { storeAdmin } from "../../testkit/chain/admin_messages.ts";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox } from "../../testkit/chain/jetton_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";
import { freshElement, type Outcome, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";
import { assertValueKept } from "../support/contracts/pool_assertions.ts";

const comment = (text: string) => beginCell().storeUint(0, 32).storeStringTail(text).endCell();
const V2_COMMENT = comment(`tonado:${"ab".repeat(32)}12345678`);

/** Asserts that the sender gets back the whole value less gas and forward fees, with this code. */
function assertReturned(outcome: Outcome, name: ExitCodeName, from: Address): void {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[name], 0]);
  const { description, inMessage } = outcome.tx;
  assert.ok(description.type === "generic" && !description.aborted && description.bouncePhase === undefined);
  assert.equal(outcome.balanceAfter, outcome.balanceBefore, "the pool's coins moved");
  const [back, ...others] = outcome.sent;
  assert.ok(others.length === 0 && back.info.type === "internal" && inMessage?.info.type === "internal");
  assert.deepEqual([back.info.bounced, back.info.bounce, back.info.dest.toString()], [
    false,
    false,
    from.toString(),
  ]);
  assert.equal(loadDepositRefusal(back.body), name);
  const { coins } = inMessage.info.value;
  assert.equal(back.info.value.coins, coins - outcome.tx.totalFees.coins - back.info.forwardFee);
}

type Case = [
  what: string,
  code: ExitCodeName,
  body: (pool: PoolSandbox) => Promise<Cell> | Cell,
  value?: bigint,
];
const cases: Case[] = [
  ["another amount", "ERR_WRONG_DENOMINATION", (pool) => pool.depositBody(), toNano(9)],
  ["a leaf that is taken", "ERR_STALE_DEPOSIT", (pool) => pool.depositBody({ leafIndex: 7 })],
  [
    "a proof of other signals",
    "ERR_PROOF_INVALID",
    (pool) => pool.depositBody({ signals: [1n, 2n, 3n, 4n] }),
  ],
  [
    "a commitment above the field",
    "ERR_NOT_IN_FIELD",
    (pool) => pool.depositBody({ commitment: 2n ** 256n - 1n }),
  ],
  [
    "a bit too much",
    "ERR_MALFORMED",
    async (pool) => beginCell().storeSlice((await pool.depositBody()).beginParse()).storeBit(1).endCell(),
  ],
  ["the op alone", "ERR_MALFORMED", () => beginCell().storeUint(opCodes.deposit, 32).endCell()],
  ["a comment for a pool of version 2", "ERR_MALFORMED", () => V2_COMMENT],
  ["such a comment that is cut", "ERR_MALFORMED", () => comment("tonado:")],
];

for (const bounce of [true, false]) {
  for (const workchain of [0, -1]) {
    Deno.test(`a native pool returns refused deposits: bounce flag ${bounce}, workchain ${workchain}`, async (t) => {
      const pool = await PoolSandbox.open();
      const from = new Address(workchain, pool.user.address.hash);
      for (const [what, code, body, value = pool.denomination] of cases) {
        await t.step(what, async () => {
          const data = await pool.data();
          assertReturned(await pool.send(await body(pool), value, { from, bounce }), code, from);
          assert.ok((await pool.data()).equals(data), "the state is another");
        });
      }
    });
  }

  Deno.test(`a jetton pool returns coins that are sent as a deposit: bounce flag ${bounce}`, async () => {
    const { pool } = await JettonSandbox.open();
    const from = pool.user.address;
    const sent = await pool.send(await pool.depositBody(), pool.denomination, { bounce });
    assertReturned(sent, "ERR_NOT_JETTON_WALLET", from);
    assertReturned(await pool.send(V2_COMMENT, toNano(1), { bounce }), "ERR_MALFORMED", from);
  });

  Deno.test(`a deposit to a paused or full pool, or of a known commitment, comes back: bounce flag ${bounce}`, async () => {
    const pool = await PoolSandbox.open();
    const from = pool.user.address;
    const commitment = freshElement();
    assert.equal((await pool.deposit({ commitment, bounce })).exitCode, 0);
    assertReturned(await pool.deposit({ commitment, bounce }), "ERR_DUPLICATE_COMMITMENT", from);
    await pool.send(storeAdmin("admin_pause"), toNano(1), { from: pool.owner.address });
    assertReturned(await pool.deposit({ bounce }), "ERR_PAUSED", from);
    await fill(pool);
    assertReturned(await pool.deposit({ bounce }), "ERR_POOL_FULL", from);
  });
}

async function fill(pool: PoolSandbox): Promise<void> {
  const data = encodePoolData({
    denomination: pool.denomination,
    deposits: POOL_CAPACITY,
    withdrawals: 0,
    debt: 0n,
    touched: pool.chain.now!,
    nullifiers: new SetModel(),
    commitments: new SetModel(),
    history: new RootHistoryModel(),
    root: pool.root,
    paused: false,
    owner: pool.owner.address,
  });
  await pool.setState({ data });
}

Deno.test("a value too small for its way back never costs the pool a nano, whatever the flag", async () => {
  const pool = await PoolSandbox.open();
  const body = await pool.depositBody();
  for (const bounce of [true, false]) {
    for (const value of [0n, 1n, 1_000n, 50_000n, 100_000n, 200_000n, 400_000n, 1_000_000n, 10_000_000n]) {
      const outcome = await pool.send(body, value, { bounce });
      assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `${value}, ${bounce}: the pool paid`);
      assert.equal((await pool.getPoolInfo()).deposits, 0);
    }
  }
});

Deno.test("a refused deposit with extra currencies is thrown, not committed: it bounces with them", async () => {
  const pool = await PoolSandbox.open();
  const { address: from } = pool.user;
  const body = await pool.depositBody({ leafIndex: 3 });
  const other = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.BigVarUint(5)).set(7, 100n);
  const message: Message = internal({ from, to: pool.address, value: pool.denomination, bounce: true, body });
  assert.ok(message.info.type === "internal");
  message.info = { ...message.info, value: { coins: pool.denomination, other } };
  const outcome = await pool.deliver(message);
  assert.equal(outcome.exitCode, exitCodes.ERR_STALE_DEPOSIT);
  const [{ info }] = outcome.sent;
  assert.ok(outcome.sent.length === 1 && info.type === "internal" && info.bounced);
  assert.equal(info.value.other?.get(7), 100n);
  assert.equal(outcome.balanceAfter, outcome.balanceBefore);
});

Deno.test("other comments, unknown ops and empty bodies stay donations", async () => {
  const native = await PoolSandbox.open();
  const { pool: jetton } = await JettonSandbox.open();
  const kept = [
    comment("hello"),
    comment("Tonado:"),
    comment("tonado"),
    comment(" tonado:"),
    Cell.EMPTY,
    beginCell().storeUint(0x12345678, 32).endCell(),
  ];
  for (const pool of [native, jetton]) {
    for (const body of kept) await assertValueKept(pool, () => pool.send(body, toNano(1)));
  }
});

Deno.test("a deposit that pays for its gas and not for its log is undone: no leaf is added without a log", async () => {
  const deposit = async (denomination: bigint) => {
    const pool = await PoolSandbox.open({ denomination, balance: 0n });
    const data = await pool.data();
    const { exitCode, actionCode, logs } = await pool.deposit();
    return { exitCode, actionCode, logs: logs.length, isUnchanged: (await pool.data()).equals(data) };
  };
  // The lowest denomination that pays for the gas, by bisection to within a third of a log's fee.
  let [low, high] = [0n, 20_000_000n];
  while (high - low > 20_000n) {
    const middle = (low + high) / 2n;
    if ((await deposit(middle)).exitCode === 0) high = middle;
    else low = middle;
  }
  const NOT_ENOUGH_COINS = 37;
  assert.deepEqual(await deposit(high), {
    exitCode: 0,
    actionCode: NOT_ENOUGH_COINS,
    logs: 0,
    isUnchanged: true,
  });
  assert.deepEqual(await deposit(high + 200_000n), {
    exitCode: 0,
    actionCode: 0,
    logs: 1,
    isUnchanged: false,
  });
});
