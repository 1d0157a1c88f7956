/**
 * contracts/v2/types.tlb and the tables of contracts/v2/SPEC.md match the messages of clients and the pool's
 * logs and storage.
 */
import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import type { Cell } from "@ton/core";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { CHUNK_SLOTS } from "../../../src/core/crypto/groth16.ts";
import {
  storeEnqueue,
  storeWithdraw2,
  storeWithdrawMany,
  v2OpCodes,
} from "../../../src/core/protocol/v2/messages.ts";
import * as constants from "../../../src/core/protocol/v2/pool_constants.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { parseTlb, readTlb, type TlbRecord } from "../../support/contracts/tlb.ts";
import { manyClaims } from "../../../testkit/chain/v2/claims.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";

const contracts = new URL("../../../contracts/v2/", import.meta.url);
const read = (name: string) => Deno.readTextFile(new URL(name, contracts));
const types = parseTlb(await read("types.tlb"));
const spec = await read("SPEC.md");
const record = (name: string, cell: Cell): TlbRecord =>
  readTlb(types, types.find((type) => type.name === name)!, cell);

Deno.test("every op code is the checksum of its line, and that of the library and the sources", async () => {
  const tagged = types.filter(({ tag }) => tag !== undefined);
  const source = await read("messages.tolk");
  for (const { name, tag, untagged } of tagged) {
    assert.equal(tag, crc32(untagged) & 0x7fffffff, untagged);
    assert.equal(tag, v2OpCodes[name as keyof typeof v2OpCodes], name);
    assert.ok(source.includes(`struct (0x${tag!.toString(16).padStart(8, "0")}) `), name);
  }
  assert.deepEqual(tagged.map(({ name }) => name).sort(), Object.keys(v2OpCodes).sort());
});

Deno.test("messages, logs and state of a version 2 pool are as types.tlb says", async () => {
  const sandbox = await V2Sandbox.open();
  assert.equal(record("enqueue", storeEnqueue({ queryId: 1n, commitment: 5n })).commitment, 5n);
  for (let i = 0; i < 7; i++) await sandbox.deposit();
  const body = sandbox.settleBody({ end: 7 });
  const settled = assertAccepted(await sandbox.settle({ end: 7 }));
  const logOf = ({ tx }: typeof settled) =>
    tx.outMessages.values().find(({ info }) => info.type === "external-out")!.body;
  assert.deepEqual(Object.keys(record("settle", body)), ["query_id", "new_root", "end", "proof"]);
  assert.deepEqual(record("settlement_log", logOf(settled)), {
    root_number: 0n,
    new_root: sandbox.root,
    end: 7n,
    timestamp: BigInt(sandbox.pool.chain.now!),
  });
  const requests = sandbox.requests([{}, {}]);
  assert.equal(record("withdraw2", storeWithdraw2(requests[0], 0n)).root_number, 0n);
  const many = record("withdraw_many", storeWithdrawMany(requests, 0n)).items as TlbRecord;
  assert.equal(many.nullifier_hash, requests[0].nullifierHash);
  assert.equal(record("item", many.next as Cell).nullifier_hash, requests[1].nullifierHash);
  const skipping = assertAccepted(await sandbox.withdrawMany([{ rootNumber: 3 }, {}]));
  const skipped = skipping.tx.outMessages.values().filter(({ info }) => info.type === "external-out").at(-1)!;
  assert.deepEqual(record("skipped_log", skipped.body), {
    nullifier_hash: skipping.requests[0].nullifierHash,
    code: 203n,
  });
  const state = record("native_pool2", await sandbox.pool.data());
  const info = await sandbox.pool.getPoolInfo();
  assert.deepEqual([info.kind, info.capacity, info.jettonMaster], [2, constants.V2_POOL_CAPACITY, null]);
  assert.deepEqual(
    [state.deposits, state.withdrawals, state.debt, state.touched, (state.roots as TlbRecord).owner],
    [7n, 1n, info.debt, BigInt(info.touched), info.owner?.toRawString()],
  );
});

