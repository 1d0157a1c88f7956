/** contracts/v1/types.tlb matches the messages of clients, and the logs and storage of pools. */
import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { Address, type Cell } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import {
  loadDeposit,
  loadPoolLog,
  loadWithdraw,
  opCodes,
  storeDiscoverJettonWallet,
} from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox, transferNotificationsTo } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { type Constructor, parseTlb, readTlb, type TlbRecord } from "../../support/contracts/tlb.ts";

const types = parseTlb(await Deno.readTextFile(new URL("../../../contracts/v1/types.tlb", import.meta.url)));
const named = (name: string): Constructor => {
  const found = types.find((each) => each.name === name);
  assert.ok(found, `types.tlb has no ${name}`);
  return found;
};
const read = (name: string, cell: Cell): TlbRecord => readTlb(types, named(name), cell);

Deno.test("every op code is the checksum of its line in types.tlb, and the one that the library uses", () => {
  const tagged = types.filter(({ tag }) => tag !== undefined);
  const answers = new Set(["excesses", "take_wallet_address"]);
  for (const { name, tag, untagged } of tagged) {
    const sum = answers.has(name) ? (crc32(untagged) | 0x80000000) >>> 0 : crc32(untagged) & 0x7fffffff;
    assert.equal(tag, sum, untagged);
    assert.equal(tag, opCodes[name as keyof typeof opCodes], name);
  }
  assert.deepEqual(tagged.map(({ name }) => name).sort(), Object.keys(opCodes).sort());
});

Deno.test("the contract's sources name the same op codes", async () => {
  const files = ["messages.tolk", "jetton/messages_jetton.tolk"];
  const sources = files.map((name) =>
    Deno.readTextFile(new URL(`../../../contracts/shared/${name}`, import.meta.url))
  );
  const source = (await Promise.all(sources)).join("\n");
  for (const { name, tag } of types) {
    if (tag === undefined) continue;
    assert.ok(source.includes(`struct (0x${tag.toString(16).padStart(8, "0")}) `), name);
  }
});

Deno.test("messages that a pool accepts, and its logs of them, are as types.tlb says", async () => {
  const pool = await PoolSandbox.open();
  const { address: recipient } = pool.user;
  for (const relayer of [pool.relayer.address, null, new Address(-1, recipient.hash)]) {
    const [commitment, newRoot, leafIndex] = [freshElement(), freshElement(), await pool.nextIndex()];
    const depositBody = await pool.depositBody({ commitment, newRoot, queryId: 17n });
    const deposited = await pool.send(depositBody, pool.denomination);
    pool.roots.push(newRoot);
    assert.equal(deposited.exitCode, 0);
    const deposit = read("deposit", depositBody);
    assert.deepEqual(
      [deposit.query_id, deposit.commitment, deposit.new_root, deposit.leaf_index],
      [17n, commitment, newRoot, BigInt(leafIndex)],
    );
    assert.equal(loadDeposit(depositBody).commitment, commitment);
    const timestamp = pool.chain.now!;
    assert.deepEqual(read("deposit_log", logOf(deposited.tx)), {
      commitment,
      leaf_index: BigInt(leafIndex),
      timestamp: BigInt(timestamp),
    });
    assert.deepEqual(loadPoolLog(logOf(deposited.tx)), { kind: "deposit", commitment, leafIndex, timestamp });

    const [nullifierHash, fee, refund] = [freshElement(), relayer === null ? 0n : 70_000_000n, 3_000_000n];
    const withdrawBody = pool.withdrawBody({ nullifierHash, fee, refund, recipient, relayer });
    const withdrawn = await pool.send(withdrawBody, await pool.withdrawValue(refund));
    assert.equal(withdrawn.exitCode, 0);
    const parties = { recipient: recipient.toRawString(), relayer: relayer?.toRawString() ?? "none" };
    const withdraw = read("withdraw", withdrawBody);
    assert.deepEqual(
      [withdraw.root, withdraw.nullifier_hash, withdraw.fee, withdraw.refund, withdraw.parties],
      [newRoot, nullifierHash, fee, refund, parties],
    );
    assert.equal(loadWithdraw(withdrawBody).nullifierHash, nullifierHash);
    const log = logOf(withdrawn.tx);
    assert.deepEqual(read("withdrawal_log", log), { nullifier_hash: nullifierHash, fee, refund, parties });
    const seen = loadPoolLog(log);
    assert.ok(seen?.kind === "withdrawal" && seen.recipient.equals(recipient));
    assert.equal(seen.relayer?.toRawString(), relayer?.toRawString());
  }
});

