/** Single withdrawals from a version 2 pool: each check, in order, and whole random histories. */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { storeWithdraw2 } from "../../../src/core/protocol/v2/messages.ts";
import { freshElement, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { drawNumbers } from "../../../testkit/chain/v2/full_pool.ts";
import { decodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { V2Sandbox, type V2WithdrawChange } from "../../../testkit/chain/v2/sandbox.ts";
import { assertAccepted, assertRefused, assertStateMirrored } from "../../support/contracts/v2_assertions.ts";

async function openWithNotes(): Promise<V2Sandbox> {
  const sandbox = await V2Sandbox.open();
  await sandbox.setState({ deposits: 40, settled: 32, commitment: () => 1n, roots: [freshElement()] });
  return sandbox;
}

Deno.test("a withdrawal changed after proving is refused: payees, fee, refund, nullifier hash", async () => {
  const sandbox = await openWithNotes();
  const { owner } = sandbox.pool;
  const { proof } = sandbox.request({ nullifierHash: 77n });
  const changes: V2WithdrawChange[] = [
    { recipient: owner.address },
    { recipient: new Address(-1, sandbox.pool.user.address.hash) },
    { relayer: owner.address },
    { fee: 50_000_001n },
    { refund: 1n },
    { nullifierHash: 78n },
  ];
  for (const change of changes) {
    const attempt = () => sandbox.withdraw({ nullifierHash: 77n, ...change, proof });
    await assertRefused(sandbox, "ERR_PROOF_INVALID", attempt, Object.keys(change).join());
  }
  assertAccepted(await sandbox.withdraw({ nullifierHash: 77n, proof }));
});

const faults: [ExitCodeName, (sandbox: V2Sandbox) => V2WithdrawChange & { value?: bigint }][] = [
  ["ERR_NOT_IN_FIELD", () => ({ nullifierHash: FIELD_MODULUS })],
  ["ERR_NOT_IN_FIELD", () => ({ nullifierHash: FIELD_MODULUS + 5n })],
  ["ERR_NOT_IN_FIELD", () => ({ root: FIELD_MODULUS })],
  ["ERR_NOT_IN_FIELD", () => ({ root: 2n ** 256n - 1n })],
  ["ERR_UNKNOWN_ROOT", () => ({ root: freshElement() })],
  ["ERR_STALE_SLOT", () => ({ carried: beginCell().storeUint(1, 96).endCell() })],
  ["ERR_FEE_TOO_HIGH", ({ pool }) => ({ fee: pool.denomination + 1n })],
  ["ERR_FEE_TOO_HIGH", () => ({ fee: 1n, relayer: null })],
  ["ERR_BAD_ADDRESS", ({ pool }) => ({ recipient: pool.address })],
  ["ERR_BAD_ADDRESS", ({ pool }) => ({ relayer: pool.address })],
  ["ERR_BAD_ADDRESS", ({ pool }) => ({ recipient: new Address(5, pool.user.address.hash) })],
  ["ERR_INSUFFICIENT_VALUE", () => ({ value: toNano("0.015") })],
];

Deno.test("each check of a withdrawal has its code", async () => {
  const sandbox = await openWithNotes();
  for (const [name, change] of faults) {
    const { value, ...rest } = change(sandbox);
    await assertRefused(sandbox, name, () => sandbox.withdraw({ ...rest, value: value ?? toNano(1) }), name);
  }
  const body = storeWithdraw2(sandbox.request(), 0n);
  const malformed = [
    beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell(),
    beginCell().storeBits(body.bits.substring(0, 400)).endCell(),
  ];
  for (const wrong of malformed) {
    await assertRefused(sandbox, "ERR_MALFORMED", () => sandbox.send(wrong, toNano(1)));
  }
});

Deno.test("only the owner pauses, and a burned owner is no one", async () => {
  const sandbox = await openWithNotes();
  for (const op of ["admin_pause", "admin_unpause"] as const) {
    await assertRefused(sandbox, "ERR_NOT_OWNER", () => sandbox.send(storeAdmin(op), toNano(1)));
    assertAccepted(await sandbox.send(storeAdmin(op), toNano(1), { from: sandbox.pool.owner.address }));
    assert.equal((await sandbox.pool.getPoolInfo()).paused, op === "admin_pause");
    for (const more of [beginCell().storeBit(0), beginCell().storeRef(Cell.EMPTY)]) {
      const body = beginCell().storeSlice(storeAdmin(op).beginParse()).storeBuilder(more).endCell();
      const attempt = () => sandbox.send(body, toNano(1), { from: sandbox.pool.owner.address });
      await assertRefused(sandbox, "ERR_MALFORMED", attempt);
    }
  }
  const burned = await V2Sandbox.open({ owner: "burned" });
  const pause = () => burned.send(storeAdmin("admin_pause"), toNano(1), { from: burned.pool.owner.address });
  await assertRefused(burned, "ERR_NOT_OWNER", pause);
});

for (const seed of [1n, 2n, 3n]) {
  Deno.test(`drawn history ${seed}: decades pass, prices change, and every note is paid`, async () => {
    const sandbox = await V2Sandbox.open({ prices: "old" });
    const draw = drawNumbers(seed);
    const pick = (count: number) => Number(draw(30)) % count;
    const { chain } = sandbox.pool;
    const spent: bigint[] = [];
    const deposit = () => sandbox.deposit({ comment: pick(3) === 0, bounce: pick(2) === 0 });
    const withdraw = async () => {
      const state = decodeV2PoolData(await sandbox.pool.data());
      if (state.settled === state.withdrawals) return;
      const count = Math.min(1 + pick(3), state.settled - state.withdrawals);
      const changes = Array.from({ length: count }, () => ({ nullifierHash: freshElement() }));
      const quote = (await sandbox.pool.get("get_withdraw_many_value", BigInt(count), 0n)).readBigNumber();
      if (count === 1) assertAccepted(await sandbox.withdraw({ ...changes[0], value: quote }));
      else assertAccepted(await sandbox.withdrawMany(changes, { value: quote }));
      spent.push(...changes.map(({ nullifierHash }) => nullifierHash));
    };
    const settle = async () => {
      if (sandbox.settled === sandbox.commitments.length) return;
      const { settledAt } = decodeV2PoolData(await sandbox.pool.data());
      const end = sandbox.settled + 1 + pick(sandbox.batchEnd - sandbox.settled);
      const attempt = () => sandbox.settle({ end, value: toNano("0.5") });
      if (end % 16 !== 0 && chain.now! - settledAt < 30) {
        await assertRefused(sandbox, "ERR_TOO_SOON", attempt);
      } else assertAccepted(await attempt());
    };
    for (let step = 0; step < 60; step++) {
      chain.now! += [0, 5, 40, 2000, 86_400][pick(5)];
      const kind = pick(10);
      if (kind < 4) { for (let i = pick(6); i >= 0; i--) assertAccepted(await deposit()); }
      else if (kind < 7) await settle();
      else if (kind < 9) await withdraw();
      else if (spent.length > 0) {
        const nullifierHash = spent[pick(spent.length)];
        const again = () => sandbox.withdraw({ nullifierHash, value: toNano(1) });
        await assertRefused(sandbox, "ERR_ALREADY_SPENT", again);
      }
      if (step === 20) chain.setConfig(priceLists.mainnet);
      if (step === 30) chain.now! += 20 * 31_557_600;
      if (step % 20 === 0) await assertStateMirrored(sandbox);
    }
    await sandbox.settleAll();
    while (spent.length < sandbox.commitments.length) await withdraw();
    await assertStateMirrored(sandbox);
    const state = decodeV2PoolData(await sandbox.pool.data());
    assert.deepEqual([state.debt, state.pending, state.withdrawals], [0n, 0n, sandbox.commitments.length]);
  });
}
