/** Measures every entry point of both pools at every fill, and the size of the accounts. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { loadPoolCode } from "../../src/ton/pool/state_init.ts";
import { compileCached } from "../chain/compiled_contracts.ts";
import { trapdoorVerifiers } from "../chain/trapdoor_keys.ts";
import { countCells, encodePoolData, SetModel } from "../chain/pool_storage.ts";
import { type MeasuredPool, openMeasuredPool, type PoolKind } from "./measured_pool.ts";
import { type EntryPoint, entryPoints } from "./entry_points.ts";
import { getters } from "./get_methods.ts";
import { attackedFill, buildRootHistory, type Fill, fills } from "./fills.ts";
import { type GasParts, traceParts } from "./trace.ts";

export const kinds: readonly PoolKind[] = ["native", "jetton"];

/** Gas by entry point. */
export type GasFigures = Record<string, number>;

/** The measurements of one kind of pool at one fill. */
export interface GasMeasurement {
  readonly messages: GasFigures;
  readonly getters: GasFigures;
}

export async function measureFill(kind: PoolKind, fill: Fill): Promise<GasMeasurement> {
  const bench = await openMeasuredPool(kind, fill);
  const messages: GasFigures = {};
  for (const entry of entryPoints) {
    if (entry.poolKind !== undefined && entry.poolKind !== kind) continue;
    if (entry.isApplicable?.(bench) === false) continue;
    messages[entry.name] = await gasOf(entry, bench);
  }
  const requests: GasFigures = {};
  for (const { name, poolKind, args, state } of getters) {
    if (poolKind !== undefined && poolKind !== kind) continue;
    await bench.reset(state?.(bench));
    const stack = args?.(bench).map((value) => ({ type: "int" as const, value })) ?? [];
    const { gasUsed } = await bench.pool.chain.runGetMethod(bench.pool.address, name, stack);
    requests[name] = Number(gasUsed);
  }
  return { messages, getters: requests };
}

async function gasOf(entry: EntryPoint, bench: MeasuredPool): Promise<number> {
  const { exitCode, actionCode, gasUsed: gas } = await entry.send(bench);
  const what = `${bench.kind}, ${bench.fill.name}: ${entry.name}`;
  assert.equal(exitCode, entry.exitCode === undefined ? 0 : exitCodes[entry.exitCode], what);
  if (entry.exitCode === undefined) assert.equal(actionCode, 0, what);
  return Number(gas);
}

const entryPoint = (name: string) => {
  const found = entryPoints.find((entry) => entry.name === name);
  if (!found) throw new Error(`no entry point ${name}`);
  return found;
};

/** Measures the message of this entry point. */
export function gasOfMessage(name: string, pool: MeasuredPool): Promise<number> {
  return gasOf(entryPoint(name), pool);
}

/** Messages whose gas is split into parts: name and kind. */
const tracedMessages = {
  "deposit": "deposit",
  "withdraw, newest root": "withdraw",
  "withdraw, oldest root": "withdraw",
} as const;

/** Splits the gas of deposits and withdrawals. */
export async function measureParts(kind: PoolKind, fill: Fill): Promise<Record<string, GasParts>> {
  const bench = await openMeasuredPool(kind, fill);
  const parts: Record<string, GasParts> = {};
  for (const [name, op] of Object.entries(tracedMessages)) {
    parts[name] = await traceParts(op, bench.pool, () => entryPoint(name).send(bench));
  }
  return parts;
}

/** Measures verification alone: the contract minus one whose verifiers accept everything. */
export async function measureVerification(): Promise<GasFigures> {
  const accepting = Object.fromEntries(
    Object.entries(trapdoorVerifiers).map(([path, source]) => [
      path,
      source.replace(/(fun proves\w+\([^)]*\): bool \{\n)[\s\S]*\n\}\n$/, "$1    return true;\n}\n"),
    ]),
  );
  const code = await compileCached("contracts/v1/pool_native.tolk", accepting);
  const [verifying, blind] = [
    await openMeasuredPool("native", fills[1]),
    await openMeasuredPool("native", fills[1], { code }),
  ];
  const figures: GasFigures = {};
  for (const [name, entry] of [["deposit", "deposit"], ["withdraw", "withdraw, newest root"]]) {
    figures[name] = await gasOf(entryPoint(entry), verifying) - await gasOf(entryPoint(entry), blind);
  }
  return figures;
}

