/** The roots that a withdrawal may name: the last 30, through more than two generations of the log. */
import assert from "node:assert/strict";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

const KNOWN = 30;
const DEPOSITS = 68; // more than two generations of 32

Deno.test("a root is accepted with 29 deposits after it and refused with 30, at every fill of the log", async () => {
  const pool = await PoolSandbox.open();
  assert.deepEqual(await history(pool), padded([zeros[20]]));
  for (let count = 1; count <= DEPOSITS; count++) {
    assert.equal((await pool.deposit()).exitCode, 0);
    assert.deepEqual(await history(pool), padded(pool.roots.slice(-KNOWN).reverse()));
    assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), pool.root);
    assert.equal(await pool.nextIndex(), count);
    if (count < KNOWN) continue;
    const { exitCode } = await pool.withdraw({ root: pool.roots[count - KNOWN] });
    assert.equal(exitCode, 0, `the oldest of 30 roots after ${count} deposits`);
    if (count === KNOWN) continue;
    const root = pool.roots[count - KNOWN - 1];
    await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => pool.withdraw({ root }));
  }
  for (const root of pool.roots.slice(1 - KNOWN)) assert.equal((await pool.withdraw({ root })).exitCode, 0);
  await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => pool.withdraw({ root: zeros[20] }));
});

async function history(pool: PoolSandbox): Promise<bigint[]> {
  const entries = (await pool.get("get_root_history")).readTuple();
  return Array.from({ length: entries.remaining }, () => entries.readBigNumber());
}

function padded(roots: readonly bigint[]): bigint[] {
  return [...roots, ...Array<bigint>(KNOWN - roots.length).fill(0n)];
}
