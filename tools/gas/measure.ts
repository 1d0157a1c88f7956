/** Measures every entry point of both pools at every fill, and what pools of that size are to the chain. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { exitCodes } from "../../src/core/errors.ts";
import { loadPoolCode } from "../../src/ton/pool_state.ts";
import { contractCode } from "../../tests/support/contract_code.ts";
import { trapdoorVerifiers } from "../../tests/support/pool_sandbox.ts";
import { countCells, poolData, SetModel } from "../../tests/support/set_model.ts";
import { type Bench, type Kind, openBench } from "./bench.ts";
import { type EntryPoint, entryPoints, getters } from "./entry_points.ts";
import { attacked, type Fill, fills, rootLog } from "./fills.ts";
import { type Parts, partsOf } from "./trace.ts";

export const kinds: readonly Kind[] = ["native", "jetton"];

/** Gas by entry point. */
export type Figures = Record<string, number>;

/** What one kind of pool takes at one fill. */
export interface Measurement {
  readonly messages: Figures;
  readonly getters: Figures;
}

export async function measureFill(kind: Kind, fill: Fill): Promise<Measurement> {
  const bench = await openBench(kind, fill);
  const messages: Figures = {};
  for (const entry of entryPoints) {
    if (entry.only !== undefined && entry.only !== kind) continue;
    if (entry.possible?.(bench) === false) continue;
    messages[entry.name] = await gasOf(entry, bench);
  }
  await bench.reset();
  const asked: Figures = {};
  for (const { name, args } of getters) {
    const stack = args?.(bench).map((value) => ({ type: "int" as const, value })) ?? [];
    const { gasUsed } = await bench.pool.chain.runGetMethod(bench.pool.address, name, stack);
    asked[name] = Number(gasUsed);
  }
  return { messages, getters: asked };
}

async function gasOf(entry: EntryPoint, bench: Bench): Promise<number> {
  const { exitCode, actionCode, gas } = await entry.send(bench);
  const what = `${bench.kind}, ${bench.fill.name}: ${entry.name}`;
  assert.equal(exitCode, entry.refusal === undefined ? 0 : exitCodes[entry.refusal], what);
  if (entry.refusal === undefined) assert.equal(actionCode, 0, what);
  return Number(gas);
}

const entryPoint = (name: string) => {
  const found = entryPoints.find((entry) => entry.name === name);
  if (!found) throw new Error(`no entry point ${name}`);
  return found;
};

/** Messages whose parts are told: entry point and what it is. */
export const dissected = {
  "deposit": "deposit",
  "withdraw, newest root": "withdraw",
  "withdraw, oldest root": "withdraw",
} as const;

/** Where the gas of deposits and withdrawals goes. */
export async function measureParts(kind: Kind, fill: Fill): Promise<Record<string, Parts>> {
  const bench = await openBench(kind, fill);
  const parts: Record<string, Parts> = {};
  for (const [name, op] of Object.entries(dissected)) {
    parts[name] = await partsOf(op, bench.pool, () => entryPoint(name).send(bench));
  }
  return parts;
}

/** Gas of verification alone: the same contract less one whose verifiers accept at once. */
export async function measureVerification(): Promise<Figures> {
  const accepting = Object.fromEntries(
    Object.entries(trapdoorVerifiers).map(([path, source]) => [
      path,
      source.replace(/(fun proves\w+\([^)]*\): bool \{\n)[\s\S]*\n\}\n$/, "$1    return true;\n}\n"),
    ]),
  );
  const code = await contractCode("contracts/pool_native.tolk", accepting);
  const [verifying, blind] = [
    await openBench("native", fills[1]),
    await openBench("native", fills[1], { code }),
  ];
  const figures: Figures = {};
  for (const [name, entry] of [["deposit", "deposit"], ["withdraw", "withdraw, newest root"]]) {
    figures[name] = await gasOf(entryPoint(entry), verifying) - await gasOf(entryPoint(entry), blind);
  }
  return figures;
}

/**
 * The dearest message of each kind that there is: the longest path an attacker can make in both sets, the oldest root where
 * it takes longest to find, and whatever else costs more (parties and sender on the masterchain, a refund, a deposit's way
 * back).
 */
