/**
 * contracts/shared/rescue.tolk sends a frozen pool's state when a wallet cannot. It obeys only its owner, and loses
 * no coins even if the state is wrong.
 */
import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { type Address, beginCell, Cell, contractAddress, storeStateInit, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import {
  closeBody,
  MAX_PIECE_BYTES,
  rescueHelperInit,
  splitState,
  storedPieces,
  storePieceBody,
  thawBody,
} from "../../src/ops/rescue/thaw_helper.ts";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { rescueHelperCode } from "../../testkit/chain/rescue_helper.ts";
import { emptyBody, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";
import { fullPool } from "../../testkit/chain/v2/full_pool.ts";
import { V2Sandbox } from "../../testkit/chain/v2/sandbox.ts";
import { v2TrapdoorCode } from "../../testkit/chain/v2/trapdoor_codes.ts";
import { trapdoorNativeCode } from "../../testkit/chain/trapdoor_keys.ts";

const YEAR = 31_557_600;

type PoolInit = { readonly code: Cell; readonly data: Cell };

const stateCell = (init: PoolInit) => beginCell().store(storeStateInit(init)).endCell();

/** A frozen pool, the hash of its state, and its owner's helper. */
class Rescue {
  readonly owner: Address;
  readonly helper: Address;

  private constructor(
    readonly pool: PoolSandbox,
    readonly address: Address,
    readonly init: PoolInit,
    readonly helperInit: ReturnType<typeof rescueHelperInit>,
  ) {
    this.owner = pool.user.address;
    this.helper = contractAddress(0, helperInit);
  }

  /** @param address the account to thaw */
  static async open(pool: PoolSandbox, init: PoolInit, address = pool.address): Promise<Rescue> {
    const code = await rescueHelperCode();
    return new Rescue(pool, address, init, rescueHelperInit(pool.user.address, address, code));
  }

  async freeze(): Promise<void> {
    const { pool: { chain }, address } = this;
    chain.now! += 5 * YEAR;
    await this.send(address, emptyBody, 1n);
    assert.equal(await this.state(address), "frozen");
  }

  /** Returns the helper's exit code, or undefined if the message went elsewhere. */
  async send(to: Address, body: Cell, value: bigint, from = this.owner) {
    const { description } = await this.transaction(to, body, value, from);
    assert.ok(description.type === "generic");
    const { computePhase } = description;
    return computePhase.type === "vm" ? computePhase.exitCode : undefined;
  }

  async transaction(to: Address, body: Cell, value: bigint, from = this.owner) {
    const init = to.equals(this.helper) ? { stateInit: this.helperInit } : {};
    const { transactions } = await this.pool.chain.sendMessage(
      internal({ from, to, value, bounce: to.equals(this.helper), body, ...init }),
    );
    return transactions[0];
  }

  async state(address: Address) {
    return (await this.pool.chain.getContract(address)).accountState?.type;
  }

  async pieces() {
    const { accountState } = await this.pool.chain.getContract(this.helper);
    assert.ok(accountState?.type === "active");
    return storedPieces(accountState.state.data!);
  }
}

async function fullVersion2Pool(): Promise<Rescue> {
  const sandbox = await V2Sandbox.open();
  await sandbox.setState(fullPool().state, 10_000_000n);
  return await Rescue.open(sandbox.pool, {
    code: await v2TrapdoorCode(),
    data: await sandbox.pool.data(),
  });
}

Deno.test("the helper's op codes are the crc32 of their constructors, in the contract and here", async () => {
  const source = await Deno.readTextFile(new URL("../../contracts/shared/rescue.tolk", import.meta.url));
  const lines = [...source.matchAll(/^\/\/ (\w+)#([0-9a-f]{8}) (.+);$/gm)];
  const bodies = [storePieceBody(0, Cell.EMPTY), thawBody(Cell.EMPTY), closeBody()];
  assert.equal(lines.length, bodies.length);
  for (const [i, [, name, op, fields]] of lines.entries()) {
    assert.equal(crc32(`${name} ${fields}`) & 0x7fffffff, parseInt(op, 16), name);
    assert.ok(source.includes(`struct (0x${op})`));
    assert.equal(bodies[i].beginParse().loadUint(32), parseInt(op, 16), name);
  }
});

Deno.test("a frozen pool of 2^20 notes thaws through the helper, filled by messages that a wallet can send", async () => {
  const rescue = await fullVersion2Pool();
  const { pool, init, helper } = rescue;
  await rescue.freeze();
  const { pieces, plan } = splitState(stateCell(init));
  assert.ok(pieces.length > 1, "the state fits into one message of a wallet");
  for (const [i, piece] of pieces.entries()) {
    assert.ok(piece.toBoc().length <= MAX_PIECE_BYTES, `piece ${i} has ${piece.toBoc().length} bytes`);
    assert.equal(await rescue.send(helper, storePieceBody(i, piece), toNano("0.1")), 0);
  }
  assert.deepEqual([...(await rescue.pieces()).values()].map(String), pieces.map(String));
  assert.equal(await rescue.send(helper, thawBody(plan), toNano(100_000)), 0);
  assert.equal(await rescue.state(pool.address), "active");
  assert.equal((await pool.data()).hash().toString("hex"), init.data.hash().toString("hex"));
  assert.notEqual(await rescue.state(helper), "active", "the helper is gone");
});

Deno.test("nobody but its owner fills or empties a helper, and a wrong plan costs no coins", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const rescue = await Rescue.open(pool, { code: await trapdoorNativeCode(), data: await pool.data() });
  const { helper } = rescue;
  const { pieces: [piece], plan } = splitState(stateCell(rescue.init));
  assert.equal(await rescue.send(helper, storePieceBody(0, piece), toNano(3)), 0);
  const coins = async () => (await pool.chain.getContract(helper)).balance;
  const before = await coins();
  for (const body of [storePieceBody(0, Cell.EMPTY), thawBody(plan), closeBody()]) {
    assert.equal(await rescue.send(helper, body, toNano(1), pool.owner.address), exitCodes.ERR_NOT_OWNER);
  }
  const missing = beginCell().storeBit(true).storeUint(7, 8).storeUint(0, 2).endCell();
  const beyond = beginCell().storeBit(true).storeUint(0, 8).storeUint(3, 2).endCell();
  for (const wrong of [missing, beyond, Cell.EMPTY]) {
    assert.notEqual(await rescue.send(helper, thawBody(wrong), toNano(1)), 0);
  }
  assert.equal((await rescue.pieces()).get(0)!.hash().toString("hex"), piece.hash().toString("hex"));
  assert.ok(await coins() >= before - 1_000_000n, "refused messages took coins");
  for (const from of [rescue.owner, pool.owner.address]) {
    const held = await coins();
    assert.equal(await rescue.send(helper, emptyBody, toNano(1), from), 0, "anyone may add coins");
    assert.ok(await coins() > held + toNano("0.99"));
  }
  const held = async () => (await pool.chain.getContract(rescue.owner)).balance;
  const [own, kept] = [await held(), await coins()];
  const closed = await rescue.transaction(helper, closeBody(), toNano("0.1"));
  assert.deepEqual(
    [...closed.outMessages.values()].map(({ info }) => info.type === "internal" && info.bounce),
    [
      false,
    ],
    "a bounce would return the coins to an account without code",
  );
  assert.ok(await held() > own + kept - toNano("0.11"), "closing returns the coins");
  assert.notEqual(await rescue.state(helper), "active");
});

Deno.test("the message of a thaw has the state and nothing else; a plan that builds no state sends none", async () => {
  const init = {
    code: beginCell().storeUint(0xff00, 16).endCell(),
    data: beginCell().storeUint(7, 32).endCell(),
  };
  const rescue = await Rescue.open(await PoolSandbox.open(), init, contractAddress(0, init));
  const cell = (bits: Cell, ...children: Cell[]) => {
    const plan = beginCell().storeBit(false).storeRef(bits);
    if (children.length === 0) return plan.endCell();
    const plans = beginCell();
    for (const child of children) plans.storeRef(child);
    return plan.storeRef(plans.endCell()).endCell();
  };
  const bits = beginCell().storeUint(0b00110, 5).endCell(); // code and data
  const wrong = await rescue.transaction(rescue.helper, thawBody(cell(init.code)), toNano(1));
  assert.ok(wrong.description.type === "generic" && wrong.description.aborted);
  assert.equal(wrong.outMessagesCount, 0);

  const { outMessages } = await rescue.transaction(
    rescue.helper,
    thawBody(cell(bits, cell(init.code), cell(init.data))),
    toNano(1),
  );
  const [message] = [...outMessages.values()];
  assert.ok(message.info.type === "internal");
  assert.deepEqual([message.info.bounce, message.info.dest.toString()], [
    false,
    rescue.address.toString(),
  ]);
  assert.equal(message.body.bits.length + message.body.refs.length, 0, "the body is empty");
  assert.equal(
    beginCell().store(storeStateInit(message.init!)).endCell().hash().toString("hex"),
    stateCell(init).hash().toString("hex"),
  );
  assert.equal(await rescue.state(rescue.address), "active");
});
