import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { TonClient } from "@ton/ton";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { opCodes, storeDeposit } from "../../../src/core/protocol/messages/pool_messages.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { createProver } from "../../../src/prover/prover.ts";
import type { PoolEvent } from "../../../src/ton/pool/history/pool_events.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { type ScanOptions, scanPoolTransactions } from "../../../src/ton/pool/history/scan.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";

const recipient = Address.parse("0:" + "c0".repeat(32));

const fee = toNano("0.1");
const refund = toNano("0.01");
const refusedDeposit = { queryId: 17n, commitment: 5n, newRoot: 6n, leafIndex: 3, proof: Cell.EMPTY };

/** Starts a localnet, and opens a wallet, a prover and an empty pool. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = await startLocalnet({ blockTimeMs: 0 });
  const prover = await createProver({ maxWorkers: 1 });
  const chain = connect({ endpoint: net.url });
  const [{ mnemonic, version }] = net.wallets;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const { address, denomination } = net.deployments.pools.get("native-1")!;
  const pool = new Pool(chain, address);
  const tree = new MerkleTree();
  const note = createNote({ asset: "native", amount: "1", network: "localnet" });
  const scan = async (options?: ScanOptions) =>
    await Array.fromAsync(scanPoolTransactions(chain, address, options));
  const events = (batches: { events: readonly PoolEvent[] }[]) => batches.flatMap((batch) => batch.events);
  const send = (value: bigint, body: Cell) => wallet.send([{ to: address, value, bounce: true, body }]);

  const relayer = net.relayer.address;
  const state: {
    withdrawal?: Omit<Parameters<typeof pool.sendWithdraw>[1], "queryId" | "value"> | undefined;
  } = {};
  /** Proves the withdrawal of the deposited note. */
  const prove = async () => {
    const signals = { root: tree.root, nullifierHash: note.nullifierHash, fee, refund };
    const { proof } = await prover.proveWithdraw({
      ...signals,
      recipient: addressToField(recipient),
      relayer: addressToField(relayer),
      nullifier: note.nullifier,
      secret: note.secret,
      ...tree.path(0),
    });
    return { ...signals, recipient, relayer, proof };
  };
  stack.defer(async () => {
    prover.close();
    await net.close();
  });
  const open = stack.move();
  return {
    pool,
    tree,
    denomination,
    scan,
    send,
    events,
    wallet,
    note,
    prover,
    chain,
    prove,
    relayer,
    address,
    net,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a note is deposited into a pool on a localnet, withdrawn, and found by a scan", async (t) => {
  await using scene = await openScene();
  await reportsRefusals(t, scene);
  await depositsAndWithdraws(t, scene);
  await scansEvents(t, scene);
  await answersGetMethods(t, scene);
});

async function reportsRefusals(
  t: Deno.TestContext,
  { pool, tree, denomination, scan, send, events, wallet }: Scene,
): Promise<void> {
  await t.step("a new pool has the empty tree, and a scan finds no event", async () => {
    assert.deepEqual(await pool.getRootHistory(), [tree.root]);
    assert.equal(await pool.getNextIndex(), 0);
    assert.equal(await pool.getDepositValue(), denomination);
    const [batch] = await scan();
    assert.equal(batch.transactionCount, 1);
    assert.deepEqual(batch.events, []);
  });

  await t.step("refusals are events with the sender, the message and the exit code", async () => {
    await send(denomination - 1n, storeDeposit(refusedDeposit));
    await send(toNano("0.2"), beginCell().storeUint(opCodes.withdraw, 32).storeUint(99, 64).endCell());
    const refusals = events(await scan());
    assert.deepEqual(refusals.map((event) => event.kind === "refused" && event.exitCode), [
      exitCodes.ERR_WRONG_DENOMINATION,
      exitCodes.ERR_MALFORMED,
    ]);
    const [deposit, withdraw] = refusals;
    assert.ok(deposit.kind === "refused" && withdraw.kind === "refused");
    assert.deepEqual([deposit.op, deposit.queryId, deposit.commitment], ["deposit", 17n, 5n]);
    assert.deepEqual([withdraw.op, withdraw.queryId, withdraw.nullifierHash], ["withdraw", 99n, undefined]);
    assert.ok(refusals.every(({ sender }) => sender.equals(wallet.address)));
  });
}

