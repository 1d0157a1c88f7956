/** The getters of a version 2 native pool: its counts, times, roots and spent notes. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";

async function rootHistory({ pool }: V2Sandbox): Promise<bigint[]> {
  const history = (await pool.get("get_root_history")).readTuple();
  return Array.from({ length: history.remaining }, () => history.readBigNumber());
}

Deno.test("the pool's information is that of a native pool of version 2, and its time that of its last message", async () => {
  const sandbox = await V2Sandbox.open();
  const { pool } = sandbox;
  const send = [
    () => sandbox.deposit(),
    () => sandbox.settle(),
    () => sandbox.withdraw({ value: toNano(1) }),
    () => sandbox.deposit(),
    () => sandbox.settle(),
    () => sandbox.withdrawMany([{}]),
  ];
  for (const message of send) {
    pool.chain.now! += 1_000;
    assertAccepted(await message());
    assert.equal((await pool.getPoolInfo()).touched, pool.chain.now);
  }
  const { owner, debt, ...info } = await pool.getPoolInfo();
  assert.ok(owner?.equals(pool.owner.address) && debt === 0n);
  assert.deepEqual(info, {
    kind: 2,
    jettonMaster: null,
    jettonWallet: null,
    paused: false,
    deposits: 2,
    withdrawals: 2,
    capacity: 1_048_576,
    touched: pool.chain.now,
    claims: 0,
  });
  assert.equal((await pool.get("get_deposit_value")).readBigNumber(), pool.denomination);
  assert.equal((await pool.get("getDenomination")).readBigNumber(), pool.denomination);
});

Deno.test("the root history is the newest 30 roots, newest first, then zeros, or the empty tree's root", async () => {
  const sandbox = await V2Sandbox.open();
  assert.deepEqual(await rootHistory(sandbox), [zeros[20], ...Array(29).fill(0n)]);
  for (const count of [1, 2, 29, 30, 31, 1500]) {
    const roots = Array.from({ length: Math.min(count, 1024) }, freshElement);
    await sandbox.setState({ roots, rootCount: count });
    const newest = roots.slice(-30).reverse();
    assert.deepEqual(
      await rootHistory(sandbox),
      [...newest, ...Array(30 - newest.length).fill(0n)],
      `${count}`,
    );
    assert.equal((await sandbox.pool.get("getCurrentRoot")).readBigNumber(), roots.at(-1));
  }
});

Deno.test("a slot is empty or not, at each of the four places of a cell", async () => {
  const sandbox = await V2Sandbox.open();
  const slots = [0n, 1n, 2n, 3n].map((place) => place << 10n);
  for (const used of slots) {
    const spent = new SpentSet();
    spent.add((7n << 12n) | used);
    await sandbox.setState({ spent });
    for (const slot of slots) {
      const { exitCode } = await sandbox.pool.chain
        .runGetMethod(sandbox.pool.address, "getIsSpent", [{ type: "int", value: (8n << 12n) | slot }])
        .catch((error) => ({ exitCode: Number(error.exitCode) }));
      assert.equal(exitCode, slot === used ? 211 : 0, `${slot} beside ${used}`);
    }
  }
});
