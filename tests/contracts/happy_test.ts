/**
 * Deposits and withdrawals with the real keys, circuits and compiled contract: every amount is exact to the
 * nano.
 */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import { createNote, type Note } from "../../src/core/protocol/note.ts";
import { proofToCell } from "../../src/core/crypto/proof_codec.ts";
import { createProver, type Prover } from "../../src/prover/prover.ts";
import { loadPoolCode } from "../../src/ton/pool/state_init.ts";
import { compileUnchanged } from "../../testkit/chain/compiled_contracts.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import {
  type DepositChange,
  PoolSandbox,
  type PriceList,
  type WithdrawChange,
} from "../../testkit/chain/pool_sandbox.ts";
import { forgeProof } from "../../testkit/chain/trapdoor_keys.ts";

const D = toNano(10);
const fresh = (byte: string, workchain = 0) => new Address(workchain, Buffer.from(byte.repeat(32), "hex"));

/** The price of a unit of gas in nano, rounded up. */
const gasPrice: Record<PriceList, bigint> = { mainnet: 67n, old: 400n };

/**
 * The part of a withdrawal that a pool keeps beside its share of the debt: 20 years of one full cell, at
 * least 0.005.
 */
const NET: Record<PriceList, bigint> = {
  mainnet: toNano("0.005"),
  old: ((500n + 1023n) * 631_152_000n + 0xffffn) >> 16n,
};

/** Proves the deposits and withdrawals of two notes once. Any number of pools can use the proofs. */
async function prove(prover: Prover) {
  const tree = new MerkleTree();
  const notes = Array.from(
    { length: 2 },
    () => createNote({ asset: "native", amount: "10", network: "localnet" }),
  );
  const deposits: DepositChange[] = [];
  for (const { commitment } of notes) {
    const newRoot = tree.rootAfter(commitment);
    const { pathElements } = tree.nextLeafPath();
    const leafIndex = tree.size;
    const { proof } = await prover.proveDeposit({
      prevRoot: tree.root,
      newRoot,
      commitment,
      leafIndex,
      pathElements,
    });
    deposits.push({ commitment, newRoot, leafIndex, proof: proofToCell(proof) });
    tree.append(commitment);
  }
  const withdraw = async (
    note: Note,
    index: number,
    to: { recipient: Address; relayer: Address | null; fee: bigint; refund: bigint },
  ): Promise<WithdrawChange & typeof to> => {
    const { nullifier, secret, nullifierHash } = note;
    const { proof } = await prover.proveWithdraw({
      root: tree.root,
      nullifierHash,
      nullifier,
      secret,
      ...to,
      recipient: addressToField(to.recipient),
      relayer: addressToField(to.relayer),
      ...tree.path(index),
    });
    return { root: tree.root, nullifierHash, proof: proofToCell(proof), ...to };
  };
  return {
    tree,
    notes,
    deposits,
    withdrawals: [
      await withdraw(notes[0], 0, {
        recipient: fresh("a1"),
        relayer: fresh("a2"),
        fee: toNano("0.05"),
        refund: toNano("0.013"),
      }),
      await withdraw(notes[1], 1, { recipient: fresh("b1", -1), relayer: null, fee: 0n, refund: 0n }),
    ],
  };
}

type Messages = Awaited<ReturnType<typeof prove>>;

Deno.test("the committed code is what the sources compile to", async () => {
  const { code } = loadPoolCode();
  assert.ok((await compileUnchanged("contracts/v1/pool_native.tolk")).equals(code));
});

Deno.test("with the real keys, notes are deposited and paid out to the nano", async (t) => {
  const prover = await createProver({ maxWorkers: 1 });
  const messages = await prove(prover).finally(() => prover.close());
  await paysToTheNano(t, messages);
  await t.step(
    "a changed proof, and a proof under other keys, is refused",
    () => refusesChangedProofs(messages),
  );
});