Deno.test("the proof in a message is laid out as types.tlb says", async () => {
  const pool = await PoolSandbox.open();
  const { proof } = read("deposit", await pool.depositBody()) as { proof: TlbRecord };
  assert.deepEqual(Object.keys(proof), ["a", "c", "b"]);
  // The top bit of a compressed point is set.
  assert.ok(BigInt(String(proof.a)) >> 383n === 1n && BigInt(String(proof.c)) >> 383n === 1n);
  assert.ok(BigInt(String((proof.b as TlbRecord).b)) >> 767n === 1n);
});

Deno.test("admin messages are as types.tlb says, and accepted from the owner", async () => {
  const pool = await PoolSandbox.open({ balance: 100_000_000_000n });
  const from = pool.owner.address;
  for (const name of ["admin_pause", "admin_unpause"] as const) {
    assert.deepEqual(read(name, storeAdmin(name, 5n)), { query_id: 5n });
    assert.equal((await pool.send(storeAdmin(name, 5n), 100_000_000n, { from })).exitCode, 0);
  }
  const body = storeRecoverStuck(1_000_000_000n, from, 6n);
  const fields = { query_id: 6n, amount: 1_000_000_000n, destination: from.toRawString() };
  assert.deepEqual(read("admin_recover_stuck", body), fields);
  assert.equal((await pool.send(body, 100_000_000n, { from })).exitCode, 0);
});

Deno.test("a pool's storage matches types.tlb and agrees with its getters", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  await pool.withdraw();
  const kept = read("native_pool", await pool.data());
  const info = await pool.getPoolInfo();
  assert.deepEqual(
    [
      kept.denomination,
      kept.deposits,
      kept.withdrawals,
      kept.debt,
      kept.touched,
      kept.root,
      kept.paused,
      kept.owner,
    ],
    [
      pool.denomination,
      BigInt(info.deposits),
      BigInt(info.withdrawals),
      info.debt,
      BigInt(info.touched),
      pool.root,
      info.paused,
      info.owner?.toRawString(),
    ],
  );
  assert.deepEqual([info.deposits, info.withdrawals, info.kind, info.jettonMaster, info.capacity], [
    3,
    1,
    0,
    null,
    131_072,
  ]);
  const young = kept.young as Cell;
  assert.equal(young.beginParse().loadUintBig(255), pool.root);
});

Deno.test("a jetton pool's messages, logs and storage match types.tlb and agree with its getters", async () => {
  assert.deepEqual(read("discover_jetton_wallet", storeDiscoverJettonWallet(9n)), { query_id: 9n });
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  const jetton = async () => (read("jetton_pool", await pool.data()).nullifiers as TlbRecord);
  const { master, wallet } = await jetton();
  assert.deepEqual([master, wallet], [jettons.minter.address.toRawString(), "none"]);
  await pool.send(storeDiscoverJettonWallet(), 200_000_000n);
  await jettons.deposit();
  const refused = await jettons.deposit({ amount: 1n });
  const [notice] = transferNotificationsTo(refused, pool.user.address);
  assert.deepEqual(read("deposit_refused", notice.forwardPayload), { code: 101n });
  await jettons.withdraw();
  const kept = read("jetton_pool", await pool.data());
  const info = await pool.getPoolInfo();
  assert.equal((await jetton()).wallet, info.jettonWallet?.toRawString());
  assert.deepEqual(
    [kept.denomination, kept.deposits, kept.withdrawals, kept.debt, kept.touched, kept.root, kept.owner],
    [pool.denomination, 1n, 1n, 0n, BigInt(info.touched), pool.root, info.owner?.toRawString()],
  );
  assert.deepEqual([(await jetton()).claims, (kept.archive as TlbRecord).claims], [0n, "empty"]);
  assert.ok(Object.values(await jetton()).length === 7 && info.kind === 1);
});

