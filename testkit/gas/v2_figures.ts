/** The gas of the messages of a version 2 pool at mainnet's prices. */
import type { Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../src/core/errors/problem.ts";
import { depositComment, storeEnqueue } from "../../src/core/protocol/v2/messages.ts";
import { MAX_QUEUED } from "../../src/core/protocol/v2/pool_constants.ts";
import { fullPool } from "../chain/v2/full_pool.ts";
import { fillPath } from "../chain/v2/deep_slots.ts";
import {
  commentBody,
  splitComment,
  type V2Outcome,
  V2Sandbox,
  type V2WithdrawChange,
} from "../chain/v2/sandbox.ts";
import type { GasFigures } from "./measure.ts";

export const HIGHEST_PATH_FIGURE = "withdrawal, 94 full nodes";
export const HIGHEST_V2_BATCH_FIGURE = "withdrawals, 15 with the fullest queue";
/** The exit code of a transaction that needs more gas than the chain allows. */
const OUT_OF_GAS = -14;
/** The number of withdrawals or batches that are measured for one figure, which is the highest of them. */
const SAMPLES = 12;
/** The number of commitments in a complete list of the queue. */
const LIST_LENGTH = 256;

const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;

function gasOf({ exitCode, actionCode, gasUsed }: V2Outcome, expected?: ExitCodeName): number {
  const accepted = exitCode === 0 && actionCode === 0;
  if (expected ? exitCode !== exitCodes[expected] : !accepted) {
    throw new Error(`a measured message ended with ${exitCode}, ${actionCode}, not ${expected ?? 0}`);
  }
  return Number(gasUsed);
}

async function measureDeposits(): Promise<GasFigures> {
  const sandbox = await V2Sandbox.open();
  const highest = async (body: Cell) => {
    const figures: number[] = [];
    for (let deposits = 20; deposits < 28; deposits++) {
      await sandbox.setState({ deposits, settled: 16, commitment });
      figures.push(gasOf(await sandbox.send(body, sandbox.pool.denomination)));
    }
    return Math.max(...figures);
  };
  const comment = commentBody(depositComment(1n));
  const endsList = async (comment: boolean, waiting: number) => {
    await sandbox.setState({ deposits: waiting, settled: 0, commitment });
    return gasOf(await sandbox.deposit({ comment }));
  };
  return {
    "deposit, by op": await highest(storeEnqueue({ queryId: 0n, commitment: 1n })),
    "deposit, by comment": await highest(comment),
    "deposit, by comment in 2 cells": await highest(splitComment(comment, [312])),
    "deposit, by comment in 3 cells": await highest(splitComment(comment, [312, 416])),
    "deposit, by comment in 4 cells": await highest(splitComment(comment, [312, 416, 520])),
    "deposit that ends a list, by op": await endsList(false, LIST_LENGTH - 1),
    "deposit that ends a list, by comment": await endsList(true, LIST_LENGTH - 1),
    "deposit that ends a list, by op, 32,767 wait": await endsList(false, MAX_QUEUED - 1),
    "deposit that ends a list, by comment, 32,767 wait": await endsList(true, MAX_QUEUED - 1),
  };
}

async function measureSettlements(): Promise<GasFigures> {
  const sandbox = await V2Sandbox.open();
  const settle = async (settled: number, deposits: number) => {
    await sandbox.setState({ deposits, settled, commitment, roots: [1n], rootCount: 5000 });
    return gasOf(await sandbox.settle());
  };
  return {
    "settlement of 1": await settle(512, 513),
    "settlement of 16": await settle(512, 528),
    "settlement of 16, 240 more wait": await settle(512, 768),
    "settlement of 16, 32,752 more wait": await settle(512, 512 + MAX_QUEUED),
    "settlement of 16 that ends a list": await settle(752, 768),
    "settlement of 16 that ends a list, 32,752 more wait": await settle(752, 752 + MAX_QUEUED),
  };
}

async function measureWithdrawals(): Promise<GasFigures> {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  await sandbox.setState(state);
  const highest = async (change: V2WithdrawChange) => {
    const figures: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      figures.push(gasOf(await sandbox.withdraw({ ...change, nullifierHash: drawKey() })));
    }
    return Math.max(...figures);
  };
  const older = { root: sandbox.roots.at(-700)!, rootNumber: sandbox.rootCount - 700 };
  const batch = async (count: number, change: V2WithdrawChange = {}) => {
    const figures: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const changes = Array.from({ length: count }, () => ({ ...change, nullifierHash: drawKey() }));
      figures.push(Math.round(gasOf(await sandbox.withdrawMany(changes)) / count));
    }
    return Math.max(...figures);
  };
  return {
    "withdrawal, newest root": await highest({}),
    "withdrawal, older root": await highest(older),
    "withdrawal, one of 4": await batch(4),
    "withdrawal, one of 8": await batch(8),
    "withdrawal, one of 8, older root": await batch(8, older),
    "withdrawal, one of 15": await batch(15),
  };
}

