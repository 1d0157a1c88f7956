/** For every pair of faults in one message, the pool reports the one that it checks first. */
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import type { ExitCodeName } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import {
  type DepositChange,
  freshElement,
  PoolSandbox,
  type WithdrawChange,
} from "../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

const CAPACITY = POOL_CAPACITY;
const taken = freshElement();
const root = freshElement();
const elsewhere = Address.parse("5:" + "ab".repeat(32));
const malform = (body: Cell) => beginCell().storeSlice(body.beginParse()).storeBit(1).endCell();

async function open(state?: { paused?: boolean; full?: boolean }): Promise<PoolSandbox> {
  const pool = await PoolSandbox.open();
  pool.roots.push(root);
  await put(pool, state);
  return pool;
}

/**
 * Sets a state with `taken` as a commitment and a nullifier, and `root` as the newest root. Two faults belong
 * to the state.
 */
async function put(pool: PoolSandbox, { paused = false, full = false } = {}): Promise<void> {
  const [commitments, nullifiers, history] = [new SetModel(), new SetModel(), new RootHistoryModel()];
  for (let i = 1n; i < 5n; i++) {
    history.push(i);
    commitments.add(i);
  }
  commitments.add(taken);
  nullifiers.add(taken);
  history.push(root);
  const { denomination, owner } = pool;
  const data = encodePoolData({
    denomination,
    deposits: full ? CAPACITY : 5,
    withdrawals: 1,
    debt: 0n,
    touched: pool.chain.now!,
    nullifiers,
    root,
    commitments,
    history,
    paused,
    owner: owner.address,
  });
  await pool.setState({ data, balance: 4n * denomination + toNano("2.5") });
}

// The faults are in the order of the checks. The test applies later faults first, so that earlier ones can
// build on them.
type DepositFault = "amount" | "paused" | "full" | "malformed" | "field" | "leaf" | "duplicate" | "proof";
const depositFaults: Record<DepositFault, ExitCodeName> = {
  amount: "ERR_WRONG_DENOMINATION",
  paused: "ERR_PAUSED",
  full: "ERR_POOL_FULL",
  malformed: "ERR_MALFORMED",
  field: "ERR_NOT_IN_FIELD",
  leaf: "ERR_STALE_DEPOSIT",
  duplicate: "ERR_DUPLICATE_COMMITMENT",
  proof: "ERR_PROOF_INVALID",
};

async function refusedDeposit(pool: PoolSandbox, faults: readonly DepositFault[]): Promise<void> {
  const has = (fault: DepositFault) => faults.includes(fault);
  await put(pool, { paused: has("paused"), full: has("full") });
  const leaf = await pool.nextIndex();
  const change: Draft<DepositChange> = { commitment: freshElement(), newRoot: freshElement() };
  if (has("proof")) change.signals = [1n, 2n, 3n, 4n];
  if (has("duplicate")) change.commitment = taken;
  if (has("leaf")) change.leafIndex = leaf + 1;
  if (has("field")) change.newRoot = change.newRoot! + FIELD_MODULUS;
  const honest = await pool.depositBody(change);
  const body = has("malformed") ? malform(honest) : honest;
  const value = pool.denomination - (has("amount") ? 1n : 0n);
  await assertRejected(pool, depositFaults[faults[0]], () => pool.send(body, value));
}

type WithdrawFault = "malformed" | "field" | "root" | "spent" | "proof" | "fee" | "address" | "value";
const withdrawFaults: Record<WithdrawFault, ExitCodeName> = {
  malformed: "ERR_MALFORMED",
  field: "ERR_NOT_IN_FIELD",
  root: "ERR_UNKNOWN_ROOT",
  spent: "ERR_ALREADY_SPENT",
  proof: "ERR_PROOF_INVALID",
  fee: "ERR_FEE_TOO_HIGH",
  address: "ERR_BAD_ADDRESS",
  value: "ERR_INSUFFICIENT_VALUE",
};

async function refusedWithdrawal(pool: PoolSandbox, faults: readonly WithdrawFault[]): Promise<void> {
  const has = (fault: WithdrawFault) => faults.includes(fault);
  const change: Draft<WithdrawChange> = { root, nullifierHash: freshElement() };
  if (has("address")) change.recipient = elsewhere;
  if (has("fee")) change.fee = pool.denomination + 1n;
  if (has("proof")) change.signals = [1n, 2n, 3n, 4n, 5n, 6n];
  if (has("spent")) change.nullifierHash = taken;
  if (has("root")) change.root = freshElement();
  if (has("field")) change.nullifierHash = change.nullifierHash! + FIELD_MODULUS;
  const honest = pool.withdrawBody(change);
  const body = has("malformed") ? malform(honest) : honest;
  const value = await pool.withdrawValue() / (has("value") ? 3n : 1n);
  await assertRejected(pool, withdrawFaults[faults[0]], () => pool.send(body, value));
}

/** Returns all sets of one or two faults, earlier faults first. */
function pairs<T extends string>(faults: Record<T, ExitCodeName>): T[][] {
  const names = Object.keys(faults) as T[];
  return names.flatMap((first, i) => [[first], ...names.slice(i + 1).map((second) => [first, second])]);
}

Deno.test("a deposit with two faults is refused for the one that is checked first", async (t) => {
  const pool = await open();
  for (const faults of pairs(depositFaults)) {
    await t.step(
      `${faults.join(" before ")}: ${depositFaults[faults[0]]}`,
      () => refusedDeposit(pool, faults),
    );
  }
});

Deno.test("a wrong amount is ERR_WRONG_DENOMINATION whatever else is wrong with the deposit", async () => {
  const pool = await open();
  await refusedDeposit(pool, Object.keys(depositFaults) as DepositFault[]);
  const opAlone = beginCell().storeUint(0x7c790d27, 32).endCell();
  await assertRejected(pool, "ERR_WRONG_DENOMINATION", () => pool.send(opAlone, pool.denomination + 1n));
});

Deno.test("a withdrawal with two faults is refused for the one that is checked first", async (t) => {
  const pool = await open();
  for (const faults of pairs(withdrawFaults)) {
    await t.step(
      `${faults.join(" before ")}: ${withdrawFaults[faults[0]]}`,
      () => refusedWithdrawal(pool, faults),
    );
  }
});

Deno.test("a full pool with a free leaf index takes no deposit, and still pays out", async () => {
  const pool = await open({ full: true });
  await assertRejected(pool, "ERR_POOL_FULL", () => pool.deposit());
  const { exitCode, actionCode } = await pool.withdraw();
  assert.deepEqual([exitCode, actionCode], [0, 0]);
});