Deno.test("the state of a version 2 jetton pool is as types.tlb says, with its claims and its wallet", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool, jettons } = sandbox;
  await sandbox.setState(
    { deposits: 20, settled: 16, commitment: () => 3n, roots: [5n] },
    undefined,
    manyClaims(3),
  );
  assertAccepted(await sandbox.deposit());
  const state = record("jetton_pool2", await pool.data());
  const ledger = state.ledger as TlbRecord;
  assert.deepEqual([state.deposits, state.settled, state.debt, ledger.claim_count], [21n, 16n, 0n, 3n]);
  assert.deepEqual(
    [ledger.owner, ledger.master, ledger.wallet],
    [pool.owner.address, jettons.minter.address, jettons.poolWallet].map((address) => address.toRawString()),
  );
  const info = await pool.getPoolInfo();
  assert.deepEqual([info.kind, info.capacity, info.claims], [3, constants.V2_POOL_CAPACITY, 3]);
  assert.deepEqual(
    [info.owner, info.jettonMaster, info.jettonWallet].map((address) => address?.toRawString()),
    [ledger.owner, ledger.master, ledger.wallet],
  );
});

Deno.test("the library's constants are those of the contract", async () => {
  const constant = await contractConstants(2);
  const expected = {
    CAPACITY: constants.V2_POOL_CAPACITY,
    MAX_QUEUED: constants.MAX_QUEUED,
    CHUNK_SIZE: CHUNK_SLOTS,
    PARTIAL_BATCH_SECONDS: constants.PARTIAL_BATCH_SECONDS,
    FULL_REWARD_SECONDS: constants.FULL_REWARD_SECONDS,
    REWARD_DIVISOR: constants.REWARD_DIVISOR,
    ROOT_WINDOW: constants.ROOT_WINDOW,
    MAX_ITEMS: constants.MAX_WITHDRAW_ITEMS,
    GAS_HIGHEST_PATH: Number(constants.V2_GAS_HIGHEST_PATH),
    FIXED_CELLS: Number(constants.V2_FIXED_SIZE.cells),
    FIXED_BITS: Number(constants.V2_FIXED_SIZE.bits),
    MAX_QUEUED_JETTON: constants.MAX_QUEUED_JETTON,
    MAX_ITEMS_JETTON: constants.MAX_WITHDRAW_ITEMS_JETTON,
    GAS_HIGHEST_JETTON_WITHDRAW: Number(constants.V2_GAS_HIGHEST_JETTON_WITHDRAW),
    FIXED_JETTON_CELLS: Number(constants.V2_FIXED_JETTON_SIZE.cells),
    FIXED_JETTON_BITS: Number(constants.V2_FIXED_JETTON_SIZE.bits),
    STORAGE_SECONDS: Number(constants.V2_STORAGE_SECONDS),
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(constant(name), BigInt(value), name);
  }
});

/** Returns the first and second cells of the rows in the table below a heading. */
function rows(heading: string): [string, string][] {
  const [, section] = spec.split(`\n## ${heading}\n`);
  const table = section.split("\n## ")[0];
  return [...table.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|/gm)].slice(2)
    .map(([, first, second]) => [first.replaceAll("`", ""), second.replaceAll("`", "")]);
}

Deno.test("SPEC.md lists the exit codes that the sources throw, and the getters", async () => {
  const names = [
    "pool",
    "pool_native",
    "jetton/pool_jetton",
    "jetton/claims_jetton",
    "jetton/deposits_jetton",
    "settlement",
    "spent_set",
    "withdraw_many",
    "comment",
    "messages",
  ];
  const shared = ["pool_exits.tolk", "messages.tolk", "jetton/messages_jetton.tolk"].map((name) =>
    read(`../shared/${name}`)
  );
  const sources = (await Promise.all([...names.map((name) => read(`${name}.tolk`)), ...shared])).join("\n");
  const thrown = [...new Set([...sources.matchAll(/\bERR_\w+/g)].map(([name]) => name))];
  const expected = Object.entries(exitCodes).filter(([name]) => thrown.includes(name));
  assert.deepEqual(rows("Exit codes"), expected.map(([name, code]) => [String(code), name]));
  const getters = [...new Set([...sources.matchAll(/^get fun (\w+)/gm)].map(([, name]) => name))].sort();
  assert.deepEqual(rows("Getters").map(([name]) => name).sort(), getters);
});

Deno.test("every test that SPEC.md names exists", async () => {
  const named = new Set([...spec.matchAll(/`((?:\w+\/)?\w+_test\.ts)`/g)].map(([, name]) => name));
  assert.ok(named.size >= 5);
  for (const name of named) await Deno.stat(new URL(name, import.meta.url));
});