async function paysToTheNano(
  t: Deno.TestContext,
  { deposits, tree, notes, withdrawals }: Messages,
): Promise<void> {
  for (const prices of ["mainnet", "old"] as const) {
    await t.step(`under ${prices} prices`, async () => {
      const pool = await PoolSandbox.open({ prices, denomination: D, code: loadPoolCode().code });
      for (const deposit of deposits) {
        const { exitCode, balanceAfter: after, balanceBefore: before, tx, sent } = await pool.deposit(
          deposit,
        );
        assert.equal(exitCode, 0);
        assert.deepEqual(sent, []);
        assert.ok(after >= before + D - tx.totalFees.coins - toNano("0.01"));
      }
      assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), tree.root);
      for (const { commitment } of notes) {
        assert.equal((await pool.get("getIsDeposited", commitment)).readBoolean(), true);
      }

      for (const [i, withdrawal] of withdrawals.entries()) {
        const { recipient, relayer, fee, refund, nullifierHash } = withdrawal;
        const { debt, deposits, withdrawals } = await pool.getPoolInfo();
        const value = await pool.withdrawValue(refund);
        const balanceOf = async (address: Address) => (await pool.chain.getContract(address)).balance;

        const { exitCode, actionCode, balanceBefore: before, balanceAfter: after, sent, tx, transactions } =
          await pool.withdraw(
            withdrawal,
          );
        assert.deepEqual([exitCode, actionCode], [0, 0]);
        assert.equal(await balanceOf(recipient), D - fee + refund, "the recipient, to the nano");
        if (relayer) assert.equal(await balanceOf(relayer), fee, "the relayer, to the nano");
        assert.equal((await pool.get("getIsSpent", nullifierHash!)).readBoolean(), true);

        // For an amount of 0 the pool sends nothing, and its last message is the excess to the sender.
        const payouts = Number(fee < D) + Number(fee > 0n);
        assert.equal(sent.length, payouts + 1);
        assert.equal(transactions.length, sent.length + 1);
        const excess = sent.at(-1)!.info;
        assert.ok(excess.type === "internal" && excess.dest.equals(pool.relayer.address) && !excess.bounced);

        // Besides the note, the pool keeps its share of the debt and the net accrual; the sender paid the
        // rest.
        const unspent = BigInt(deposits - withdrawals);
        const net = (debt + unspent - 1n) / unspent + NET[prices];
        const keep = net > toNano("0.01") ? net : toNano("0.01");
        const kept = after - before + D;
        assert.ok(kept >= keep, `${kept} is below ${keep}`);
        assert.ok(kept < keep + 3000n * gasPrice[prices], `${kept} is far above ${keep}`);
        assert.ok(excess.value.coins < value - refund - keep - tx.totalFees.coins);

        await assertRejected(pool, "ERR_ALREADY_SPENT", () => pool.withdraw(withdrawal));
        if (i === 1) assert.equal((await pool.getPoolInfo()).debt, 0n);
      }
    });
  }
}

async function refusesChangedProofs({ deposits, withdrawals, tree }: Messages): Promise<void> {
  const pool = await PoolSandbox.open({ denomination: D, code: loadPoolCode().code });
  for (const deposit of deposits.slice(0, 1)) {
    const forged = forgeProof([
      pool.root,
      deposit.newRoot!,
      deposit.commitment!,
      BigInt(deposit.leafIndex!),
    ]);
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.deposit({ ...deposit, proof: forged }));
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.deposit({ ...deposit, commitment: 1n }));
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.deposit({ ...deposit, newRoot: 1n }));
    assert.equal((await pool.deposit(deposit)).exitCode, 0);
  }
  const [honest] = withdrawals;
  await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => pool.withdraw(honest));
  assert.equal((await pool.deposit(deposits[1])).exitCode, 0);
  const changes: WithdrawChange[] = [
    { recipient: fresh("ff") },
    { relayer: fresh("ff") },
    { relayer: null },
    { fee: 0n },
    { refund: 0n },
    { root: pool.roots[0] },
    { nullifierHash: 1n },
    { proof: withdrawals[1].proof },
    { proof: deposits[0].proof },
  ];
  const value = await pool.withdrawValue(honest.refund);
  for (const change of changes) {
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw({ ...honest, ...change, value }));
  }
  const { nullifierHash, recipient, relayer, fee, refund } = honest;
  const signals = [
    tree.root,
    nullifierHash!,
    addressToField(recipient),
    addressToField(relayer),
    fee,
    refund,
  ];
  const proof = forgeProof(signals);
  await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw({ ...honest, proof, value }));
  assert.equal((await pool.withdraw({ ...honest, value })).exitCode, 0);
}

Deno.test("recipient and relayer are paid to the nano for any split, and no empty message is sent", async (t) => {
  const pool = await PoolSandbox.open({ denomination: D });
  const balanceOf = async (address: Address) => (await pool.chain.getContract(address)).balance;
  const splits: [claim: string, fee: bigint, refund: bigint, recipient: Address, relayer: Address | null][] =
    [
      ["all of it is fee", D, 0n, fresh("d1"), fresh("d2")],
      ["all of it is fee, and a refund of a nano", D, 1n, fresh("d3"), fresh("d4")],
      ["a relayer for nothing", 0n, 0n, fresh("d5"), fresh("d6")],
      ["a fee of a nano", 1n, 0n, fresh("d7"), fresh("d8")],
      ["a refund above the denomination", toNano(1), D + 1n, fresh("d9"), fresh("da")],
      ["all on the masterchain", toNano(1), toNano(1), fresh("db", -1), fresh("dc", -1)],
      ["a recipient that is also the relayer", toNano(1), 5n, fresh("de"), fresh("de")],
    ];
  for (const [claim, fee, refund, recipient, relayer] of splits) {
    await t.step(claim, async () => {
      await pool.deposit();
      const { exitCode, actionCode, sent } = await pool.withdraw({ fee, refund, recipient, relayer });
      assert.deepEqual([exitCode, actionCode], [0, 0]);
      const paid = D - fee + refund;
      const same = relayer?.equals(recipient);
      assert.equal(await balanceOf(recipient), same ? paid + fee : paid);
      if (relayer && !same) assert.equal(await balanceOf(relayer), fee);
      assert.equal(sent.length, Number(paid > 0n) + Number(fee > 0n) + 1);
    });
  }
});