/** Measures the largest batches of withdrawals, with an older root, refunds and the fullest queue. */
async function measureLargestBatches(): Promise<GasFigures> {
  const { sandbox, send } = await largestBatches();
  const older = olderRoot(sandbox);
  const figures: number[] = [];
  for (let i = 0; i < SAMPLES; i++) figures.push(gasOf(await send(15, older)));
  const { exitCode, gasUsed } = await send(16, older);
  if (exitCode !== OUT_OF_GAS) throw new Error(`16 withdrawals ended with ${exitCode}`);
  return { [HIGHEST_V2_BATCH_FIGURE]: Math.max(...figures), "withdrawals, 16, out of gas": Number(gasUsed) };
}

/** Counts how many of twelve batches of 16 withdrawals a transaction has enough gas for. */
export async function countFittingBatches(): Promise<{ readonly older: number; readonly newest: number }> {
  const { sandbox, send } = await largestBatches();
  const fitting = async (change: V2WithdrawChange) => {
    let count = 0;
    for (let i = 0; i < SAMPLES; i++) {
      const outcome = await send(16, change);
      if (outcome.exitCode !== OUT_OF_GAS && gasOf(outcome) > 0) count++;
    }
    return count;
  };
  return { older: await fitting(olderRoot(sandbox)), newest: await fitting({}) };
}

/** Returns withdrawals from a pool of 2^20 notes with the fullest queue. */
async function largestBatches() {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  const settled = state.deposits! - MAX_QUEUED;
  await sandbox.setState({ ...state, settled, withdrawals: settled - 1_000, commitment });
  const send = (count: number, change: V2WithdrawChange) => {
    const changes = Array.from({ length: count }, () => ({ nullifierHash: drawKey(), ...change }));
    return sandbox.withdrawMany(changes, { value: 3_000_000_000n });
  };
  return { sandbox, send };
}

function olderRoot({ roots, rootCount }: V2Sandbox): V2WithdrawChange {
  return { root: roots.at(-700)!, rootNumber: rootCount - 700, refund: 12_345_678n };
}

async function measureHighestPath(): Promise<GasFigures> {
  const sandbox = await V2Sandbox.open();
  const nullifierHash = (0xabcdef0123456789abcdefn << 12n) | 7n;
  const spent = fillPath(nullifierHash);
  await sandbox.setState({ deposits: 1000, settled: 1000, commitment, roots: [5n, 6n, 7n], spent });
  const oldest = { root: 5n, rootNumber: 0, refund: 12_345_678n };
  return { [HIGHEST_PATH_FIGURE]: gasOf(await sandbox.withdraw({ nullifierHash, ...oldest })) };
}

/** Measures what a refused message costs its sender, at 2^20 notes where the number of notes matters. */
async function measureRefusals(): Promise<GasFigures> {
  const empty = await V2Sandbox.open();
  const refusedDeposit = (comment: boolean) => empty.deposit({ comment, value: 1_000_000_000n });
  const deposits = {
    "deposit by op, wrong amount": gasOf(await refusedDeposit(false), "ERR_WRONG_DENOMINATION"),
    "deposit by comment, wrong amount": gasOf(await refusedDeposit(true), "ERR_WRONG_DENOMINATION"),
  };
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  await sandbox.setState({ deposits: 528, settled: 512, commitment, roots: [1n] });
  const settlements = {
    "settlement, stale": gasOf(await sandbox.settle({ end: 529 }), "ERR_STALE_SETTLE"),
    "settlement, invalid proof": gasOf(
      await sandbox.settle({ signals: Array(20).fill(1n) }),
      "ERR_PROOF_INVALID",
    ),
  };
  await sandbox.setState(state);
  const nullifierHash = drawKey();
  const withdraw = async (change: Parameters<V2Sandbox["withdraw"]>[0], code: ExitCodeName) =>
    gasOf(await sandbox.withdraw({ nullifierHash, ...change }), code);
  return {
    ...deposits,
    ...settlements,
    "withdrawal, unknown root": await withdraw({ root: 9n }, "ERR_UNKNOWN_ROOT"),
    "withdrawal, stale path": await withdraw({ carried: null }, "ERR_STALE_SLOT"),
    "withdrawal, invalid proof": await withdraw({ signals: [1n, 2n, 3n, 4n, 5n, 6n] }, "ERR_PROOF_INVALID"),
  };
}

/** The measurements by subject. Together they are the figures of the snapshot. */
export const v2Measurements: Readonly<Record<string, () => Promise<GasFigures>>> = {
  deposits: measureDeposits,
  settlements: measureSettlements,
  "withdrawals at 2^20 notes": measureWithdrawals,
  "the most expensive withdrawal": measureHighestPath,
  "the largest batches": measureLargestBatches,
  "refused messages": measureRefusals,
};

export async function measureV2(): Promise<GasFigures> {
  const figures: GasFigures = {};
  for (const measure of Object.values(v2Measurements)) Object.assign(figures, await measure());
  return figures;
}
