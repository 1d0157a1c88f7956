/**
 * The bounds on gas and size that the money rules rely on. gas_snapshot_test.ts tests the cost of each
 * message.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { loadPoolCode } from "../../src/ton/pool/state_init.ts";
import { gasElement } from "../../testkit/gas/fills.ts";
import { measureMostExpensive } from "../../testkit/gas/measure.ts";
import { readSnapshot } from "../../testkit/gas/snapshot.ts";
import { type Outcome, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";
import { chainPrices } from "../../testkit/chain/chain_prices.ts";
import {
  countCells,
  encodePoolData,
  type PoolState,
  RootHistoryModel,
  SetModel,
} from "../../testkit/chain/pool_storage.ts";

const prices = chainPrices(mainnetConfig());
const fees = await Deno.readTextFile(new URL("../../contracts/v1/fees.tolk", import.meta.url));
const constant = (name: string) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(fees)![1]);
const GAS_HIGHEST_PATH = constant("GAS_HIGHEST_PATH");

/** Replaces the pool's state by one with `notes` deposits, all but one withdrawn, and returns its roots. */
async function fill(pool: PoolSandbox, notes: number, change: Partial<PoolState> = {}): Promise<bigint[]> {
  const [commitments, nullifiers, history] = [new SetModel(), new SetModel(), new RootHistoryModel()];
  const roots: bigint[] = [];
  for (let i = 0; i < notes; i++) {
    commitments.add(gasElement(3 * i));
    if (i > 0) nullifiers.add(gasElement(3 * i + 1));
    roots.push(gasElement(3 * i + 2));
    history.push(roots[i]);
  }
  const state: PoolState = {
    denomination: pool.denomination,
    deposits: notes,
    withdrawals: Math.max(0, notes - 1),
    debt: 0n,
    touched: pool.chain.now!,
    nullifiers,
    commitments,
    history,
    root: roots.at(-1) ?? pool.root,
    paused: false,
    owner: null,
    ...change,
  };
  await pool.setState({ data: encodePoolData(state), balance: 1_000_000_000_000n });
  pool.roots.splice(0, Infinity, ...roots);
  return roots;
}

function assertDone(outcome: Outcome): Outcome {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
  return outcome;
}

Deno.test("no withdrawal takes more gas than GAS_HIGHEST_PATH, with three percent of room; no deposit takes more either", async () => {
  const dearest = await measureMostExpensive("native");
  assert.deepEqual(dearest, (await readSnapshot()).dearest.native);
  const [deposit, withdraw] = [BigInt(dearest.deposit), BigInt(dearest.withdraw)];
  assert.ok(withdraw * 103n <= GAS_HIGHEST_PATH * 100n, `the dearest withdrawal took ${withdraw}`);
  assert.ok(withdraw * 105n > GAS_HIGHEST_PATH * 100n, `the bound is loose: the dearest took ${withdraw}`);
  // The quote's margin covers the debt of a deposit that arrives first.
  assert.ok(deposit > 300_000n && deposit <= GAS_HIGHEST_PATH, `the dearest deposit took ${deposit}`);
});

/** The charge is an upper bound: it exceeds the gas burned by at most 300 gas and an empty address in a log. */
function assertCharge(charged: bigint, real: bigint, what: string): void {
  const room = prices.gas(300n) + prices.forward(0, { cells: 0n, bits: 265n }) - prices.forward(0);
  assert.ok(charged >= real, `${what}: charged ${charged}, burned ${real}`);
  assert.ok(charged - real <= room, `${what}: charged ${charged}, burned only ${real}`);
}

Deno.test("the debt of a deposit is never below what it burned, wherever its root lies in the log", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 70; i++) {
    const { debt } = await pool.getPoolInfo();
    const { balanceBefore: before, balanceAfter: after } = assertDone(await pool.deposit());
    assertCharge((await pool.getPoolInfo()).debt - debt, before + pool.denomination - after, `deposit ${i}`);
  }
});

Deno.test("the gas charged to a withdrawal is at least what it burned, for any payee", async () => {
  const far = (address: Address) => new Address(-1, address.hash);
  for (const count of [1, 30, 64]) {
    const pool = await PoolSandbox.open();
    const { user: { address: user }, relayer: { address: relayer } } = pool;
    const cases = {
      "by a relayer": {},
      "with a refund": { refund: 1_234_567n },
      "without a relayer": { relayer: null, fee: 0n },
      "relayed for nothing": { fee: 0n },
      "all of it the fee": { fee: pool.denomination },
      "to the masterchain": { recipient: far(user), relayer: far(relayer) },
      "sent from the masterchain": { from: far(relayer) },
      "sent by the recipient": { from: user },
    };
    for (const [what, change] of Object.entries(cases)) {
      const roots = await fill(pool, count, { withdrawals: 0 });
      const value = 1_000_000_000n;
      const { balanceBefore: before, balanceAfter: after, sent } = assertDone(
        await pool.withdraw({ value, root: roots[Math.max(0, count - 30)], ...change }),
      );
      // Notes cover the debt, so the pool keeps the floor of 0.005 and 20 years of a cell, or 0.01.
      const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
      const floor = endowment > 5_000_000n ? endowment : 5_000_000n;
      const keep = floor > 10_000_000n ? floor : 10_000_000n;
      assertCharge(after - (before - pool.denomination), keep, `${what}, ${count} roots`);
      assert.ok(sent.length >= 2, what);
    }
  }
});

Deno.test("code, storage root and a full log of roots fit the constants that storage is estimated by", () => {
  const history = new RootHistoryModel();
  for (let i = 0; i < 64; i++) history.push(gasElement(i));
  const [commitments, nullifiers] = [new SetModel(), new SetModel()];
  const data = encodePoolData({
    denomination: 2n ** 119n,
    deposits: 64,
    withdrawals: 0,
    debt: 2n ** 119n,
    touched: 2 ** 32 - 1,
    nullifiers,
    root: gasElement(63),
    commitments,
    history,
    paused: true,
    owner: new Address(0, Buffer.alloc(32, 1)),
  });
  // The count of the keys includes the seven cells of the empty set.
  const { cells, bits } = countCells(loadPoolCode().code, data);
  assert.ok(BigInt(cells - 6) <= constant("FIXED_CELLS"), `${cells} cells`);
  assert.ok(BigInt(bits) <= constant("FIXED_BITS"), `${bits} bits`);
});
