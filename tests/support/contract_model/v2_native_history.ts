/**
 * A version 2 native pool and its model, written from contracts/v2/SPEC.md. The model predicts each message's
 * outcome and coins, and the whole storage is compared with the model's, cell for cell.
 */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { depositComment } from "../../../src/core/protocol/v2/messages.ts";
import { MAX_QUEUED, V2_POOL_CAPACITY } from "../../../src/core/protocol/v2/pool_constants.ts";
import { emptyV2PoolState, encodeV2PoolData, type V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { freshElement, type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { drawNumbers } from "../../../testkit/chain/v2/full_pool.ts";
import { commentBody, type V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { assertLeft, balanceChange } from "../contracts/v2_assertions.ts";

const constant = await contractConstants(2);
/**
 * The gas that the pool charges a deposit beyond what it uses: GAS_ENQUEUE_TAIL less the rest of each form.
 * That rest is the same for every deposit of a form, so the model can compute `pending` to the nano.
 */
const DEPOSIT_SLACK = { op: 215n, comment: 105n };
/** The coins that the deployer leaves. They pay for 20 idle years at the old prices. */
export const ENDOWMENT = toNano(60);
const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);
const min = (a: bigint, b: bigint) => a < b ? a : b;
const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class V2NativeHistory {
  readonly model: Mutable<V2PoolState>;
  readonly spent: bigint[] = [];
  /** The number of outcomes in this history, by name. */
  readonly counts = new Map<string, number>();
  prices = chainPrices(priceLists.old);
  /**
   * The balance that the pool must have at the end: the endowment, donations, and what withdrawals left
   * beyond their debt.
   */
  kept = 0n;
  messages = 0;
  readonly pick: (count: number) => number;

  constructor(readonly sandbox: V2Sandbox, seed: bigint, start: Partial<V2PoolState>) {
    const draw = drawNumbers(seed);
    this.pick = (count) => Number(draw(30)) % count;
    const { denomination, owner } = sandbox.pool;
    this.model = { ...emptyV2PoolState({ denomination, owner: owner.address, generation: 0 }), ...start };
  }

  get now() {
    return this.sandbox.pool.chain.now!;
  }

  get waiting() {
    return this.model.deposits - this.model.settled;
  }

  get cost() {
    const { gas, forward } = this.prices;
    return gas(constant("GAS_SETTLEMENT")) + 2n * forward(0) + forward(0, { cells: 2n, bits: 1920n });
  }

  /** Returns the coins that `count` withdrawals leave, given the pool's balance before their message. */
  keep(count: number, balance: bigint) {
    const { deposits, settled, withdrawals, debt, denomination } = this.model;
    const [k, payers, unspent] = [count, settled - withdrawals, deposits - withdrawals].map(BigInt);
    const share = divCeil(debt * k, payers);
    const solvency = divCeil(k * max(0n, unspent * denomination - balance), unspent);
    const endowment = this.prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
    return { share, total: max(k * 10_000_000n, share + k * max(5_000_000n, endowment), solvency) };
  }

  /** Asserts the exit code, and that the whole storage equals the model's. Books the storage fee. */
  async check(outcome: V2Outcome, expected: ExitCodeName | undefined, what: string): Promise<void> {
    const { sandbox: { commitments, roots, rootCount, spent, pool }, model } = this;
    assert.equal(outcome.exitCode, expected ? exitCodes[expected] : 0, what);
    assert.equal(outcome.actionCode ?? 0, 0, what);
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    this.messages++;
    assert.ok(outcome.tx.description.type === "generic");
    this.kept -= outcome.tx.description.storagePhase?.storageFeesCollected ?? 0n;
    const commitment = (leafIndex: number) => commitments[leafIndex];
    const state = encodeV2PoolData({ ...model, commitment, roots, rootCount, spent });
    assert.ok((await pool.data()).equals(state), `${what}: the storage is not the model's`);
  }

  /** Checks a refused message: with the bounce flag its value returns; without it the pool keeps the rest. */
  async refused(code: ExitCodeName, value: bigint, send: (bounce: boolean) => Promise<V2Outcome>) {
    const bounce = this.pick(3) > 0;
    const outcome = await send(bounce);
    assert.ok(outcome.tx.description.type === "generic" && outcome.tx.description.computePhase.type === "vm");
    const rest = bounce ? 0n : value - outcome.tx.description.computePhase.gasFees;
    assert.equal(balanceChange(outcome), rest, `${code}, ${bounce}`);
    this.kept += rest;
    await this.check(outcome, code, code);
  }

  /** Returns the code with which the pool currently refuses any deposit. */
  get closed(): ExitCodeName | undefined {
    if (this.model.paused) return "ERR_PAUSED";
    if (this.model.deposits === V2_POOL_CAPACITY) return "ERR_POOL_FULL";
    return this.waiting === MAX_QUEUED ? "ERR_QUEUE_FULL" : undefined;
  }

  async deposit(): Promise<void> {
    const { sandbox, model, closed } = this;
    const { user, owner, denomination } = sandbox.pool;
    const far = new Address(-1, user.address.hash);
    const sending = {
      from: [user.address, owner.address, far][this.pick(3)],
      bounce: this.pick(2) === 0,
      comment: this.pick(2) === 0,
    };
    const wrong = this.pick(6);
    const value = denomination + [1n, -1n, -denomination / 2n, 0n, 0n, 0n][wrong];
    const outcome = await sandbox.deposit({ ...sending, value });
    const code = value === denomination ? closed : "ERR_WRONG_DENOMINATION";
    if (code) {
      assert.equal(balanceChange(outcome), 0n, "a refused deposit costs the pool nothing");
      return await this.check(outcome, code, code);
    }
    assert.ok(outcome.tx.description.type === "generic" && outcome.tx.description.computePhase.type === "vm");
    const slack = DEPOSIT_SLACK[sending.comment ? "comment" : "op"];
    const { gas, forward } = this.prices;
    const fees = gas(outcome.tx.description.computePhase.gasUsed + slack) + forward(0);
    assertLeft(outcome, denomination - fees, this.prices, "deposit");
    if (this.waiting === 0) model.waitingSince = this.now;
    model.deposits++;
    model.touched = this.now;
    model.pending += fees;
    await this.check(outcome, undefined, sending.comment ? "deposit by comment" : "deposit");
  }

  /**
   * Sends a message that is not a deposit: a donation, unless its value is that of a note or it is a comment.
   */
  async stray(): Promise<void> {
    const { pool } = this.sandbox;
    const broken = commentBody(depositComment(freshElement()).slice(0, -1));
    const body = [Cell.EMPTY, beginCell().storeUint(0x12345678, 32).endCell(), commentBody("hello"), broken];
    const kind = this.pick(4);
    const value = this.pick(2) ? pool.denomination : toNano(1);
    const outcome = await this.sandbox.send(body[kind], value, { bounce: this.pick(2) === 0 });
    if (kind >= 2 || value === pool.denomination) {
      assert.equal(balanceChange(outcome), 0n);
      const isDeposit = kind === 3; // its first characters decide
      const wrong = value === pool.denomination ? this.closed : "ERR_WRONG_DENOMINATION";
      const code = isDeposit && wrong || "ERR_MALFORMED";
      return await this.check(outcome, code, "a stray that returns");
    }
    assert.ok(outcome.tx.description.type === "generic" && outcome.tx.description.computePhase.type === "vm");
    const rest = value - outcome.tx.description.computePhase.gasFees;
    assert.equal(balanceChange(outcome), rest);
    this.kept += rest;
    await this.check(outcome, undefined, "donation");
  }

  async settle(): Promise<void> {
    const { sandbox, model } = this;
    const { relayer, user } = sandbox.pool;
    if (this.waiting === 0) return;
    const [from, rival] = this.pick(2) ? [relayer.address, user.address] : [user.address, relayer.address];
    const end = model.settled + 1 + this.pick(sandbox.batchEnd - model.settled);
    const value = toNano("0.5");
    const settle = (change: Parameters<V2Sandbox["settle"]>[0]) => (bounce: boolean) =>
      sandbox.settle({ end, value, from, bounce, ...change });
    if (end % 16 !== 0 && this.now - model.settledAt < 30) {
      return await this.refused("ERR_TOO_SOON", value, settle({}));
    }
    const fault = this.pick(6);
    if (fault === 0) return await this.refused("ERR_PROOF_INVALID", value, settle({ prover: rival }));
    if (fault === 1) {
      return await this.refused("ERR_STALE_SETTLE", value, settle({ end: sandbox.batchEnd + 1 }));
    }
    const n = BigInt(end - model.settled);
    const outcome = await settle({})(this.pick(2) === 0);
    const wait = BigInt(Math.min(this.now - model.waitingSince, 1200));
    const reward = min(n * this.cost / 8n + wait * this.cost / 1200n, this.balanceAt(outcome));
    const moved = model.pending * n / BigInt(this.waiting);
    model.pending -= moved;
    model.debt += moved + reward;
    model.settled = end;
    model.settledAt = model.waitingSince = model.touched = this.now;
    assertLeft(outcome, -reward, this.prices, "settlement");
    await this.check(outcome, undefined, "settlement");
  }

  /** Returns the balance that a message found, without its value. */
  balanceAt({ tx: { description }, balanceBefore }: V2Outcome): bigint {
    assert.ok(description.type === "generic");
    return balanceBefore - (description.storagePhase?.storageFeesCollected ?? 0n);
  }

  async withdraw(): Promise<void> {
    const { sandbox, model } = this;
    const count = Math.min(1 + this.pick(5), model.settled - model.withdrawals);
    if (count <= 0) return;
    const age = this.pick(Math.min(4, sandbox.rootCount));
    const { user, relayer, denomination } = sandbox.pool;
    const changes = Array.from({ length: count }, () => ({
      nullifierHash: freshElement(),
      root: sandbox.roots.at(-1 - age)!,
      rootNumber: sandbox.rootCount - 1 - age,
      fee: [0n, 50_000_000n, denomination][this.pick(3)],
      refund: BigInt(this.pick(2)) * 1_000_000n,
      recipient: new Address(-this.pick(2), user.address.hash),
      relayer: relayer.address,
    }));
    const skipped = count > 1 && this.spent.length > 0 && this.pick(3) === 0
      ? [{ ...changes[0], nullifierHash: this.spent[this.pick(this.spent.length)] }]
      : [];
    const refunds = changes.reduce((sum, { refund }) => sum + refund, 0n);
    const args = [BigInt(count), refunds];
    const value = (await sandbox.pool.get("get_withdraw_many_value", ...args)).readBigNumber() + toNano(1);
    const outcome = count === 1
      ? await sandbox.withdraw({ ...changes[0], value })
      : await sandbox.withdrawMany([...changes, ...skipped], { value });
    const keep = this.keep(count, this.balanceAt(outcome));
    model.debt -= keep.share;
    model.withdrawals += count;
    model.touched = this.now;
    this.kept += keep.total - keep.share;
    this.spent.push(...changes.map(({ nullifierHash }) => nullifierHash));
    assertLeft(outcome, keep.total - BigInt(count) * denomination, this.prices, `${count} withdrawals`);
    const what = skipped.length ? "batch with a spent item" : count === 1 ? "withdrawal" : "batch";
    await this.check(outcome, undefined, what);
  }

  /** Sends a withdrawal that is refused: a stale slot, an unknown root, a spent note, a proof of other signals. */
  async wrongWithdrawal(): Promise<void> {
    const { sandbox, model } = this;
    if (this.spent.length === 0) return;
    const spent = this.spent[this.pick(this.spent.length)];
    const number = sandbox.rootCount - 1;
    const [code, change] = ([
      ["ERR_STALE_SLOT", { nullifierHash: spent, carried: null }],
      ["ERR_STALE_SLOT", { nullifierHash: freshElement(), carried: beginCell().storeUint(1, 96).endCell() }],
      ["ERR_ALREADY_SPENT", { nullifierHash: spent }],
      ["ERR_UNKNOWN_ROOT", { root: freshElement() }],
      ["ERR_UNKNOWN_ROOT", { rootNumber: number + 1 }],
      ["ERR_UNKNOWN_ROOT", { root: 0n, rootNumber: number + 1_000 }],
      ["ERR_PROOF_INVALID", { signals: [1n, 2n, 3n, 4n, 5n, 6n] }],
    ] as const)[this.pick(7)];
    if (code === "ERR_PROOF_INVALID" && model.withdrawals === model.settled) return;
    const value = toNano(3);
    await this.refused(code, value, (bounce) => sandbox.withdraw({ ...change, value, bounce }));
  }

  async togglePause(): Promise<void> {
    const { sandbox, model } = this;
    const body = storeAdmin(model.paused ? "admin_unpause" : "admin_pause");
    await this.refused("ERR_NOT_OWNER", toNano(1), (bounce) => sandbox.send(body, toNano(1), { bounce }));
    const { owner } = sandbox.pool;
    const outcome = await sandbox.send(body, toNano(1), { from: owner.address });
    assert.ok(outcome.tx.description.type === "generic" && outcome.tx.description.computePhase.type === "vm");
    this.kept += toNano(1) - outcome.tx.description.computePhase.gasFees;
    model.paused = !model.paused;
    await this.check(outcome, undefined, "pause");
  }

  setPrices(list: PriceList): void {
    this.prices = chainPrices(priceLists[list]);
    this.sandbox.pool.chain.setConfig(priceLists[list]);
  }

  async step(): Promise<void> {
    const kind = this.pick(15);
    if (kind < 5) { for (let i = this.pick(6); i >= 0; i--) await this.deposit(); }
    else if (kind < 8) await this.settle();
    else if (kind < 11) await this.withdraw();
    else if (kind < 13) await this.wrongWithdrawal();
    else if (kind < 14) await this.stray();
    else await this.togglePause();
  }

  /** Withdraws every note, and compares the remaining balance of the pool. */
  async finish(): Promise<void> {
    const { model, sandbox } = this;
    for (let i = 0; model.settled < model.deposits && i < 500; i++) {
      sandbox.pool.chain.now! += 30;
      await this.settle();
    }
    while (model.withdrawals < model.deposits) await this.withdraw();
    assert.deepEqual([model.debt, model.pending], [0n, 0n]);
    const beyond = await sandbox.pool.balance() - ENDOWMENT - this.kept;
    const room = BigInt(this.messages) * this.prices.gas(1_000n);
    assert.ok(beyond >= 0n && beyond <= room, `the pool has ${beyond} more than its books`);
  }
}
