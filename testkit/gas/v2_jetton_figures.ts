/** The gas of the messages of a version 2 jetton pool at mainnet's prices. */
import { beginCell, Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../src/core/errors/problem.ts";
import {
  opCodes,
  storeDiscoverJettonWallet,
  storeRetryPayout,
} from "../../src/core/protocol/messages/pool_messages.ts";
import { MAX_QUEUED_JETTON } from "../../src/core/protocol/v2/pool_constants.ts";
import { storeEnqueue } from "../../src/core/protocol/v2/messages.ts";
import { manyClaims } from "../chain/v2/claims.ts";
import { fillPath } from "../chain/v2/deep_slots.ts";
import { fullPool } from "../chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../chain/v2/jetton_sandbox.ts";
import type { V2Outcome, V2WithdrawChange } from "../chain/v2/sandbox.ts";
import type { GasFigures } from "./measure.ts";

export const HIGHEST_JETTON_PATH_FIGURE = "withdrawal, 94 full nodes";
/** An accepted deposit uses more gas than any refused one. */
export const HIGHEST_JETTON_DEPOSIT_FIGURES = ["deposit", "deposit, above the field"] as const;
export const HIGHEST_BATCH_FIGURE = "withdrawals, 12 with the fullest queue";
/** The number of withdrawals or batches that are measured for one figure, which is the highest of them. */
const SAMPLES = 12;

const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;

function gasOf(
  { exitCode, actionCode, gasUsed }: Pick<V2Outcome, "exitCode" | "actionCode" | "gasUsed">,
  expected?: ExitCodeName,
) {
  const accepted = exitCode === 0 && actionCode === 0;
  if (expected ? exitCode !== exitCodes[expected] : !accepted) {
    throw new Error(`a measured message ended with ${exitCode}, ${actionCode}, not ${expected ?? 0}`);
  }
  return Number(gasUsed);
}

async function measureDeposits(): Promise<GasFigures> {
  const sandbox = await V2JettonSandbox.openJetton();
  const accepted: number[] = [];
  const refused: number[] = [];
  for (const deposits of [20, 21, 22, 23, 24, 255, MAX_QUEUED_JETTON - 1]) {
    await sandbox.setState({ deposits, settled: 0, commitment });
    const aboveField = storeEnqueue({ queryId: 0n, commitment: 2n ** 256n - 1n });
    refused.push(gasOf(await sandbox.deposit({ payload: aboveField }), "ERR_NOT_IN_FIELD"));
    accepted.push(gasOf(await sandbox.deposit()));
  }
  return { deposit: Math.max(...accepted), "deposit, above the field": Math.max(...refused) };
}

async function measureSettlements(): Promise<GasFigures> {
  const sandbox = await V2JettonSandbox.openJetton();
  const settle = async (settled: number, deposits: number) => {
    await sandbox.setState({ deposits, settled, commitment, roots: [1n], rootCount: 5000 });
    return gasOf(await sandbox.settle());
  };
  return {
    "settlement of 1": await settle(512, 513),
    "settlement of 16": await settle(512, 528),
    "settlement of 16, 2,032 more wait": await settle(512, 512 + MAX_QUEUED_JETTON),
    "settlement of 16 that ends a list": await settle(752, 768),
    "settlement of 16 that ends a list, 2,032 more wait": await settle(752, 752 + MAX_QUEUED_JETTON),
  };
}

async function measureWithdrawals(): Promise<GasFigures> {
  const { state, drawKey } = fullPool();
  const sandbox = await V2JettonSandbox.openJetton();
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
      figures.push(Math.round(gasOf(await sandbox.withdrawMany(changes, { value: 5_000_000_000n })) / count));
    }
    return Math.max(...figures);
  };
  return {
    "withdrawal, newest root": await highest({}),
    "withdrawal, older root": await highest(older),
    "withdrawal, one of 4": await batch(4),
    "withdrawal, one of 8": await batch(8),
    "withdrawal, one of 8, older root": await batch(8, older),
    "withdrawal, one of 12": await batch(12),
  };
}

/**
 * Measures the most expensive messages: the longest path, and a batch from a full pool with an older root and
 * all payouts.
 */
