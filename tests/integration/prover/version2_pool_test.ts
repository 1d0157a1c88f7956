/** The circuits of version 2 with their committed keys, on the contract that contains these keys. */
import assert from "node:assert/strict";
import type { Address } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { proofToCell } from "../../../src/core/crypto/proof_codec.ts";
import { addressToField, settlerToField } from "../../../src/core/protocol/messages/address_field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { settlementInputs } from "../../../src/core/tree/settlement.ts";
import { createProver, type Prover } from "../../../src/prover/prover.ts";
import { compileCached } from "../../../testkit/chain/compiled_contracts.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";

const [nullifier, secret] = [1234567n, 7654321n];
const commitment = poseidon([nullifier, secret]);

/** Returns a settlement of the waiting deposits, proved for `settler`. */
async function proveBatch(prover: Prover, pool: V2Sandbox, tree: MerkleTree, settler: Address) {
  const queue = pool.commitments.slice(tree.size);
  const input = settlementInputs(tree, queue, settlerToField(settler));
  const { proof } = await prover.proveSettlement(input);
  return { newRoot: input.newRoot, end: tree.size + Number(input.span % 512n), proof: proofToCell(proof) };
}

/** Returns a withdrawal of the note at a leaf, proved for the sandbox's default payment. */
async function proveNote(prover: Prover, { pool, root }: V2Sandbox, tree: MerkleTree, leafIndex: number) {
  const nullifierHash = poseidon([nullifier, BigInt(leafIndex)]);
  const fee = 50_000_000n;
  const { proof } = await prover.proveWithdraw2({
    root,
    nullifierHash,
    recipient: addressToField(pool.user.address),
    relayer: addressToField(pool.relayer.address),
    fee,
    refund: 0n,
    nullifier,
    secret,
    ...tree.path(leafIndex),
  });
  return { nullifierHash, fee, proof: proofToCell(proof) };
}

const pools: Readonly<Record<string, () => Promise<V2Sandbox>>> = {
  native: async () => V2Sandbox.open({ code: await compileCached("contracts/v2/pool_native.tolk", {}) }),
  jetton: async () =>
    V2JettonSandbox.openJetton({ code: await compileCached("contracts/v2/jetton/pool_jetton.tolk", {}) }),
};

for (const [kind, open] of Object.entries(pools)) {
  Deno.test(`a ${kind} pool of version 2 with the committed keys is settled and paid out by real proofs`, async (t) => {
    const pool = await open();
    const prover = await createProver({ maxWorkers: 2 });
    const tree = new MerkleTree();
    const settler = pool.pool.relayer.address;
    try {
      await t.step("a batch that ends inside a chunk", async () => {
        for (const value of [5n, commitment, 0n]) await pool.deposit({ commitment: value });
        pool.pool.chain.now! += 30;
        const batch = await proveBatch(prover, pool, tree, settler);
        const stolen = await pool.settle({ ...batch, from: pool.pool.user.address });
        assert.equal(stolen.exitCode, exitCodes.ERR_PROOF_INVALID, "the proof of another settler");
        assert.equal((await pool.settle({ ...batch, newRoot: 7n })).exitCode, exitCodes.ERR_PROOF_INVALID);
        assert.equal((await pool.settle(batch)).exitCode, 0);
        tree.appendMany(pool.commitments);
        assert.equal(pool.root, tree.root);
      });

      await t.step("a batch from there to the edge of the chunk, with a commitment sent again", async () => {
        for (let i = 0; i < 13; i++) {
          await pool.deposit({ commitment: i === 4 ? commitment : BigInt(100 + i) });
        }
        const batch = await proveBatch(prover, pool, tree, settler);
        assert.equal(batch.end, 16);
        assert.equal((await pool.settle(batch)).exitCode, 0);
        tree.appendMany(pool.commitments.slice(tree.size));
        assert.equal(pool.root, tree.root);
      });

      await t.step("both leaves of that commitment are withdrawn, each once", async () => {
        for (const leafIndex of [1, 7]) {
          const withdrawal = await proveNote(prover, pool, tree, leafIndex);
          assert.equal((await pool.withdraw(withdrawal)).exitCode, 0);
          assert.equal((await pool.withdraw(withdrawal)).exitCode, exitCodes.ERR_ALREADY_SPENT);
          const other = poseidon([nullifier, BigInt(leafIndex + 1)]);
          const renamed = { ...withdrawal, nullifierHash: other };
          assert.equal((await pool.withdraw(renamed)).exitCode, exitCodes.ERR_PROOF_INVALID);
        }
      });

      await t.step("two further leaves of the note are withdrawn in one message", async () => {
        for (let i = 0; i < 2; i++) await pool.deposit({ commitment });
        pool.pool.chain.now! += 30;
        assert.equal((await pool.settle(await proveBatch(prover, pool, tree, settler))).exitCode, 0);
        tree.appendMany(pool.commitments.slice(tree.size));
        const pair = [await proveNote(prover, pool, tree, 16), await proveNote(prover, pool, tree, 17)];
        const mixed = [pair[0], { ...pair[1], proof: pair[0].proof }];
        assert.equal((await pool.withdrawMany(mixed)).exitCode, exitCodes.ERR_PROOF_INVALID);
        assert.equal((await pool.withdrawMany(pair)).exitCode, 0);
        assert.equal((await pool.pool.getPoolInfo()).withdrawals, 4);
      });
    } finally {
      prover.close();
    }
  });
}
