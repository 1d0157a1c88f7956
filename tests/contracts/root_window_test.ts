/** The last 30 roots of both kinds of pools, read and used across the generations of the log. */
import assert from "node:assert/strict";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { JettonSandbox } from "../../testkit/chain/jetton_sandbox.ts";
import { freshElement, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";

const ROOTS = 30;

/** Opens a pool with `deposits` roots. Deposits 32, 64, ... complete a generation. */
async function open(kind: "native" | "jetton", deposits: number) {
  if (kind === "jetton") {
    const jettons = await JettonSandbox.open();
    await jettons.setState({ deposits });
    return { pool: jettons.pool, deposit: () => jettons.deposit() };
  }
  const pool = await PoolSandbox.open();
  const history = new RootHistoryModel();
  const roots = Array.from({ length: deposits }, freshElement);
  for (const root of roots) history.push(root);
  const data = encodePoolData({
    denomination: pool.denomination,
    deposits,
    withdrawals: 0,
    debt: 0n,
    touched: 0,
    paused: false,
    nullifiers: new SetModel(),
    commitments: new SetModel(),
    history,
    root: roots.at(-1)!,
    owner: null,
  });
  await pool.setState({ data, balance: pool.denomination * BigInt(deposits) });
  pool.roots.splice(0, Infinity, ...roots);
  return { pool, deposit: () => pool.deposit() };
}

for (const kind of ["native", "jetton"] as const) {
  for (const deposits of [31, 62, 68]) {
    Deno.test(`a ${kind} pool with ${deposits} notes lists and accepts its last ${ROOTS} roots after each deposit`, async () => {
      const { pool, deposit } = await open(kind, deposits);
      for (let i = 0; i < 4; i++) {
        const list = (await pool.get("get_root_history")).readTuple();
        const listed = Array.from({ length: ROOTS }, () => list.readBigNumber());
        assert.equal(list.remaining, 0);
        assert.deepEqual(listed, pool.roots.slice(-ROOTS).toReversed());
        assert.equal((await deposit()).exitCode, 0);
      }
      const code = async (root: bigint) => (await pool.withdraw({ root })).exitCode;
      const roots = pool.roots.slice();
      for (const age of [1, 2, 5, 29, ROOTS]) assert.equal(await code(roots.at(-age)!), 0, `root ${age}`);
      for (const root of [roots.at(-ROOTS - 1)!, roots.at(-ROOTS - 2)!, freshElement(), 0n]) {
        assert.equal(await code(root), exitCodes.ERR_UNKNOWN_ROOT);
      }
    });
  }
}