async function measureHighest(): Promise<GasFigures> {
  const sandbox = await V2JettonSandbox.openJetton();
  const nullifierHash = (0xabcdef0123456789abcdefn << 12n) | 7n;
  await sandbox.setState({
    deposits: 1000,
    settled: 1000,
    commitment,
    roots: [5n, 6n, 7n],
    spent: fillPath(nullifierHash),
  });
  const oldest = { root: 5n, rootNumber: 0, refund: 12_345_678n };
  const single = gasOf(await sandbox.withdraw({ nullifierHash, ...oldest }));
  const { state, drawKey } = fullPool();
  await sandbox.setState({
    ...state,
    settled: state.deposits! - 2_048,
    withdrawals: state.deposits! - 3_000,
    commitment,
  });
  const root = { root: sandbox.roots.at(-700)!, rootNumber: sandbox.rootCount - 700, refund: 12_345_678n };
  const changes = Array.from({ length: 12 }, () => ({ nullifierHash: drawKey(), ...root }));
  return {
    [HIGHEST_JETTON_PATH_FIGURE]: single,
    [HIGHEST_BATCH_FIGURE]: gasOf(await sandbox.withdrawMany(changes, { value: 5_000_000_000n })),
  };
}

/** Measures refused messages, at 2^20 notes where the number of notes matters, and the messages of claims. */
async function measureOthers(): Promise<GasFigures> {
  const unknown = await V2JettonSandbox.openJetton({ discovered: false });
  const discovery = gasOf(await unknown.send(storeDiscoverJettonWallet(), 200_000_000n));
  const sandbox = await V2JettonSandbox.openJetton();
  const deposits = {
    "deposit, wrong amount": gasOf(await sandbox.deposit({ amount: 5n }), "ERR_WRONG_DENOMINATION"),
    "deposit, too little for its way back": gasOf(
      await sandbox.deposit({ forward: 80_000_000n }),
      "ERR_INSUFFICIENT_VALUE",
    ),
    "deposit, sent as coins": gasOf(
      await sandbox.send(storeEnqueue({ queryId: 0n, commitment: 1n }), 1_000_000_000n),
      "ERR_NOT_JETTON_WALLET",
    ),
  };
  await sandbox.setState({ deposits: 528, settled: 512, commitment, roots: [1n] });
  const settlements = {
    "settlement, stale": gasOf(await sandbox.settle({ end: 529 }), "ERR_STALE_SETTLE"),
    "settlement, invalid proof": gasOf(
      await sandbox.settle({ signals: Array(20).fill(1n) }),
      "ERR_PROOF_INVALID",
    ),
  };
  const { state, drawKey } = fullPool();
  await sandbox.setState(state);
  const nullifierHash = drawKey();
  const withdraw = async (change: Parameters<V2JettonSandbox["withdraw"]>[0], code: ExitCodeName) =>
    gasOf(await sandbox.withdraw({ nullifierHash, ...change }), code);
  const withdrawals = {
    "withdrawal, unknown root": await withdraw({ root: 9n }, "ERR_UNKNOWN_ROOT"),
    "withdrawal, stale path": await withdraw({ carried: null }, "ERR_STALE_SLOT"),
    "withdrawal, invalid proof": await withdraw({ signals: [1n, 2n, 3n, 4n, 5n, 6n] }, "ERR_PROOF_INVALID"),
  };
  await sandbox.setState(state, undefined, manyClaims(255));
  const blocked = await withdraw({}, "ERR_PAYOUTS_BLOCKED");
  const retry = gasOf(await sandbox.send(storeRetryPayout(manyClaims(255)[100].id), 300_000_000n));
  return {
    ...deposits,
    ...settlements,
    ...withdrawals,
    "withdrawal, payouts blocked": blocked,
    "retry, 255 claims": retry,
    "discover jetton wallet": discovery,
    "empty body": gasOf(await sandbox.send(Cell.EMPTY, 1_000_000_000n)),
    "unknown op": gasOf(
      await sandbox.send(beginCell().storeUint(opCodes.excesses, 32).endCell(), 1_000_000_000n),
    ),
  };
}

/** The measurements by subject. Together they are the figures of the snapshot. */
export const v2JettonMeasurements: Readonly<Record<string, () => Promise<GasFigures>>> = {
  deposits: measureDeposits,
  settlements: measureSettlements,
  "withdrawals at 2^20 notes": measureWithdrawals,
  "the most expensive messages": measureHighest,
  "refused and other messages": measureOthers,
};

export async function measureV2Jetton(): Promise<GasFigures> {
  const figures: GasFigures = {};
  for (const measure of Object.values(v2JettonMeasurements)) Object.assign(figures, await measure());
  return figures;
}
