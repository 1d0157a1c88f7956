/** Assertions that several tests of version 2 pools use. */
import assert from "node:assert/strict";
import type { Address } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import type { WithdrawalLog } from "../../../src/core/protocol/messages/pool_messages.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import {
  decodeLedger,
  decodeV2PoolData,
  encodeQueue,
  encodeRoots,
} from "../../../src/ton/pool/v2/pool_state.ts";
import type { ChainPrices } from "../../../testkit/chain/chain_prices.ts";
import type { V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";

/** Asserts that a message was accepted and all of its actions were executed. */
export function assertAccepted<T extends V2Outcome>(outcome: T, what = ""): T {
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], what);
  return outcome;
}

/** Returns the change of the pool's balance by a message, without the storage fees for the time before it. */
export function balanceChange({ tx, balanceBefore, balanceAfter }: V2Outcome): bigint {
  assert.ok(tx.description.type === "generic");
  return balanceAfter - balanceBefore + (tx.description.storagePhase?.storageFeesCollected ?? 0n);
}

/** Asserts that a message bounces with this code and changes neither state nor coins of the pool. */
export async function assertRefused(
  sandbox: V2Sandbox,
  name: ExitCodeName,
  attempt: () => Promise<V2Outcome>,
  what = "",
): Promise<V2Outcome> {
  const data = await sandbox.pool.data();
  const outcome = await attempt();
  assert.equal(outcome.exitCode, exitCodes[name], `${what}: not ${name}`);
  assert.ok((await sandbox.pool.data()).equals(data), `${what}: the state changed`);
  assert.equal(balanceChange(outcome), 0n, `${what}: the pool's coins changed`);
  assert.deepEqual(outcome.logs, [], what);
  assert.deepEqual(outcome.sent.map(({ info }) => info.type === "internal" && info.bounced), [true], what);
  return outcome;
}

/** Asserts that the pool returned a deposit itself with this code, and kept nothing of it. */
export async function assertDepositReturned(
  sandbox: V2Sandbox,
  name: ExitCodeName,
  from: Address,
  attempt: () => Promise<V2Outcome>,
): Promise<void> {
  const data = await sandbox.pool.data();
  const outcome = await attempt();
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[name], 0], name);
  const { description, inMessage } = outcome.tx;
  assert.ok(description.type === "generic" && !description.aborted && description.bouncePhase === undefined);
  assert.ok((await sandbox.pool.data()).equals(data), "the state changed");
  assert.equal(balanceChange(outcome), 0n, "the pool's coins changed");
  const [back, ...others] = outcome.sent;
  assert.ok(others.length === 0 && back.info.type === "internal" && inMessage?.info.type === "internal");
  assert.deepEqual(
    [back.info.bounced, back.info.bounce, back.info.dest.toString()],
    [false, false, from.toString()],
  );
  assert.equal(loadDepositRefusal(back.body), name);
  const { coins } = inMessage.info.value;
  assert.equal(back.info.value.coins, coins - outcome.tx.totalFees.coins - back.info.forwardFee);
}

/** Asserts that the logs are those of these withdrawals, in order. */
export function assertWithdrawalsLogged(
  { logs }: V2Outcome,
  withdrawals: readonly (Omit<WithdrawalLog, "kind" | "relayer"> & { relayer: Address })[],
): void {
  const plain = withdrawals.map((each) => ({
    ...each,
    kind: "withdrawal",
    recipient: each.recipient.toString(),
    relayer: each.relayer.toString(),
  }));
  assert.deepEqual(
    logs.map((log) =>
      log?.kind === "withdrawal"
        ? { ...log, recipient: log.recipient.toString(), relayer: log.relayer?.toString() }
        : log
    ),
    plain,
  );
}

/** Asserts that the stored queue, spent set and root history are exactly those of the sandbox's mirror. */
export async function assertStateMirrored(sandbox: V2Sandbox, generation = 0): Promise<void> {
  const state = decodeV2PoolData(await sandbox.pool.data());
  const { commitments, settled, roots, rootCount, spent } = sandbox;
  assert.deepEqual(
    [state.deposits, state.settled, state.rootCount, state.root],
    [commitments.length, settled, rootCount, sandbox.root],
  );
  const { newest, complete } = encodeQueue({
    deposits: commitments.length,
    settled,
    commitment: (leafIndex) => commitments[leafIndex],
  });
  assert.ok(state.newest.equals(newest), "the newest list differs");
  assert.deepEqual(state.complete.keys(), complete.keys());
  for (const [list, cell] of complete) {
    assert.ok(state.complete.get(list)!.equals(cell), `list ${list} differs`);
  }
  assert.ok(state.spent.equals(spent.table()), "the spent set differs");
  const { owner, jettonMaster } = await sandbox.pool.getPoolInfo();
  const settings = { roots, rootCount, generation, owner };
  if (jettonMaster) {
    const ledger = decodeLedger(state.roots);
    assert.ok(ledger.roots.equals(encodeRoots({ ...settings, jetton: true })), "the root history differs");
    assert.equal(ledger.claimCount, ledger.claims.size);
  } else {
    assert.ok(state.roots.equals(encodeRoots(settings)), "the root history differs");
  }
}

/** The gas that the pool may charge beyond what it used. */
const GAS_TOLERANCE = 300n;
const LOG = { cells: 1n, bits: 534n };

/** Asserts that the pool has the expected coins, and at most the tolerance more. */
export function assertLeft(outcome: V2Outcome, expected: bigint, prices: ChainPrices, what: string): void {
  const beside = balanceChange(outcome) - expected;
  assert.ok(beside >= 0n, `${what}: the pool lacks ${-beside}`);
  const unusedLogBits = prices.forward(0, LOG) - prices.forward(0, { cells: 1n, bits: LOG.bits - 265n });
  const room = prices.gas(GAS_TOLERANCE) + BigInt(outcome.logs.length) * unusedLogBits;
  assert.ok(beside <= room, `${what}: the pool keeps ${beside} too much`);
}
