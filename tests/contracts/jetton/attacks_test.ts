/** Attacks on a jetton pool: forged, changed, replayed and racing messages. */
import assert from "node:assert/strict";
import { Address, beginCell, internal, toNano } from "@ton/core";
import { internal as delivered } from "@ton/sandbox";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { deliverInOneBlock, exitCodesAt } from "../../support/contracts/one_block.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { freshElement, type Outcome, type WithdrawChange } from "../../../testkit/chain/pool_sandbox.ts";
import { invalidateProof, invalidations, unpackProof } from "../../support/contracts/invalid_proofs.ts";
import { forgeProof } from "../../../testkit/chain/trapdoor_keys.ts";
import { FEE, somebody, thief } from "../../support/contracts/jetton_attacks.ts";

const coins = ({ info }: Outcome["sent"][number]) => info.type === "internal" ? info.value.coins : 0n;

Deno.test("spoilt points, infinity and points outside their subgroups pay and deposit no jettons", async (t) => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const spent = { root: pool.root, nullifierHash: freshElement(), value: toNano(1) };
  const [commitment, newRoot] = [freshElement(), freshElement()];
  const withdraw = unpackProof(pool.withdrawBody(spent).refs[1]);
  const deposit = unpackProof(forgeProof([pool.root, newRoot, commitment, 1n]));
  for (const [claim, spoil] of Object.entries(invalidations)) {
    await t.step(claim, async () => {
      await assertRejected(
        pool,
        "ERR_PROOF_INVALID",
        () => jettons.withdraw({ ...spent, proof: invalidateProof(withdraw, spoil) }),
      );
      if (!claim.startsWith("c ") && !claim.startsWith("a ")) return; // here one point of each kind is enough
      const proof = invalidateProof(deposit, spoil);
      await assertJettonsReturned(
        jettons,
        "ERR_PROOF_INVALID",
        () => jettons.deposit({ commitment, newRoot, proof }),
      );
    });
  }
  assertSucceeded(await jettons.withdraw({ ...spent, proof: invalidateProof(withdraw, () => ({})) }));
});

Deno.test("any field of a jetton withdrawal changed after proving is ERR_PROOF_INVALID, and r added is ERR_NOT_IN_FIELD", async (t) => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  for (let i = 0; i < 2; i++) assertSucceeded(await jettons.deposit());
  const value = toNano(1);
  const proven = {
    root: pool.root,
    nullifierHash: freshElement(),
    fee: FEE,
    refund: 1_000_000n,
    recipient: pool.user.address,
    relayer: pool.relayer.address,
    value,
  };
  const proof = pool.withdrawBody(proven).refs[1];
  const changes: [string, WithdrawChange][] = [
    ["a thief for the recipient", { recipient: thief }],
    ["a recipient in workchain 5", { recipient: somebody(0x66, 5) }],
    ["the pool's wallet for the recipient", { recipient: jettons.poolWallet }],
    ["a thief for the relayer", { relayer: thief }],
    ["nobody for the relayer", { relayer: null, fee: 0n }],
    ["the fee a unit up", { fee: FEE + 1n }],
    ["the fee a unit down", { fee: FEE - 1n }],
    ["a fee above the denomination", { fee: pool.denomination + 1n }],
    ["the refund a nano up", { refund: proven.refund + 1n }],
    ["no refund", { refund: 0n }],
    ["a refund above the value", { refund: 2n * value }],
    ["another root that is known", { root: pool.roots[0] }],
    ["another nullifier", { nullifierHash: freshElement() }],
  ];
  for (const [claim, change] of changes) {
    await t.step(
      claim,
      () =>
        assertRejected(pool, "ERR_PROOF_INVALID", () => jettons.withdraw({ ...proven, proof, ...change })),
    );
  }
  for (const name of ["root", "nullifierHash"] as const) {
    const change = { [name]: proven[name] + FIELD_MODULUS };
    await t.step(
      `${name} plus r`,
      () => assertRejected(pool, "ERR_NOT_IN_FIELD", () => jettons.withdraw({ ...proven, proof, ...change })),
    );
  }
  await t.step("a refund above the value, proven", () => {
    const nullifierHash = freshElement();
    return assertRejected(
      pool,
      "ERR_INSUFFICIENT_VALUE",
      () => jettons.withdraw({ nullifierHash, refund: 2n * value, value }),
    );
  });
  await t.step("the unchanged proof is accepted from any sender", async () => {
    assertSucceeded(await jettons.withdraw({ ...proven, proof, from: thief }));
  });
  await t.step("a replay is refused as spent", async () => {
    await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw({ ...proven, proof }));
    const change = { nullifierHash: proven.nullifierHash + FIELD_MODULUS };
    await assertRejected(pool, "ERR_NOT_IN_FIELD", () => jettons.withdraw({ ...proven, proof, ...change }));
  });
});

Deno.test("a proof of a native pool's note, or of another jetton pool's, pays no jettons", async () => {
  const [jettons, other] = [await JettonSandbox.open(), await JettonSandbox.open()];
  assertSucceeded(await jettons.deposit());
  assertSucceeded(await other.deposit());
  const body = other.pool.withdrawBody({ nullifierHash: freshElement() });
  await assertRejected(jettons.pool, "ERR_UNKNOWN_ROOT", () => jettons.pool.send(body, toNano(1)));
  const proof = body.refs[1];
  await assertRejected(
    jettons.pool,
    "ERR_PROOF_INVALID",
    () => jettons.withdraw({ proof, value: toNano(1) }),
  );
});

