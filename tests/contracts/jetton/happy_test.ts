/** A jetton deposit, and its withdrawal by a relayer, with the real keys, circuits and committed code. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { proofToCell } from "../../../src/core/crypto/proof_codec.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { loadPoolCode } from "../../../src/ton/pool/state_init.ts";
import { compileUnchanged } from "../../../testkit/chain/compiled_contracts.ts";
import { assertJettonsReturned, assertSucceeded } from "../../support/contracts/jetton_assertions.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";

Deno.test("the committed code of the jetton pool is what the sources compile to", async () => {
  const { code } = loadPoolCode("jetton");
  assert.ok((await compileUnchanged("contracts/v1/jetton/pool_jetton.tolk")).equals(code));
});

Deno.test("with the real keys a note of jettons is deposited, and paid out by a relayer to the unit", async () => {
  const tree = new MerkleTree();
  const note = createNote({ asset: "gold", amount: "10", network: "localnet" });
  const { commitment, nullifierHash, nullifier, secret } = note;
  const newRoot = tree.rootAfter(commitment);
  const [recipient, relayer] = ["a1", "a2"].map((byte) =>
    new Address(0, Buffer.from(byte.repeat(32), "hex"))
  );
  const [fee, refund] = [toNano("0.05"), toNano("0.1")];
  const prover = await createProver({ maxWorkers: 1 });
  const prove = async () => {
    const { pathElements } = tree.nextLeafPath();
    const deposit = await prover.proveDeposit({
      prevRoot: tree.root,
      newRoot,
      commitment,
      leafIndex: 0,
      pathElements,
    });
    tree.append(commitment);
    const parties = { recipient: addressToField(recipient), relayer: addressToField(relayer) };
    const withdraw = await prover.proveWithdraw({
      root: tree.root,
      nullifierHash,
      nullifier,
      secret,
      ...parties,
      fee,
      refund,
      ...tree.path(0),
    });
    return { deposit: proofToCell(deposit.proof), withdraw: proofToCell(withdraw.proof) };
  };
  const proofs = await prove().finally(() => prover.close());

  for (const prices of Object.keys(priceLists) as PriceList[]) {
    const jettons = await JettonSandbox.open({ prices, code: loadPoolCode("jetton").code });
    const { pool } = jettons;
    const deposit = { commitment, newRoot, leafIndex: 0, proof: proofs.deposit };
    await assertJettonsReturned(
      jettons,
      "ERR_PROOF_INVALID",
      () => jettons.deposit({ ...deposit, commitment: 1n }),
    );
    assertSucceeded(await jettons.deposit(deposit));
    assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), tree.root);

    const withdraw = {
      root: newRoot,
      nullifierHash,
      fee,
      refund,
      recipient,
      relayer,
      proof: proofs.withdraw,
    };
    for (const change of [{ recipient: relayer }, { relayer: recipient }, { fee: 0n }, { refund: 0n }]) {
      await assertRejected(pool, "ERR_PROOF_INVALID", () => jettons.withdraw({ ...withdraw, ...change }));
    }
    assertSucceeded(await jettons.withdraw(withdraw));
    assert.equal(await jettons.balanceOf(recipient), pool.denomination - fee);
    assert.equal(await jettons.balanceOf(relayer), fee);
    assert.equal(await jettons.balanceOf(pool.address), 0n);
    assert.equal((await pool.chain.getContract(recipient)).balance, refund);
    await assertRejected(pool, "ERR_ALREADY_SPENT", () => jettons.withdraw(withdraw));
  }
});
