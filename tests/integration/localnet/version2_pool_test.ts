import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { addressToField, settlerToField } from "../../../src/core/protocol/messages/address_field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { exitCodes, Problem } from "../../../src/core/errors/problem.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { settlementInputs } from "../../../src/core/tree/settlement.ts";
import { auditPool } from "../../../src/ops/audit/audit.ts";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { createProver } from "../../../src/prover/prover.ts";
import type { PoolEvent } from "../../../src/ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../../src/ton/pool/history/scan.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const recipient = Address.parse("0:" + "c0".repeat(32));
const otherRecipient = Address.parse("0:" + "c1".repeat(32));
const AMOUNT = toNano(10);
const FEE = toNano("0.05");
const notes = [1n, 2n, 3n].map((n) => ({ nullifier: 1000n + n, secret: 2000n + n }));
const commitments = notes.map(({ nullifier, secret }) => poseidon([nullifier, secret]));

function isRefusal(exitCode: number) {
  return (error: unknown) =>
    error instanceof Problem && error.code === "contract_refused" && error.message.includes(String(exitCode));
}

/** Deploys a version 2 pool, and returns functions that use it. */
async function openScene({ net, chain, wallet }: EmptyLocalnet) {
  await using stack = new AsyncDisposableStack();
  const options = { chain, wallet, network: "localnet", pollIntervalMs: 1 } as const;
  const deployment = await deployPool({
    ...options,
    asset: "native",
    amount: "10",
    owner: null,
    version: 2,
  });
  const pool = new V2Pool(chain, deployment.address);
  const prover = await createProver({ maxWorkers: 2 });
  const tree = new MerkleTree();
  const spent = new SpentSet();
  const readEvents = async () => {
    const events: PoolEvent[] = [];
    for await (const batch of scanPoolTransactions(chain, pool.address)) events.push(...batch.events);
    return events;
  };
  const send = async (...messages: Parameters<typeof wallet.send>[0]) => {
    await wallet.send(messages);
    await net.closeBlock();
  };
  /** Proves a withdrawal of the note at its leaf through the wallet as relayer. */
  const prove = async (leafIndex: number, to = recipient) => {
    const nullifierHash = poseidon([notes[leafIndex].nullifier, BigInt(leafIndex)]);
    const { proof } = await prover.proveWithdraw2({
      root: tree.root,
      nullifierHash,
      fee: FEE,
      refund: 0n,
      recipient: addressToField(to),
      relayer: addressToField(wallet.address),
      ...notes[leafIndex],
      ...tree.path(leafIndex),
    });
    const carried = spent.slotPath(nullifierHash);
    return {
      root: tree.root,
      rootNumber: 0,
      nullifierHash,
      fee: FEE,
      refund: 0n,
      recipient: to,
      relayer: wallet.address,
      proof,
      carried,
    };
  };
  stack.defer(() => prover.close());
  const open = stack.move();
  return {
    deployment,
    pool,
    tree,
    send,
    readEvents,
    wallet,
    prover,
    prove,
    spent,
    chain,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a version 2 pool on a localnet is deployed, paid by comment, settled and withdrawn from", (t) =>
  withEmptyLocalnet(async (tools) => {
    await using scene = await openScene(tools);
    await queuesDeposits(t, scene);
    await t.step("the wallet settles them with a proof of its own", () => settles(scene));
    await withdrawsOnce(t, scene);
    await t.step("an audit passes, with a waiting deposit", () => audits(scene));
  }));

async function queuesDeposits(
  t: Deno.TestContext,
  { deployment, pool, tree, send, readEvents }: Scene,
): Promise<void> {
  await t.step("the registry entry names the version, and the pool is empty", async () => {
    assert.equal(deployment.version, 2);
    const { assetKind, version, capacity } = await pool.getPoolInfo();
    assert.deepEqual([assetKind, version, capacity], ["native", 2, 1_048_576]);
    assert.deepEqual(await pool.getRootHistory(), [tree.root]);
    assert.equal(await pool.getIsSpentBy(5n, null), false);
    assert.deepEqual([await pool.getNextIndex(), await pool.getSettled()], [0, 0]);
  });

  await t.step("deposits by comment and by op wait in order of arrival", async () => {
    await send(
      pool.buildCommentDepositMessage({ commitment: commitments[0], value: AMOUNT }),
      pool.buildDepositMessage({ commitment: commitments[1], value: AMOUNT }),
      pool.buildCommentDepositMessage({ commitment: commitments[2], value: AMOUNT }),
      pool.buildCommentDepositMessage({ commitment: 7n, value: AMOUNT - 1n }),
    );
    const events = await readEvents();
    assert.deepEqual(events.map((event) => [event.kind, "commitment" in event && event.commitment]), [
      ...commitments.map((commitment) => ["deposit", commitment]),
      ["refused", 7n],
    ]);
    const refused = events[3];
    assert.ok(refused.kind === "refused" && refused.exitCode === exitCodes.ERR_WRONG_DENOMINATION);
    assert.deepEqual([await pool.getNextIndex(), await pool.getSettled()], [3, 0]);
    const { rootCount, pending, waitingSince } = await pool.getSettleInfo();
    assert.ok(rootCount === 0 && pending > 0n && waitingSince > 0);
  });
}

async function settles({ tree, wallet, prover, send, pool, readEvents }: Scene): Promise<void> {
  const input = settlementInputs(tree, commitments, settlerToField(wallet.address));
  const { proof } = await prover.proveSettlement(input);
  await send(pool.buildSettleMessage({ newRoot: input.newRoot, end: 3, proof, value: toNano("0.1") }));
  tree.appendMany(commitments);
  assert.deepEqual([await pool.getCurrentRoot(), await pool.getSettled()], [tree.root, 3]);
  const { rootCount, pending, settlementCost } = await pool.getSettleInfo();
  assert.deepEqual([rootCount, pending], [1, 0n]);
  const settlement = (await readEvents()).at(-1);
  assert.ok(settlement?.kind === "settlement");
  assert.deepEqual([settlement.rootNumber, settlement.newRoot, settlement.end], [0, tree.root, 3]);
  assert.ok(settlement.cost! > 0n && settlement.cost! < settlementCost);
}

async function withdrawsOnce(
  t: Deno.TestContext,
  { prove, spent, send, pool, chain, readEvents }: Scene,
): Promise<void> {
  await t.step("two notes are withdrawn in one message, and a third alone", async () => {
    const requests = [];
    for (const leafIndex of [0, 1]) {
      requests.push(await prove(leafIndex));
      spent.add(requests[leafIndex].nullifierHash);
    }
    await send(
      pool.buildWithdrawManyMessage(requests, { value: await pool.getWithdrawManyValue(2, 0n) }),
    );
    assert.equal((await chain.account(recipient)).balance, 2n * (AMOUNT - FEE));
    const last = await prove(2, otherRecipient);
    await send(pool.buildWithdrawMessage({ ...last, value: await pool.getWithdrawValue(0n) }));
    spent.add(last.nullifierHash);
    assert.equal((await chain.account(otherRecipient)).balance, AMOUNT - FEE);
    const withdrawals = (await readEvents()).filter(({ kind }) => kind === "withdrawal");
    assert.equal(withdrawals.length, 3);
  });

  await t.step("spent notes are found only with their path, and none is paid twice", async () => {
    const again = await prove(1);
    assert.equal(await pool.getIsSpentBy(again.nullifierHash, again.carried), true);
    await assert.rejects(
      pool.getIsSpentBy(again.nullifierHash, null),
      isRefusal(exitCodes.ERR_STALE_SLOT),
    );
    await send(pool.buildWithdrawMessage({ ...again, value: toNano(1) }));
    const refused = (await readEvents()).at(-1);
    assert.ok(refused?.kind === "refused" && refused.exitCode === exitCodes.ERR_ALREADY_SPENT);
    assert.equal((await pool.getPoolInfo()).withdrawals, 3);
  });
}

async function audits({ send, pool, chain, deployment }: Scene): Promise<void> {
  await send(pool.buildCommentDepositMessage({ commitment: 8n, value: AMOUNT }));
  const { sound, checks, facts } = await auditPool({
    chain,
    network: "localnet",
    address: pool.address,
    registry: { network: "localnet", pools: new Map([["native-10-v2", deployment]]) },
  });
  assert.deepEqual(checks.filter(({ verdict }) => verdict !== "ok").map(({ name }) => name), ["keys"]);
  assert.ok(sound && facts?.generation === 0);
  assert.ok(
    checks.some(({ name, detail }) => name === "settled" && detail.startsWith("1 deposits wait")),
  );
}