export async function measureDearest(kind: Kind): Promise<{ deposit: number; withdraw: number }> {
  return { deposit: await dearestDeposit(kind), withdraw: await dearestWithdrawal(kind) };
}

const DEBT = { debt: 1_000_000_007n };
const far = ({ hash }: Address) => new Address(-1, hash);

async function dearestWithdrawal(kind: Kind): Promise<number> {
  const bench = await openBench(kind, attacked(await longestSearch(kind)));
  const { pool, jettons, roots, fill } = bench;
  await bench.reset(DEBT);
  const { exitCode, actionCode, gas } = await pool.withdraw({
    nullifierHash: fill.keys.nullifierHash,
    root: roots.at(-30)!,
    refund: 123_456_789n,
    value: 5_000_000_000n,
    from: far(pool.user.address),
    // Standard wallets pay in the basechain only.
    ...(jettons ? {} : { recipient: far(pool.user.address), relayer: far(pool.relayer.address) }),
  });
  assert.deepEqual([exitCode, actionCode], [0, 0]);
  return Number(gas);
}

/** Deposits after which a root takes longest to look for, of every place that it can have in the log's two generations. */
async function longestSearch(kind: Kind): Promise<number> {
  const search = entryPoint("withdraw, root unknown");
  const bench = await openBench(kind, fills[0]);
  let longest = { deposits: 0, gas: 0 };
  for (let deposits = 30; deposits < 96; deposits++) {
    const { history } = rootLog(deposits);
    const gas = await gasOf(search, { ...bench, reset: () => bench.reset({ deposits, history }) });
    if (gas > longest.gas) longest = { deposits, gas };
  }
  return longest.deposits;
}

async function dearestDeposit(kind: Kind): Promise<number> {
  let dearest = 0;
  for (const deposits of [32, 33, 36]) { // the new root begins a generation, joins a cell, begins a cell
    const bench = await openBench(kind, attacked(deposits));
    for (const signals of [undefined, [1n, 2n, 3n, 4n]]) {
      await bench.reset(DEBT);
      const { commitment } = bench.fill.keys;
      const { gas } = await (bench.jettons ?? bench.pool).deposit({
        commitment,
        ...(signals && { signals }),
      });
      dearest = Math.max(dearest, Number(gas));
    }
  }
  return dearest;
}

/** Cells and bits. */
export interface Size {
  readonly cells: number;
  readonly bits: number;
}

/** What an account of each kind holds, code and all, with the whole of a fill's sets. */
export function measureSize(fill: Fill): Record<Kind, Size> {
  const { commitments, nullifiers } = fill.sets();
  const sets = SetModel.measure(commitments, nullifiers);
  return {
    native: sizeOf("native", fill, sets, nullifiers.size),
    jetton: sizeOf("jetton", fill, sets, nullifiers.size),
  };
}

function sizeOf(kind: Kind, fill: Fill, sets: Size, nullifiers: number): Size {
  const { code } = loadPoolCode(kind);
  const empty = new SetModel();
  const { history, roots } = rootLog(fill.deposits);
  const somebody = new Address(0, Buffer.alloc(32, 1));
  const data = poolData({
    denomination: 10_000_000_000n,
    deposits: fill.deposits,
    withdrawals: fill.withdrawals,
    debt: 10_000_000_000n,
    touched: 1_800_000_000,
    nullifiers: empty,
    root: roots.at(-1) ?? 1n,
    commitments: empty,
    history,
    paused: false,
    owner: somebody,
    jetton: kind === "jetton" ? { master: somebody, wallet: somebody } : undefined,
  });
  // With empty sets in place of the fill's, which are counted without being made.
  const [rest, none] = [countCells(code, data), SetModel.measure(empty, empty)];
  // A jetton pool's nullifiers have a root fork of their own even when they are empty.
  const twice = kind === "jetton" && nullifiers > 0 ? 1 : 0;
  return { cells: rest.cells - none.cells - twice + sets.cells, bits: rest.bits - none.bits + sets.bits };
}
