/** Attacks with a valid proof: the pool rejects each with ERR_PROOF_INVALID, or spends nothing twice. */
import assert from "node:assert/strict";
import { Address, type Cell, internal } from "@ton/core";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { compressG2 } from "../../src/core/crypto/proof_codec.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import { freshElement, PoolSandbox, type WithdrawChange } from "../../testkit/chain/pool_sandbox.ts";
import {
  generator2,
  invalidateProof,
  invalidations,
  leaveSubgroup,
  negatePoint,
  unpackProof,
} from "../support/contracts/invalid_proofs.ts";
import { offSubgroupG2 } from "../support/prover/off_subgroup_points.ts";
import { forgeProof, forgeProofWithoutA, proofCell } from "../../testkit/chain/trapdoor_keys.ts";

const thief = Address.parse("0:" + "66".repeat(32));

Deno.test("a proof with a point spoilt is ERR_PROOF_INVALID, in a deposit and in a withdrawal", async (t) => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const value = await pool.withdrawValue();
  const spent = { root: pool.root, nullifierHash: freshElement(), fee: 0n, refund: 0n, relayer: null };
  const [commitment, newRoot] = [freshElement(), freshElement()];
  const honest = {
    deposit: unpackProof(forgeProof([pool.root, newRoot, commitment, 1n])),
    withdraw: unpackProof(pool.withdrawBody(spent).refs[1]),
  };
  for (const [claim, spoil] of Object.entries(invalidations)) {
    await t.step(claim, async () => {
      const deposit = { commitment, newRoot, proof: invalidateProof(honest.deposit, spoil) };
      await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.deposit(deposit));
      const withdrawal = { ...spent, value, proof: invalidateProof(honest.withdraw, spoil) };
      await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw(withdrawal));
    });
  }
  await t.step("unspoilt, both hold", async () => {
    const proof = invalidateProof(honest.withdraw, () => ({}));
    assert.equal((await pool.withdraw({ ...spent, value, proof })).exitCode, 0);
    const deposit = { commitment, newRoot, proof: invalidateProof(honest.deposit, () => ({})) };
    assert.equal((await pool.deposit(deposit)).exitCode, 0);
  });
});

Deno.test("points outside their subgroups are refused where the pairing alone would let them pass", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 2; i++) await pool.deposit();
  const nullifierHash = freshElement();
  const body = { nullifierHash, fee: 0n, refund: 0n, relayer: null };
  const { a, c, b } = unpackProof(pool.withdrawBody(body).refs[1]);
  const withdraw = (proof: Cell) => pool.withdraw({ ...body, proof });

  await assertRejected(pool, "ERR_PROOF_INVALID", () => withdraw(proofCell(leaveSubgroup(a), c, b)));
  await assertRejected(pool, "ERR_PROOF_INVALID", () => withdraw(proofCell(a, leaveSubgroup(c), b)));

  const signals = [pool.root, nullifierHash, addressToField(pool.user.address), 0n, 0n, 0n];
  const free = (b: Uint8Array) => withdraw(forgeProofWithoutA(signals, b));
  await assertRejected(pool, "ERR_PROOF_INVALID", () => free(compressG2(offSubgroupG2())));
  assert.equal((await free(generator2)).exitCode, 0, "the subgroup was the fault");

  const [commitment, newRoot] = [freshElement(), freshElement()];
  const valid = unpackProof(forgeProof([pool.root, newRoot, commitment, 2n]));
  const deposit = (a: Uint8Array, c: Uint8Array) =>
    pool.deposit({ commitment, newRoot, proof: proofCell(a, c, valid.b) });
  await assertRejected(pool, "ERR_PROOF_INVALID", () => deposit(leaveSubgroup(valid.a), valid.c));
  await assertRejected(pool, "ERR_PROOF_INVALID", () => deposit(valid.a, leaveSubgroup(valid.c)));
  assert.equal((await deposit(valid.a, valid.c)).exitCode, 0, "the subgroup was the fault");
});

Deno.test("any field of a withdrawal changed after proving is ERR_PROOF_INVALID, however bad the new value is", async (t) => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.deposit();
  const value = await pool.withdrawValue(1_000_000n);
  const proven = {
    root: pool.root,
    nullifierHash: freshElement(),
    fee: 50_000_000n,
    refund: 1_000_000n,
    recipient: pool.user.address,
    relayer: pool.relayer.address,
    value,
  };
  const proof = pool.withdrawBody(proven).refs[1];
  const masterchain = new Address(-1, proven.recipient.hash);
  const changes: [string, WithdrawChange][] = [
    ["a thief for the recipient", { recipient: thief }],
    ["the same account on the masterchain", { recipient: masterchain }],
    ["a recipient in workchain 5", { recipient: new Address(5, thief.hash) }],
    ["the pool for the recipient", { recipient: pool.address }],
    ["a thief for the relayer", { relayer: thief }],
    ["nobody for the relayer", { relayer: null, fee: 0n }],
    ["nobody for the relayer and the fee left", { relayer: null }],
    ["recipient and relayer exchanged", { recipient: proven.relayer, relayer: proven.recipient }],
    ["the fee a nano up", { fee: proven.fee + 1n }],
    ["the fee a nano down", { fee: proven.fee - 1n }],
    ["no fee", { fee: 0n }],
    ["a fee above the denomination", { fee: pool.denomination + 1n }],
    ["fee and refund exchanged", { fee: proven.refund, refund: proven.fee }],
    ["the refund a nano up", { refund: proven.refund + 1n }],
    ["the refund a nano down", { refund: proven.refund - 1n }],
    ["a refund above the value", { refund: 2n * value }],
    ["another root that is known", { root: pool.roots[0] }],
    ["another nullifier", { nullifierHash: freshElement() }],
    ["nullifier 0", { nullifierHash: 0n }],
  ];
  for (const [claim, change] of changes) {
    await t.step(
      claim,
      () => assertRejected(pool, "ERR_PROOF_INVALID", () => pool.withdraw({ ...proven, proof, ...change })),
    );
  }
  await t.step("the unchanged proof is accepted from any sender", async () => {
    assert.equal((await pool.withdraw({ ...proven, proof, from: thief })).exitCode, 0);
  });
});

