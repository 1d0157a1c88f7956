/** A pool stores the data of its messages and nothing else, over two generations of roots. */
import assert from "node:assert/strict";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { JettonSandbox } from "../../testkit/chain/jetton_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";
import { freshElement, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";

/** This is more than one generation of 32 roots. */
const DEPOSITS = 34;

const pools: [kind: string, open: () => Promise<[pool: PoolSandbox, jettons?: JettonSandbox]>][] = [
  ["native", async () => [await PoolSandbox.open()]],
  ["jetton", async () => {
    const jettons = await JettonSandbox.open();
    return [jettons.pool, jettons];
  }],
];

for (const [kind, open] of pools) {
  Deno.test(`a ${kind} pool stores its model's state after each deposit, and reports its counts`, async () => {
    const [pool, jettons] = await open();
    const history = new RootHistoryModel();
    const [commitments, nullifiers] = [new SetModel(), new SetModel()];
    const assertStored = async (withdrawals: number) => {
      const { debt, touched, deposits, withdrawals: reported } = await pool.getPoolInfo();
      assert.deepEqual([deposits, reported], [history.count, withdrawals]);
      const jetton = jettons && { master: jettons.minter.address, wallet: jettons.poolWallet };
      const model = encodePoolData({
        denomination: pool.denomination,
        deposits,
        withdrawals,
        debt,
        touched,
        nullifiers,
        commitments,
        history,
        root: pool.root,
        paused: false,
        owner: pool.owner.address,
        ...jetton && { jetton },
      });
      assert.ok(
        (await pool.data()).equals(model),
        `after ${deposits} deposits and ${withdrawals} withdrawals`,
      );
    };
    for (let i = 0; i < DEPOSITS; i++) {
      const commitment = freshElement();
      const { exitCode, newRoot } = await (jettons ?? pool).deposit({ commitment });
      assert.equal(exitCode, 0);
      commitments.add(commitment);
      history.push(newRoot);
      await assertStored(0);
    }
    const nullifierHash = freshElement();
    assert.equal((await (jettons ?? pool).withdraw({ nullifierHash })).exitCode, 0);
    nullifiers.add(nullifierHash);
    await assertStored(1);
  });
}

Deno.test("a native pool accepts deposits up to its capacity, and returns the next one", async () => {
  const pool = await PoolSandbox.open();
  const data = encodePoolData({
    denomination: pool.denomination,
    deposits: POOL_CAPACITY - 1,
    withdrawals: POOL_CAPACITY - 1,
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
  assert.equal((await pool.deposit()).exitCode, 0);
  assert.equal((await pool.getPoolInfo()).deposits, POOL_CAPACITY);
  assert.equal((await pool.deposit()).exitCode, exitCodes.ERR_POOL_FULL);
});
