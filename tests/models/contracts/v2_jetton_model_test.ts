/**
 * Random histories of a version 2 jetton pool, compared with a model written from contracts/v2/SPEC.md. The
 * model predicts each message's outcome and coins, and the whole storage is compared with the model's, cell
 * for cell. Pools whose coins run out freeze and are thawed. At the end every note is withdrawn and every
 * claim is paid.
 */
import assert from "node:assert/strict";
import { Address, type Cell, toNano } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import type { Claim } from "../../../src/ton/pool/pool_getters.ts";
import { emptyV2PoolState, encodeV2PoolData, type V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { freshElement, type PriceList, priceLists } from "../../../testkit/chain/pool_sandbox.ts";
import { drawNumbers } from "../../../testkit/chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { v2TrapdoorJettonCode } from "../../../testkit/chain/v2/trapdoor_codes.ts";
import type { V2Outcome } from "../../../testkit/chain/v2/sandbox.ts";
import { lockWallet, refusals } from "../../support/contracts/claims.ts";
import { assertLeft, balanceChange } from "../../support/contracts/v2_assertions.ts";
import { accountState, poke, sendState } from "../../support/contracts/v2_freeze.ts";

const constant = await contractConstants(2);
const STEPS = 70;
const YEAR = 31_557_600;
const FEE = 50_000_000n;
const max = (a: bigint, b: bigint) => a > b ? a : b;
const min = (a: bigint, b: bigint) => a < b ? a : b;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class History {
  readonly model: Mutable<V2PoolState>;
  readonly claims: Claim[] = [];
  readonly spent: bigint[] = [];
  prices = chainPrices(priceLists.old);
  unlock: (() => Promise<void>) | undefined;
  /** The jettons that were sent to a frozen pool. */
  lost = 0n;
  readonly pick: (count: number) => number;

  constructor(readonly sandbox: V2JettonSandbox, owner: Address, seed: bigint) {
    const draw = drawNumbers(seed);
    this.pick = (count) => Number(draw(30)) % count;
    const { denomination } = sandbox.pool;
    this.model = { ...emptyV2PoolState({ denomination, owner, generation: 0 }) };
  }

  get now() {
    return this.sandbox.pool.chain.now!;
  }

  get cost() {
    const { gas, forward } = this.prices;
    return gas(constant("GAS_SETTLEMENT")) + 2n * forward(0) + forward(0, { cells: 2n, bits: 1920n });
  }

  get storageShare() {
    return max(toNano("0.01"), this.prices.storage({ cells: 1n, bits: 300n, seconds: 1_262_304_000n }));
  }

  /** Asserts the exit code, and that the whole storage equals the model's. */
  async check(outcome: V2Outcome, expected: ExitCodeName | undefined, what: string): Promise<void> {
    const { sandbox } = this;
    assert.equal(outcome.exitCode, expected ? exitCodes[expected] : 0, what);
    for (const { claimId, amount, destination } of refusals(sandbox.jettons, { ...outcome, logs: [] })) {
      this.claims.push({ id: claimId, amount, destination });
    }
    assert.ok((await sandbox.pool.data()).equals(this.state), `${what}: the storage is not the model's`);
  }

  /** The storage cell that the pool must have. */
  get state(): Cell {
    const { sandbox, model } = this;
    const { commitments, roots, rootCount, spent } = sandbox;
    return encodeV2PoolData({
      ...model,
      commitment: (leafIndex) => commitments[leafIndex],
      roots,
      rootCount,
      spent,
      jetton: {
        master: sandbox.jettons.minter.address,
        wallet: sandbox.jettons.poolWallet,
        claims: this.claims,
      },
    });
  }

  async deposit(): Promise<void> {
    const { sandbox, model } = this;
    const fault = this.unlock ? 0 : this.pick(6);
    const wrong = fault === 1 ? { amount: 1n } : fault === 2 ? { forward: toNano("0.12") } : {};
    if (this.unlock) return;
    const outcome = await sandbox.deposit(wrong);
    if (fault === 1 || fault === 2) {
      assert.equal(balanceChange(outcome), 0n, "a refused deposit costs the pool nothing");
      const code = fault === 1 ? "ERR_WRONG_DENOMINATION" : "ERR_INSUFFICIENT_VALUE";
      return await this.check(outcome, code, code);
    }
    const prepaid = (9n * this.cost + 7n) / 8n;
    if (model.deposits === model.settled) model.waitingSince = this.now;
    model.deposits++;
    model.pending += prepaid;
    model.touched = this.now;
    assertLeft(outcome, prepaid + this.storageShare, this.prices, "deposit");
    await this.check(outcome, undefined, "deposit");
  }

  async settle(): Promise<void> {
    const { sandbox, model } = this;
    const waiting = model.deposits - model.settled;
    if (waiting === 0) return;
    const end = model.settled + 1 + this.pick(sandbox.batchEnd - model.settled);
    const balance = await sandbox.pool.balance();
    const outcome = await sandbox.settle({ end, value: toNano("0.5") });
    if (end % 16 !== 0 && this.now - model.settledAt < 30) {
      assert.equal(balanceChange(outcome), 0n);
      return await this.check(outcome, "ERR_TOO_SOON", "settlement");
    }
    const n = BigInt(end - model.settled);
    const wait = BigInt(Math.min(this.now - model.waitingSince, 1200));
    const moved = model.pending * n / BigInt(waiting);
    const reward = min(min(n * this.cost / 8n + wait * this.cost / 1200n, moved), balance);
    model.pending -= moved;
    model.settled = end;
    model.settledAt = model.waitingSince = model.touched = this.now;
    assertLeft(outcome, -reward, this.prices, "settlement");
    await this.check(outcome, undefined, "settlement");
  }

  async withdraw(): Promise<void> {
    const { sandbox, model } = this;
    const count = Math.min(1 + this.pick(5), model.settled - model.withdrawals);
    if (count === 0) return;
    const refund = BigInt(this.pick(2)) * 1_000_000n;
    const changes = Array.from({ length: count }, () => ({
      nullifierHash: freshElement(),
      // A new account, because the wallet of an idle one freezes within these histories and then refuses
      // jettons.
      recipient: new Address(0, Buffer.from(freshElement().toString(16).padStart(64, "0"), "hex")),
      refund,
    }));
    const total = refund * BigInt(count);
    const value = (await sandbox.pool.get("get_withdraw_many_value", BigInt(count), total)).readBigNumber();
    const outcome = count === 1
      ? await sandbox.withdraw({ ...changes[0], value })
      : await sandbox.withdrawMany(changes, { value });
    const share = BigInt(count) * this.storageShare;
    model.withdrawals += count;
    model.touched = this.now;
    this.spent.push(...changes.map(({ nullifierHash }) => nullifierHash));
    const before = this.claims.length;
    await this.check(outcome, undefined, `${count} withdrawals`);
    const expected = this.unlock ? [...changes.map(() => model.denomination - FEE), FEE * BigInt(count)] : [];
    assert.deepEqual(this.claims.slice(before).map(({ amount }) => amount), expected);
    if (this.unlock) {
      assert.ok(balanceChange(outcome) >= share + toNano("0.01") * BigInt(expected.length));
    } else assertLeft(outcome, share, this.prices, `${count} withdrawals`);
  }

  async doubleSpend(): Promise<void> {
    if (this.spent.length === 0) return;
    const nullifierHash = this.spent[this.pick(this.spent.length)];
    const outcome = await this.sandbox.withdraw({ nullifierHash, value: toNano(3) });
    assert.equal(balanceChange(outcome), 0n);
    await this.check(outcome, "ERR_ALREADY_SPENT", "a second withdrawal");
  }

  async retry(): Promise<void> {
    if (this.claims.length === 0) return;
    const [claim] = this.claims.splice(this.pick(this.claims.length), 1);
    const outcome = await this.sandbox.send(storeRetryPayout(claim.id), toNano(1));
    assert.ok(balanceChange(outcome) >= 0n, "a retry took coins of the pool");
    await this.check(outcome, undefined, "a retry");
    if (this.unlock) assert.equal(this.claims.at(-1)?.id, claim.id, "the claim has another id");
  }

  async toggleLock(): Promise<void> {
    if (this.unlock === undefined) this.unlock = await lockWallet(this.sandbox.jettons);
    else await this.release();
  }

  async release(): Promise<void> {
    await this.unlock?.();
    this.unlock = undefined;
  }

  /**
   * Lets years pass without coins until storage fees freeze the pool. Meanwhile it accepts nothing: deposits
   * that are sent without a check of its state lose their jettons to its wallet. Only its own state thaws it.
   */
  async freezeAndThaw(): Promise<void> {
    const { sandbox } = this;
    const { pool } = sandbox;
    const data = await pool.data();
    await pool.setState({ balance: 1_000n }); // decades of higher prices used the rest
    for (let years = 0; await accountState(sandbox) === "active"; years += 5) {
      assert.ok(years < 60, "the pool does not freeze");
      pool.chain.now! += 5 * YEAR;
      await poke(sandbox);
    }
    const skipped = ({ tx: { description } }: V2Outcome) =>
      description.type === "generic" && description.computePhase.type === "skipped";
    const value = toNano(1);
    if (this.model.deposits > this.model.settled) assert.ok(skipped(await sandbox.settle({ value })));
    assert.ok(skipped(await sandbox.withdraw({ value })));
    if (this.unlock === undefined) {
      assert.ok(skipped(await sandbox.deposit({ forward: value })));
      this.lost += pool.denomination;
    }
    const code = await v2TrapdoorJettonCode();
    await sendState(sandbox, { code, data: encodeV2PoolData(this.model) }, toNano(2));
    assert.equal(await accountState(sandbox), "frozen", "another state does not thaw it");
    await sendState(sandbox, { code, data }, toNano(2));
    assert.equal(await accountState(sandbox), "active");
    assert.ok((await pool.data()).equals(this.state), "the thawed state is not the model's");
  }

  setPrices(list: PriceList): void {
    this.prices = chainPrices(priceLists[list]);
    this.sandbox.pool.chain.setConfig(priceLists[list]);
  }

  async step(): Promise<void> {
    this.sandbox.pool.chain.now! += [0, 5, 40, 2000, 86_400][this.pick(5)];
    const kind = this.pick(14);
    if (kind < 5) { for (let i = this.pick(5); i >= 0; i--) await this.deposit(); }
    else if (kind < 8) await this.settle();
    else if (kind < 10) await this.withdraw();
    else if (kind < 11) await this.doubleSpend();
    else if (kind < 13) await this.retry();
    else await this.toggleLock();
  }

  async finish(): Promise<void> {
    const { model, sandbox } = this;
    await this.release();
    for (let i = 0; model.settled < model.deposits && i < 500; i++) {
      sandbox.pool.chain.now! += 30;
      await this.settle();
    }
    while (model.withdrawals < model.deposits) await this.withdraw();
    while (this.claims.length > 0) await this.retry();
    assert.equal(await sandbox.balanceOf(sandbox.pool.address), this.lost, "jettons are left");
    assert.equal(model.pending, 0n);
  }
}

for (const seed of [1n, 2n, 3n]) {
  Deno.test(`drawn history ${seed}: the storage is the model's after every message, and every note is paid`, async () => {
    const sandbox = await V2JettonSandbox.openJetton({ prices: "old", balance: toNano(150) });
    const history = new History(sandbox, sandbox.pool.owner.address, seed);
    for (let step = 0; step < STEPS; step++) {
      if (step === 20) history.setPrices("mainnet");
      if (step === 30) sandbox.pool.chain.now! += 20 * YEAR;
      if (step === 45) history.setPrices("old");
      await history.step();
    }
    await history.finish();
  });
}

Deno.test("drawn history 4, of a pool whose endowment runs out: it freezes and is thawed, and every note is paid", async () => {
  const sandbox = await V2JettonSandbox.openJetton({ prices: "mainnet", balance: toNano(150) });
  const history = new History(sandbox, sandbox.pool.owner.address, 4n);
  history.setPrices("mainnet");
  for (let step = 0; step < STEPS; step++) {
    if (step % 25 === 24) await history.freezeAndThaw();
    await history.step();
  }
  assert.ok(history.lost > 0n && history.spent.length > 5);
  await history.finish();
});