Deno.test("any field of a deposit changed after proving is ERR_PROOF_INVALID", async () => {
  const pool = await PoolSandbox.open();
  const proven = { commitment: freshElement(), newRoot: freshElement() };
  const proof = forgeProof([pool.root, proven.newRoot, proven.commitment, 0n]);
  for (const change of [{ commitment: freshElement() }, { newRoot: freshElement() }, { commitment: 0n }]) {
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.deposit({ ...proven, proof, ...change }));
  }
  assert.equal((await pool.deposit({ ...proven, proof })).exitCode, 0);
  // The proof does not hold for the next leaf, which follows another root.
  await assertRejected(
    pool,
    "ERR_PROOF_INVALID",
    () => pool.deposit({ commitment: freshElement(), newRoot: proven.newRoot, proof }),
  );
});

Deno.test("a note pays once: the same message, another root, other payees, a proof with its signs changed", async () => {
  const pool = await PoolSandbox.open();
  const before = pool.root;
  for (let i = 0; i < 3; i++) await pool.deposit();
  assert.notEqual(before, pool.root);
  const nullifierHash = freshElement();
  const body = pool.withdrawBody({ nullifierHash });
  const value = await pool.withdrawValue();
  assert.equal((await pool.send(body, value)).exitCode, 0);
  assert.equal((await pool.get("getIsSpent", nullifierHash)).readBoolean(), true);
  assert.equal((await pool.get("getIsSpent", nullifierHash + FIELD_MODULUS)).readBoolean(), false);

  await assertRejected(pool, "ERR_ALREADY_SPENT", () => pool.send(body, value));
  await assertRejected(
    pool,
    "ERR_ALREADY_SPENT",
    () => pool.withdraw({ nullifierHash, root: pool.roots[1] }),
  );
  await assertRejected(pool, "ERR_ALREADY_SPENT", () => pool.withdraw({ nullifierHash, recipient: thief }));
});

Deno.test("a proof with the signs of a and b changed is valid as well, so no code may identify a note by its proof", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.deposit();
  const nullifierHash = freshElement();
  const { a, c, b } = unpackProof(pool.withdrawBody({ nullifierHash }).refs[1]);
  const twin = proofCell(negatePoint(a), c, negatePoint(b));
  assert.equal((await pool.withdraw({ nullifierHash, proof: twin })).exitCode, 0);
  await assertRejected(pool, "ERR_ALREADY_SPENT", () => pool.withdraw({ nullifierHash }));
});

Deno.test("two withdrawals of one note in one batch of messages: the first pays, the second bounces", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  const body = pool.withdrawBody({ nullifierHash: freshElement() });
  const value = await pool.withdrawValue();
  const { transactions } = await pool.user.sendMessages(
    [body, body].map((body) => internal({ to: pool.address, value, bounce: true, body })),
  );
  const codes = transactions.filter(({ inMessage }) =>
    inMessage?.info.dest?.toString() === pool.address.toString()
  )
    .map(({ description }) =>
      description.type === "generic" && description.computePhase.type === "vm" &&
      description.computePhase.exitCode
    );
  assert.deepEqual(codes, [0, exitCodes.ERR_ALREADY_SPENT]);
});

Deno.test("a proof fits a twin pool that holds the same root, and no other pool; its payees stay bound", async () => {
  const [pool, twin, other] = [await PoolSandbox.open(), await PoolSandbox.open(), await PoolSandbox.open()];
  const [newRoot, nullifierHash] = [freshElement(), freshElement()];
  await pool.deposit({ newRoot });
  await twin.deposit({ newRoot });
  await other.deposit();
  const proven = { nullifierHash, root: newRoot, recipient: pool.user.address };
  const body = pool.withdrawBody(proven);
  const proof = body.refs[1];
  const value = await pool.withdrawValue();
  assert.equal((await pool.send(body, value)).exitCode, 0);
  await assertRejected(other, "ERR_UNKNOWN_ROOT", () => other.send(body, value));
  await assertRejected(
    twin,
    "ERR_PROOF_INVALID",
    () => twin.withdraw({ ...proven, recipient: thief, proof }),
  );
  assert.equal((await twin.send(body, value)).exitCode, 0);
});

Deno.test("r - 1, the largest field element, is a commitment, a root and a nullifier hash as any other", async () => {
  const pool = await PoolSandbox.open();
  const largest = FIELD_MODULUS - 1n;
  assert.equal((await pool.deposit({ commitment: largest })).exitCode, 0);
  assert.equal((await pool.deposit({ newRoot: largest })).exitCode, 0);
  assert.equal((await pool.withdraw({ nullifierHash: largest })).exitCode, 0);
});