async function depositsAndWithdraws(
  t: Deno.TestContext,
  { tree, note, prover, pool, wallet, chain, state, prove, denomination, relayer }: Scene,
): Promise<void> {
  await t.step("a deposit enters the tree", async () => {
    const { pathElements } = tree.nextLeafPath();
    const newRoot = tree.rootAfter(note.commitment);
    const { proof } = await prover.proveDeposit({
      prevRoot: tree.root,
      newRoot,
      commitment: note.commitment,
      leafIndex: tree.size,
      pathElements,
    });
    await pool.sendDeposit(wallet.sender(), {
      commitment: note.commitment,
      newRoot,
      leafIndex: tree.size,
      proof,
    });
    tree.append(note.commitment);
    assert.equal(await pool.getCurrentRoot(), tree.root);
    assert.equal(await pool.getNextIndex(), 1);
    assert.equal(await pool.getIsDeposited(note.commitment), true);
    assert.deepEqual(await pool.getRootHistory(), [tree.root]);
  });

  await t.step("a withdrawal pays recipient and relayer to the nano, once", async () => {
    // Compares the received value, because the chain charges storage from the balance.
    const received = async (address: Address) => {
      const [{ raw }] = await chain.transactions(address, { limit: 1 });
      return raw.inMessage?.info.type === "internal" ? raw.inMessage.info.value.coins : undefined;
    };
    state.withdrawal = await prove();
    await pool.sendWithdraw(wallet.sender(), { ...state.withdrawal, queryId: 4321n });
    assert.equal(await pool.getIsSpent(note.nullifierHash), true);
    assert.equal(await received(recipient), denomination - fee + refund);
    assert.equal(await received(relayer), fee);
    await pool.sendWithdraw(wallet.sender(), {
      ...state.withdrawal,
      queryId: 4322n,
      value: toNano("0.3"),
    });
    assert.equal((await chain.transactions(recipient, { limit: 100 })).length, 1);
  });
}

async function scansEvents(
  t: Deno.TestContext,
  { send, events, scan, note, relayer, chain, address, pool, state }: Scene,
): Promise<void> {
  await t.step(
    "a message to the pool with the body of a log gives no event of that log",
    async () => {
      const log = beginCell().storeUint(opCodes.deposit_log, 32).storeUint(7, 256).storeUint(1, 32)
        .storeUint(0, 32);
      await send(toNano("0.1"), log.endCell());
    },
  );

  const all = events(await scan());
  await t.step("a scan returns every event, oldest first", async () => {
    assert.deepEqual(all.map(({ kind }) => kind), [
      "refused",
      "refused",
      "deposit",
      "withdrawal",
      "refused",
    ]);
    const [, , deposit, withdrawn, again] = all;
    assert.ok(deposit.kind === "deposit" && withdrawn.kind === "withdrawal" && again.kind === "refused");
    assert.deepEqual([deposit.commitment, deposit.leafIndex, deposit.queryId], [note.commitment, 0, 0n]);
    assert.deepEqual(
      [withdrawn.nullifierHash, withdrawn.fee, withdrawn.refund, withdrawn.queryId],
      [note.nullifierHash, fee, refund, 4321n],
    );
    assert.ok(withdrawn.recipient.equals(recipient) && withdrawn.relayer?.equals(relayer));
    assert.deepEqual(
      [again.exitCode, again.nullifierHash, again.queryId],
      [exitCodes.ERR_ALREADY_SPENT, note.nullifierHash, 4322n],
    );
    const { messageHash } = withdrawn;
    const { raw } = (await chain.transactions(address, { from: withdrawn.tx, limit: 1 }))[0];
    const { body } = pool.buildWithdrawMessage({ ...state.withdrawal!, queryId: 4321n, value: 0n });
    assert.ok(raw.inMessage!.body.equals(body));
    assert.equal(raw.raw.refs[0].refs[0].hash().toString("hex"), messageHash);
  });

  for (const [pageSize, maxPages] of [[1, 1], [2, 1], [2, 2], [3, 100], [100, 1]]) {
    await t.step(
      `pages of ${pageSize}, ${maxPages} in memory give the same events in the same order`,
      async () => {
        const batches = await scan({ pageSize, maxPagesInMemory: maxPages });
        assert.deepEqual(text(events(batches)), text(all));
        for (const [i, { cursor }] of batches.entries()) {
          const rest = await scan({ pageSize, maxPagesInMemory: maxPages, after: cursor });
          assert.deepEqual(text(events(rest)), text(events(batches.slice(i + 1))), `after batch ${i}`);
        }
      },
    );
  }
}

async function answersGetMethods(
  t: Deno.TestContext,
  { net, address, tree, note, pool }: Scene,
): Promise<void> {
  await t.step("@ton/ton's client runs the same get methods", async () => {
    const provider = new TonClient({ endpoint: net.url }).provider(address, null);
    assert.equal((await provider.get("getNextIndex", [])).stack.readNumber(), 1);
    assert.equal((await provider.get("getCurrentRoot", [])).stack.readBigNumber(), tree.root);
    const args = [{ type: "int", value: note.nullifierHash } as const];
    assert.equal((await provider.get("getIsSpent", args)).stack.readBoolean(), true);
    assert.equal((await provider.get("get_root_history", [])).stack.readTuple().remaining, 30);
    await assert.rejects(provider.get("no_such_method", []), /exit_code: 11/);
  });

  await t.step("the pool's info counts deposits and withdrawals", async () => {
    const info = await pool.getPoolInfo();
    assert.deepEqual([info.assetKind, info.owner, info.deposits, info.withdrawals], ["native", null, 1, 1]);
  });
}

/** Formats events as text, so that addresses compare by their text. */
function text(events: readonly PoolEvent[]): string[] {
  return events.map((event) =>
    JSON.stringify(event, (_key, value) => typeof value === "bigint" ? `${value}n` : value)
  );
}