Deno.test("a root is accepted with 29 jetton deposits after it and refused with 30, at every fill of the log", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  for (const deposits of [30, 31, 33, 63, 64, 94]) {
    const roots = await jettons.setState({ deposits });
    const root = roots.at(-30)!; // 29 deposits follow it
    assertSucceeded(await jettons.withdraw({ root }), `${deposits} deposits`);
    assertSucceeded(await jettons.deposit(), `${deposits} deposits`);
    await assertRejected(pool, "ERR_UNKNOWN_ROOT", () => jettons.withdraw({ root }));
    assertSucceeded(await jettons.withdraw({ root: roots.at(-29)! }), `${deposits} deposits`);
  }
});

Deno.test("a double spend of jettons, in one block by two senders or in one batch of a wallet, pays once", async () => {
  for (const together of ["block", "batch"]) {
    const jettons = await JettonSandbox.open();
    const { pool } = jettons;
    for (let i = 0; i < 3; i++) assertSucceeded(await jettons.deposit());
    const nullifierHash = freshElement();
    const payees = [somebody(0x72), somebody(0x73)];
    const value = toNano(1);
    const bodies = payees.map((recipient) => pool.withdrawBody({ nullifierHash, recipient }));
    const to = pool.address;
    const codes = together === "block"
      ? await deliverInOneBlock(
        pool,
        bodies.map((body, i) => {
          const { address: from } = [pool.user, pool.relayer][i];
          return delivered({ from, to, value, body });
        }),
      )
      : exitCodesAt(
        pool,
        (await pool.user.sendMessages(bodies.map((body) => internal({ to, value, bounce: true, body }))))
          .transactions,
      );
    assert.deepEqual(codes, [0, exitCodes.ERR_ALREADY_SPENT], together);
    assert.deepEqual(await Promise.all(payees.map((payee) => jettons.balanceOf(payee))), [
      pool.denomination - FEE,
      0n,
    ]);
    assert.equal(await jettons.balanceOf(pool.address), 2n * pool.denomination);
    assert.equal((await pool.getPoolInfo()).withdrawals, 1);
  }
});

Deno.test("jetton deposits that race for one leaf in one block: one is accepted, the other's jettons return", async () => {
  const jettons = await JettonSandbox.open();
  const { pool, poolWallet } = jettons;
  // The pool's wallet delivers two transfers in one block.
  await jettons.mint(pool.address, 2n * pool.denomination);
  const notify = async (sender: Address) =>
    beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64).storeCoins(pool.denomination)
      .storeAddress(sender).storeMaybeRef(await pool.depositBody()).endCell();
  const [first, second] = [somebody(0x81), somebody(0x82)];
  const messages = [];
  for (const sender of [first, second]) {
    messages.push(
      delivered({ from: poolWallet, to: pool.address, value: toNano(1), body: await notify(sender) }),
    );
  }
  const codes = await deliverInOneBlock(pool, messages);
  assert.deepEqual(codes, [0, exitCodes.ERR_STALE_DEPOSIT]);
  assert.equal((await pool.getPoolInfo()).deposits, 1);
  assert.deepEqual([await jettons.balanceOf(first), await jettons.balanceOf(second)], [
    0n,
    pool.denomination,
  ]);
  assert.equal(await jettons.balanceOf(pool.address), pool.denomination);
});

Deno.test("an unspent note's jettons, front-run with the victim's proof, still go to the victim's payees", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  for (let i = 0; i < 2; i++) assertSucceeded(await jettons.deposit());
  const [recipient, relayer] = [somebody(0x76), somebody(0x77)];
  const victim = { nullifierHash: freshElement(), recipient, relayer, root: pool.root, value: toNano(1) };
  const proof = pool.withdrawBody(victim).refs[1];
  for (const change of [{ recipient: thief }, { relayer: thief }, { refund: 1n }]) {
    await assertRejected(
      pool,
      "ERR_PROOF_INVALID",
      () => jettons.withdraw({ ...victim, ...change, proof, from: thief }),
    );
  }
  const stolen = assertSucceeded(await jettons.withdraw({ ...victim, proof, from: thief }));
  assert.equal(await jettons.balanceOf(recipient), pool.denomination - FEE);
  assert.equal(await jettons.balanceOf(relayer), FEE);
  assert.equal(await jettons.balanceOf(thief), 0n);
  const toThief = stolen.transactions.filter(({ inMessage }) =>
    inMessage?.info.dest?.toString() === thief.toString()
  );
  const back = toThief.reduce((sum, { inMessage }) => sum + coins(inMessage!), 0n);
  assert.ok(back < victim.value, "the thief paid for the gas");
  await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw({ ...victim, proof }));
});

Deno.test("what the transfers of a jetton withdrawal leave reaches a sender on the masterchain", async () => {
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  assertSucceeded(await jettons.deposit());
  const [from, recipient] = [somebody(0x78, -1), somebody(0x79)];
  const outcome = assertSucceeded(await jettons.withdraw({ from, recipient, queryId: 5n, value: toNano(1) }));
  const arrived = outcome.transactions.filter(({ inMessage }) =>
    inMessage?.info.dest?.toString() === from.toString()
  ).map(({ inMessage }) => coins(inMessage!));
  assert.equal(arrived.length, 2, "each transfer's");
  assert.equal((await pool.chain.getContract(from)).balance, arrived.reduce((a, b) => a + b));
  assert.equal(await jettons.balanceOf(recipient), pool.denomination - FEE);
});
