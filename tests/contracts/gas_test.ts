/**
 * What messages cost, against committed figures, and the bounds on gas that the money rules rest on. A figure that moves
 * fails here: when that is meant, write the new one down. Keys are the same in every run, so figures are exact.
 */
import assert from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../src/core/field.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_prices.ts";
import { loadPoolCode } from "../../src/ton/pool_state.ts";
import { compileTolk } from "../../tools/contracts/compile.ts";
import { freshElement, type Outcome, PoolSandbox, trapdoorVerifiers } from "../support/pool_sandbox.ts";
import { chainPrices } from "../support/chain_prices.ts";
import {
  countCells,
  deepen,
  HistoryModel,
  poolData,
  type PoolState,
  SetModel,
} from "../support/set_model.ts";

const prices = chainPrices(mainnetConfig());
const fees = await Deno.readTextFile(new URL("../../contracts/fees.tolk", import.meta.url));
const constant = (name: string) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(fees)![1]);
const GAS_HIGHEST_PATH = constant("GAS_HIGHEST_PATH");

/** A field element that follows from `n` alone. */
const element = (n: number) =>
  BigInt(n + 10) * 0x2545f4914f6cdd1d9e3779b97f4a7c15bf58476d1ce4e5b994d049bb133111ebn % FIELD_MODULUS;

/** Replaces the pool's state by one with `notes` deposits, each withdrawn but one, and says which roots it knows. */
async function fill(pool: PoolSandbox, notes: number, change: Partial<PoolState> = {}): Promise<bigint[]> {
  const [commitments, nullifiers, history] = [new SetModel(), new SetModel(), new HistoryModel()];
  const roots: bigint[] = [];
  for (let i = 0; i < notes; i++) {
    commitments.add(element(3 * i));
    if (i > 0) nullifiers.add(element(3 * i + 1));
    roots.push(element(3 * i + 2));
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
  await pool.replace({ data: poolData(state), balance: 1_000_000_000_000n });
  pool.roots.splice(0, Infinity, ...roots);
  return roots;
}

function assertDone(outcome: Outcome): Outcome {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
  return outcome;
}

/** Gas of verification alone, by the same contract with verifiers that accept at once. */
async function verificationGas(): Promise<{ deposit: bigint; withdraw: bigint }> {
  const accepting = Object.fromEntries(
    Object.entries(trapdoorVerifiers).map(([path, source]) => [
      path,
      source.replace(/(fun proves\w+\([^)]*\): bool \{\n)[\s\S]*\n\}\n$/, "$1    return true;\n}\n"),
    ]),
  );
  const pools = [
    await PoolSandbox.open(),
    await PoolSandbox.open({
      code: Cell.fromBase64(await compileTolk("contracts/pool_native.tolk", accepting)),
    }),
  ];
  const gas = [];
  for (const pool of pools) {
    await fill(pool, 5);
    gas.push({
      deposit: assertDone(await pool.deposit({ commitment: element(7001), newRoot: element(7002) })).gas,
      withdraw: assertDone(await pool.withdraw({ nullifierHash: element(7003) })).gas,
    });
  }
  return { deposit: gas[0].deposit - gas[1].deposit, withdraw: gas[0].withdraw - gas[1].withdraw };
}

/** Gas by notes in the pool: a deposit, a withdrawal with the newest root, one with the oldest. */
const figures = [
  { notes: 1, deposit: 120_710n, newest: 133_983n, oldest: undefined },
  { notes: 1_000, deposit: 120_566n, newest: 133_983n, oldest: 144_326n },
  { notes: 100_000, deposit: 123_699n, newest: 137_261n, oldest: 147_182n },
];

for (const figure of figures) {
  Deno.test(`gas with ${figure.notes} notes is as written down`, async () => {
    const pool = await PoolSandbox.open();
    const roots = await fill(pool, figure.notes, { withdrawals: Math.max(0, figure.notes - 2) });
    const newest = assertDone(await pool.withdraw({ nullifierHash: element(-5) })).gas;
    const oldest = roots.length < 30
      ? undefined
      : assertDone(await pool.withdraw({ nullifierHash: element(-4), root: roots.at(-30)! })).gas;
    const deposit = assertDone(await pool.deposit({ commitment: element(-6), newRoot: element(-7) })).gas;
    assert.deepEqual({ notes: figure.notes, deposit, newest, oldest }, figure);
  });
}

Deno.test("a deposit and a withdrawal cost less than 1.2 times their verification alone", async () => {
  const alone = await verificationGas();
  const [, small] = figures;
  assert.ok(
    small.deposit * 10n < alone.deposit * 12n,
    `deposit ${small.deposit}, verification ${alone.deposit}`,
  );
  assert.ok(
    small.newest * 10n < alone.withdraw * 12n,
    `withdraw ${small.newest}, verification ${alone.withdraw}`,
  );
});