Deno.test("every message that a jetton pool gets and sends, from its discovery on, is one of types.tlb", async () => {
  const jettons = await JettonSandbox.open({ discovered: false });
  const { pool } = jettons;
  const outcomes = [await pool.send(storeDiscoverJettonWallet(3n), 200_000_000n)];
  outcomes.push(await jettons.deposit(), await jettons.deposit({ amount: 1n }), await jettons.deposit());
  outcomes.push(await jettons.withdraw({ fee: 1_000n, refund: 2_000n }), await jettons.withdraw({ fee: 0n }));
  const seen = messagesOf(pool, outcomes);
  const refusals = seen.flatMap(({ name, fields }) =>
    name === "transfer" && fields.forward_ton_amount === 1n
      ? [read("deposit_refused", fields.forward_payload as Cell)]
      : []
  );
  assert.deepEqual(refusals, [{ code: 101n }]);
  const payouts = seen.filter(({ name, fields }) => name === "transfer" && fields.forward_ton_amount === 0n);
  assert.deepEqual(
    payouts.map(({ fields }) => fields.amount),
    [pool.denomination - 1_000n, 1_000n, pool.denomination],
  );
  assert.deepEqual([...new Set(seen.map(({ name }) => name))].sort(), [
    ...["deposit_log", "discover_jetton_wallet", "excesses", "payout", "provide_wallet_address"],
    ...["take_wallet_address", "transfer", "transfer_notification", "withdraw", "withdrawal_log"],
  ]);
});

Deno.test("every message that a native pool gets and sends is one of types.tlb", async () => {
  const pool = await PoolSandbox.open({ balance: 100_000_000_000n });
  const from = pool.owner.address;
  const outcomes = [await pool.deposit(), await pool.withdraw({ refund: 5n })];
  for (const name of ["admin_pause", "admin_unpause"] as const) {
    outcomes.push(await pool.send(storeAdmin(name), 100_000_000n, { from }));
  }
  outcomes.push(await pool.send(storeRecoverStuck(1_000_000_000n, from), 100_000_000n, { from }));
  assert.deepEqual([...new Set(messagesOf(pool, outcomes).map(({ name }) => name))].sort(), [
    ...["admin_pause", "admin_recover_stuck", "admin_unpause", "deposit", "deposit_log"],
    ...["payout", "withdraw", "withdrawal_log"],
  ]);
});

/** Returns all messages to and from a pool, each parsed by the one constructor with its tag. */
function messagesOf(pool: PoolSandbox, outcomes: readonly Outcome[]): { name: string; fields: TlbRecord }[] {
  const own = BigInt(`0x${pool.address.hash.toString("hex")}`);
  return outcomes.flatMap(({ transactions }) => transactions).flatMap(
    ({ address, inMessage, outMessages }) => {
      if (address !== own) return [];
      return inMessage ? [inMessage, ...outMessages.values()] : outMessages.values();
    },
  ).map(({ body }) => {
    if (body.bits.length === 0) return { name: "payout", fields: {} };
    const tag = body.beginParse().preloadUint(32);
    const [type, ...others] = types.filter((each) => each.tag === tag);
    assert.ok(type && others.length === 0, `types.tlb has no #${tag.toString(16)}`);
    return { name: type.name, fields: readTlb(types, type, body) };
  });
}

function logOf(tx: { outMessages: { values(): { info: { type: string }; body: Cell }[] } }): Cell {
  const logs = tx.outMessages.values().filter(({ info }) => info.type === "external-out");
  assert.equal(logs.length, 1);
  return logs[0].body;
}