/**
 * Measures the most expensive message of each kind: the longest path that an attacker can make in both sets, the
 * oldest root where the search is longest, and parties and sender on the masterchain, a refund, or a returned
 * deposit.
 */
export async function measureMostExpensive(kind: PoolKind): Promise<{ deposit: number; withdraw: number }> {
  return { deposit: await mostExpensiveDeposit(kind), withdraw: await mostExpensiveWithdrawal(kind) };
}

const DEBT = { debt: 1_000_000_007n };
const far = ({ hash }: Address) => new Address(-1, hash);

async function mostExpensiveWithdrawal(kind: PoolKind): Promise<number> {
  const bench = await openMeasuredPool(kind, attackedFill(await longestSearch(kind)));
  const { pool, jettons, roots, fill } = bench;
  await bench.reset(DEBT);
  const { exitCode, actionCode, gasUsed: gas } = await pool.withdraw({
    nullifierHash: fill.keys.nullifierHash,
    root: roots.at(-30)!,
    refund: 123_456_789n,
    value: 5_000_000_000n,
    from: far(pool.user.address),
    // Standard jetton wallets exist in the basechain only.
    ...(jettons ? {} : { recipient: far(pool.user.address), relayer: far(pool.relayer.address) }),
  });
  assert.deepEqual([exitCode, actionCode], [0, 0]);
  return Number(gas);
}

/**
 * Returns the number of deposits after which the search for a root takes longest, over all positions in the history.
 */
async function longestSearch(kind: PoolKind): Promise<number> {
  const search = entryPoint("withdraw, root unknown");
  const bench = await openMeasuredPool(kind, fills[0]);
  let longest = { deposits: 0, gas: 0 };
  for (let deposits = 30; deposits < 96; deposits++) {
    const { history } = buildRootHistory(deposits);
    const gas = await gasOf(search, { ...bench, reset: () => bench.reset({ deposits, history }) });
    if (gas > longest.gas) longest = { deposits, gas };
  }
  return longest.deposits;
}

async function mostExpensiveDeposit(kind: PoolKind): Promise<number> {
  let dearest = 0;
  for (const deposits of [32, 33, 36]) { // the new root begins a generation, joins a cell, begins a cell
    const bench = await openMeasuredPool(kind, attackedFill(deposits));
    for (const signals of [undefined, [1n, 2n, 3n, 4n]]) {
      await bench.reset(DEBT);
      const { commitment } = bench.fill.keys;
      const { gasUsed: gas } = await (bench.jettons ?? bench.pool).deposit({
        commitment,
        ...(signals && { signals }),
      });
      dearest = Math.max(dearest, Number(gas));
    }
  }
  return dearest;
}

/** A size in cells and bits. */
export interface Size {
  readonly cells: number;
  readonly bits: number;
}

/** Measures the account of each kind, with code and the complete sets of a fill. */
export function measureSize(fill: Fill): Record<PoolKind, Size> {
  const { commitments, nullifiers } = fill.sets();
  const sets = SetModel.measure(commitments, nullifiers);
  return {
    native: sizeOf("native", fill, sets, nullifiers.size),
    jetton: sizeOf("jetton", fill, sets, nullifiers.size),
  };
}

function sizeOf(kind: PoolKind, fill: Fill, sets: Size, nullifiers: number): Size {
  const { code } = loadPoolCode(kind);
  const empty = new SetModel();
  const { history, roots } = buildRootHistory(fill.deposits);
  const somebody = new Address(0, Buffer.alloc(32, 1));
  const data = encodePoolData({
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
  // The fill's sets are counted without being built, so the account is built with empty ones.
  const [rest, none] = [countCells(code, data), SetModel.measure(empty, empty)];
  // The empty nullifier set of a jetton pool has a root fork of its own.
  const twice = kind === "jetton" && nullifiers > 0 ? 1 : 0;
  return { cells: rest.cells - none.cells - twice + sets.cells, bits: rest.bits - none.bits + sets.bits };
}