Deno.test("no withdrawal takes more gas than GAS_HIGHEST_PATH, with three percent of room", async () => {
  const nullifierHash = freshElement();
  const nullifiers = new SetModel();
  deepen(nullifiers, nullifierHash);
  const deepest = nullifiers.cell();
  let highest = 0n;
  // Where in its two generations the oldest root lies decides what finding it costs.
  for (const notes of [30, 31, 32, 33, 59, 60, 61, 62, 63, 64, 92, 93, 94, 95]) {
    const pool = await PoolSandbox.open();
    const roots = await fill(pool, notes, { withdrawals: 0, debt: 1_000_000_007n });
    await pool.replace({ data: withNullifiers(await pool.data(), deepest) });
    const { gas } = assertDone(
      await pool.withdraw({
        nullifierHash,
        root: roots.at(-30)!,
        recipient: new Address(-1, pool.user.address.hash),
        relayer: new Address(-1, pool.relayer.address.hash),
        refund: 123_456_789n,
        value: 5_000_000_000n,
      }),
    );
    if (gas > highest) highest = gas;
  }
  assert.ok(highest * 103n <= GAS_HIGHEST_PATH * 100n, `the dearest withdrawal took ${highest}`);
  assert.ok(highest * 105n > GAS_HIGHEST_PATH * 100n, `the bound is loose: the dearest took ${highest}`);
});

Deno.test("no deposit takes more gas than GAS_HIGHEST_PATH, which the quote's margin stands for", async () => {
  const pool = await PoolSandbox.open({ denomination: 100_000_000_000n });
  const commitment = freshElement();
  const commitments = new SetModel();
  deepen(commitments, commitment);
  await fill(pool, 32, { commitments });
  const { gas } = assertDone(await pool.deposit({ commitment }));
  assert.ok(gas > 300_000n && gas <= GAS_HIGHEST_PATH, `it took ${gas}`);
});

/** What is charged is an upper bound, and no more above what was burned than 300 gas and the address of nobody in a log. */
function assertCharge(charged: bigint, real: bigint, what: string): void {
  const room = prices.gas(300n) + prices.forward(0, { cells: 0n, bits: 265n }) - prices.forward(0);
  assert.ok(charged >= real, `${what}: charged ${charged}, burned ${real}`);
  assert.ok(charged - real <= room, `${what}: charged ${charged}, burned only ${real}`);
}

Deno.test("the debt of a deposit is never below what it burned, wherever its root lies in the log", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 70; i++) {
    const { debt } = await pool.info();
    const { before, after } = assertDone(await pool.deposit());
    assertCharge((await pool.info()).debt - debt, before + pool.denomination - after, `deposit ${i}`);
  }
});

Deno.test("the gas kept of a withdrawal's value is never below what it burned, whoever is paid", async () => {
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
      const { before, after, sent } = assertDone(
        await pool.withdraw({ value, root: roots[Math.max(0, count - 30)], ...change }),
      );
      // Notes cover what they owe, so the pool keeps the floor of 0.005 and 20 years of a cell, or 0.01.
      const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
      const floor = endowment > 5_000_000n ? endowment : 5_000_000n;
      const keep = floor > 10_000_000n ? floor : 10_000_000n;
      assertCharge(after - (before - pool.denomination), keep, `${what}, ${count} roots`);
      assert.ok(sent.length >= 2, what);
    }
  }
});

Deno.test("code, storage root and a full log of roots fit the constants that storage is estimated by", () => {
  const history = new HistoryModel();
  for (let i = 0; i < 64; i++) history.push(element(i));
  const [commitments, nullifiers] = [new SetModel(), new SetModel()];
  const data = poolData({
    denomination: 2n ** 119n,
    deposits: 64,
    withdrawals: 0,
    debt: 2n ** 119n,
    touched: 2 ** 32 - 1,
    nullifiers,
    root: element(63),
    commitments,
    history,
    paused: true,
    owner: new Address(0, Buffer.alloc(32, 1)),
  });
  // The seven cells of the empty set are counted with the keys.
  const { cells, bits } = countCells(loadPoolCode().code, data);
  assert.ok(BigInt(cells - 6) <= constant("FIXED_CELLS"), `${cells} cells`);
  assert.ok(BigInt(bits) <= constant("FIXED_BITS"), `${bits} bits`);
});

/** The same storage with another set of nullifiers, which is its first reference. */
function withNullifiers(data: Cell, nullifiers: Cell): Cell {
  const builder = beginCell().storeBits(data.bits).storeRef(nullifiers);
  for (const ref of data.refs.slice(1)) builder.storeRef(ref);
  return builder.endCell();
}
